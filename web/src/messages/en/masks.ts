import { titles } from "./titles";

export const masks = {
  ...titles.masks,
  intro: [
    "Full attention looks at every pair. Often we know beforehand which pairs matter: neighbours, every third frame, one special token that all may ask.",
  ],
};
