import { titles } from "./titles";

export const fewerKeys = {
  ...titles.fewerKeys,
  intro: [
    "Many keys say much the same. A few can stand for all of them.",
  ],
};
