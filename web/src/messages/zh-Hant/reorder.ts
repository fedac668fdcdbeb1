import type { Messages } from "../en";
import { titles } from "./titles";

export const reorder: Messages["reorder"] = {
  ...titles.reorder,
  intro: [
    "去掉 softmax，注意力就是三個矩陣的乘積，而乘積從哪一邊算起都可以。",
  ],
};
