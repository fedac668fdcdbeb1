import type { Messages } from "../en";
import { titles } from "./titles";

export const without: Messages["without"] = {
  ...titles.without,
  intro: [
    "权重一定要来自查询和键吗？",
  ],
};
