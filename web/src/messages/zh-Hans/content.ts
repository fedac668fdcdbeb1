import type { Messages } from "../en";
import { titles } from "./titles";

export const content: Messages["content"] = {
  ...titles.content,
  intro: [
    "哪些配对重要，要看文本本身。这里由查询和键来决定。",
  ],
};
