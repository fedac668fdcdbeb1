import type { Messages } from "../en";
import { titles } from "./titles";

export const reorder: Messages["reorder"] = {
  ...titles.reorder,
  intro: [
    "去掉 softmax，注意力就是三个矩阵的乘积，而乘积从哪一边算起都可以。",
  ],
};
