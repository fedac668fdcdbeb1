import type { Messages } from "../en";
import { titles } from "./titles";

export const fewerKeys: Messages["fewerKeys"] = {
  ...titles.fewerKeys,
  intro: [
    "许多键说的差不多。少数几个就可以代表全部。",
  ],
};
