import type { Messages } from "../en";
import { titles } from "./titles";

export const bill: Messages["bill"] = {
  ...titles.bill,
  intro: [
    "每個查詢都要遇上每個鍵。三個詞元有九個分數，一千個詞元就有一百萬個。文字加倍，分數變為四倍：這就是注意力開出的帳單。",
    "它要用時間來付；如果把分數矩陣留著，還要用記憶體來付。一個 32 位元的數佔 4 個位元組，4096 個詞元只為一層中的一個頭就需要 64 MiB。",
  ],
  exhibit: "平方",
  takes: "它接受 4 到 16，詞元數是 2 的這麼多次方。",
  power: "2 的 p 次方個詞元，選擇 p",
  powerShort: "$powerOfTwo$",
  facts: { tokens: "詞元", pairs: "配對，由運算核心數出", size: "每一對存一個數" },
  mebibytes: (value) => `${value} MiB`,
  gibibytes: (value) => `${value} GiB`,
  timesTitle: "在您的裝置上",
  timesText:
    "三個步驟在一個執行緒上分別計時，每一步都把整個矩陣放在記憶體中：分數、softmax、權重乘值。旁邊是一次完整的注意力呼叫，它從不保存這個矩陣，而是分塊走過各個鍵。隨平方增長的代價，指數為 2。",
  n: "n，詞元數",
  steps: { scores: "分數", softmax: "softmax", sum: "加權求和", attention: "一次呼叫全做完" },
  chart: "注意力各步驟的用時隨詞元數的變化",
  exponent: "指數",
  exponentOf: (step) => `${step}的指數，從 512 個詞元起`,
  table: "用時的資料表",
  beforeShare: [
    "這算多嗎？要看它旁邊是什麼。Transformer 的一個區塊還有四個投影和一個前饋層，前饋層內部的寬度是 $r$ 倍，通常是四倍。它們對每個詞元單獨進行，所以隨 $n$ 增長，但也隨寬度 $d$ 的平方增長。把每次乘法和每次加法都數上：",
  ],
  afterCosts: [
    "當 $n$ 等於 $d$ 的 $twoPlusR$ 倍時，兩者相等；通常 $r4$，也就是寬度的六倍。不到這個數，更快的注意力幾乎看不出好處；超過這個數，大部分工作都是注意力。",
  ],
  share: {
    exhibit: "什麼時候才要緊？",
    takes: "它接受 64 到 32768 的 n 和 64 到 1024 的 d，間隔都是 64，以及 1 到 8 的 r。",
    n: "n，詞元數",
    d: "d，每個詞元的特徵數",
    ratio: "r，前饋層的寬度是 d 的幾倍",
    bars: "一個區塊中的乘法和加法",
    blockOf: (n) => `${n} 個詞元`,
    parts: { attention: "注意力", rest: "投影和前饋" },
    percent: (value) => `${value} %`,
    operations: (count) => `${count} 次運算`,
    crossing: (n) => `n = ${n} 時，注意力佔一半的工作。`,
    curveTitle: "注意力所佔的比例",
    curveText:
      "曲線是數出來的。方塊是測出來的：注意力（每個頭 64 個特徵）的用時，與其餘部分的用時，在背景的一個執行緒上測得。兩種工作快慢不同，方塊就會偏離曲線。",
    chart: "一個區塊中注意力所佔的比例隨詞元數的變化",
    shareOf: "注意力所佔的比例",
    counted: "數出",
    measured: "測得",
    pieces: { attention: "注意力", linear: "投影和前饋" },
    table: "比例的資料表",
  },
  tries: [
    "一直調到 65,536 個詞元，即一張 256 乘 256 的圖的像素數。矩陣有多大？您的裝置有多少記憶體？",
    "測一測。三個步驟中哪個花得最多？一次全做完的呼叫，比三者之和慢還是快？",
    "把詞元變窄。注意力會更早要緊，還是更晚？",
    "弄壞它：在 n 的欄位裡填十億個詞元。",
  ],
  questions: {
    size: {
      text: "8192 個詞元，每一對存一個數，需要多少 MiB？",
      hint: "4096 個詞元需要 64 MiB。加倍會怎樣？",
      explanation: (answer) => `${answer} MiB，四倍。`,
    },
    crossing: {
      text: "一個區塊有 768 個特徵，r = 4，多少個詞元時注意力佔一半的工作？",
      hint: "是 d 的 (2 + r) 倍。",
      explanation: (answer) => `${answer}，即 6 × 768。`,
    },
    long: {
      text: "512 個特徵，r = 4，4096 個詞元時注意力佔多少？",
      hint: "注意力與其餘部分之比是 n 比 6d。",
      explanation: (answer) => `${answer}：4096 佔 4096 + 3072 的比例。`,
    },
  },
  note: [
    "筆記說，只有 n 很大時（例如影像），平方才要緊。沒錯；上面的圖說明要多大：在通常的區塊中，是寬度的六倍。n = d 時，注意力只佔七分之一。",
  ],
};
