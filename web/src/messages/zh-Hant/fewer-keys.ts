import type { Messages } from "../en";
import { titles } from "./titles";

export const fewerKeys: Messages["fewerKeys"] = {
  ...titles.fewerKeys,
  intro: [
    "許多鍵說的差不多。少數幾個就可以代表全部。",
  ],
};
