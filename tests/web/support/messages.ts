// All sentences of every language, the parts that chapters load among them.
import { base as en, type Messages } from "../../../web/src/messages/en";
import { base as zhHans } from "../../../web/src/messages/zh-Hans";
import { base as zhHant } from "../../../web/src/messages/zh-Hant";
import type { Language } from "./browser";

const PARTS = import.meta.glob<Record<string, object>>("../../../web/src/messages/*/*.ts", {
  eager: true,
});

function whole(language: Language, base: object): Messages {
  const parts = Object.entries(PARTS).filter(([path]) => path.includes(`/messages/${language}/`));
  return Object.assign({}, base, ...parts.map(([, exports]) => exports)) as Messages;
}

export const MESSAGES: Record<Language, Messages> = {
  en: whole("en", en),
  "zh-Hans": whole("zh-Hans", zhHans),
  "zh-Hant": whole("zh-Hant", zhHant),
};
