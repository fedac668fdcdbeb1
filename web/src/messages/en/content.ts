import { titles } from "./titles";

export const content = {
  ...titles.content,
  intro: [
    "Which pairs matter depends on the text. Here the queries and keys decide it.",
  ],
};
