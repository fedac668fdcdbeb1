import { titles } from "./titles";

export const without = {
  ...titles.without,
  intro: [
    "Do the weights have to come from queries and keys at all?",
  ],
};
