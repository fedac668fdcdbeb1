import type { Messages } from "../en";
import { titles } from "./titles";

export const without: Messages["without"] = {
  ...titles.without,
  intro: [
    "權重一定要來自查詢和鍵嗎？",
  ],
};
