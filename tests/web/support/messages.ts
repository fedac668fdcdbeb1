import { messages as en, type Messages } from "../../../web/src/messages/en";
import { messages as zhHans } from "../../../web/src/messages/zh-Hans";
import { messages as zhHant } from "../../../web/src/messages/zh-Hant";
import type { Language } from "./browser";

export const MESSAGES: Record<Language, Messages> = {
  en,
  "zh-Hans": zhHans,
  "zh-Hant": zhHant,
};
