import type { Messages } from "../en";
import { titles } from "./titles";

export const masks: Messages["masks"] = {
  ...titles.masks,
  intro: [
    "完整的注意力要看每一個配對。很多時候我們事先就知道哪些配對重要：鄰近的、每隔兩幀的、一個誰都可以問的特殊詞元。",
  ],
};
