// The terms of the field in the three languages, as its papers and textbooks use them.
import type { Language } from "../lib/language.svelte";

export const terms: readonly Record<Language, string>[] = [
  { en: "attention", "zh-Hans": "注意力", "zh-Hant": "注意力" },
  { en: "self-attention", "zh-Hans": "自注意力", "zh-Hant": "自注意力" },
  { en: "query", "zh-Hans": "查询", "zh-Hant": "查詢" },
  { en: "key", "zh-Hans": "键", "zh-Hant": "鍵" },
  { en: "value", "zh-Hans": "值", "zh-Hant": "值" },
  { en: "score", "zh-Hans": "分数", "zh-Hant": "分數" },
  { en: "weight", "zh-Hans": "权重", "zh-Hant": "權重" },
  { en: "head", "zh-Hans": "头", "zh-Hant": "頭" },
  { en: "mask", "zh-Hans": "掩码", "zh-Hant": "遮罩" },
  { en: "softmax", "zh-Hans": "softmax", "zh-Hant": "softmax" },
  { en: "dot product", "zh-Hans": "点积", "zh-Hant": "點積" },
  { en: "token", "zh-Hans": "词元", "zh-Hant": "詞元" },
  { en: "feature", "zh-Hans": "特征", "zh-Hant": "特徵" },
  { en: "positional encoding", "zh-Hans": "位置编码", "zh-Hant": "位置編碼" },
];
