import { titles } from "./titles";

export const reorder = {
  ...titles.reorder,
  intro: [
    "Attention without its softmax is a product of three matrices, and a product may be worked out from either side.",
  ],
};
