import type { Messages } from "../en";
import { titles } from "./titles";

export const masks: Messages["masks"] = {
  ...titles.masks,
  intro: [
    "完整的注意力要看每一个配对。很多时候我们事先就知道哪些配对重要：邻近的、每隔两帧的、一个谁都可以问的特殊词元。",
  ],
};
