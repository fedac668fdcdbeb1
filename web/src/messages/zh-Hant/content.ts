import type { Messages } from "../en";
import { titles } from "./titles";

export const content: Messages["content"] = {
  ...titles.content,
  intro: [
    "哪些配對重要，要看文本本身。這裡由查詢和鍵來決定。",
  ],
};
