import type { Messages } from "../en";
import { titles } from "./titles";

export const position: Messages["position"] = {
  ...titles.position,
  intro: [
    "注意力沒有順序的概念。兩個詞元交換位置，它們的輸出也只是跟著交換，別無變化。對於「狗咬人」和「人咬狗」，這顯然不夠。",
    "於是把位置寫進詞元本身：給輸入 $X$ 的第 $i$ 橫列加上一個屬於位置 $i$ 的向量。所有這些向量是矩陣 $P$ 的各橫列，直行數與輸入的特徵數相同。經典的做法不需要訓練：",
  ],
  afterFormula:
    "直行兩兩成對，一個正弦、一個餘弦，以同樣的速度轉動；越往後的對轉得越慢。可以把一橫列看作一隻有許多指針的鐘：快的指針區分相鄰的位置，慢的指針區分開頭和結尾。",
  exhibit: "位置矩陣",
  takes:
    "它接受 1 到 200 個位置、2 到 128 個直行、0 到 0.9 的 dropout、最多六條曲線，以及 −1000 到 1000 之間的數。",
  positions: "n，位置數",
  features: "d，直行數",
  dropout: "p，dropout",
  seed: "種子，用於 dropout",
  seedShort: "種子",
  lines: "各個直行的曲線",
  linesHint: "每條曲線是矩陣的一直行，從第一個位置到最後一個位置。",
  chart: (columns) => `第 ${columns} 直行隨位置變化的曲線`,
  chartHint: "左右方向鍵沿位置移動，上下方向鍵換一條曲線，Esc 離開。",
  axisPosition: "位置",
  columnsShown: "直行",
  addColumn: "加入直行",
  removeColumn: (column) => `移除第 ${column} 直行`,
  columnRange: (most) => `這裡可以填 0 到 ${most} 之間尚未顯示的直行。`,
  sixColumns: "最多顯示六條曲線，請先移除一條。",
  heat: "整個矩陣",
  heatTitle: (rows, columns) => `位置編碼的熱圖，${rows} 個位置，${columns} 個直行`,
  heatHint: "Enter 鍵把這一直行加入曲線或移除。",
  position: (row) => `位置 ${row}`,
  column: (column) => `第 ${column} 直行`,
  cell: "數值",
  table: "曲線的數值表",
  heatTable: "矩陣的數值表",
  golden: "若干橫列的數值",
  periods: "轉一圈要多久",
  periodsText:
    "向前移動一個位置，每對直行轉過角度 $omegaj$；運算核心給出它的餘弦和正弦。轉滿一圈需要 $period$ 個位置。作為驗證，再讓核心恰好轉過這麼多位置：這對直行回到原處，餘弦為 1，正弦為 0，只差捨入。",
  period: {
    pair: "直行",
    cosine: "$cosine$",
    sine: "$sine$",
    period: "週期",
    back: "一個週期之後：餘弦、正弦",
  },
  pairName: (even, odd) => `${even} 與 ${odd}`,
  sum: "您自己的輸入",
  sumText:
    "這一層把 $P$ 加到輸入上。請為這些位置和直行填入 $X$；其餘各處為 0，與筆記中的程式碼相同。",
  sumDropped:
    "有 dropout 時，和中的每個數以機率 $p$ 變為 0，其餘的乘以 $keep$ 以保持平均值。哪些變為 0 由種子決定。",
  firstRow: "從哪個位置起",
  firstRowShort: "從",
  tensors: {
    X: "X，您的輸入",
    P: "P，位置編碼",
    sum: "X + P",
    dropped: "dropout 之後的 X + P",
    rotation: "移動一個位置的旋轉",
  },
  rotation:
    "為什麼正弦*和*餘弦要成對？因為這樣一來，沿序列移動一步就是每對直行的一次小旋轉，而且無論從哪裡出發都相同：",
  afterRotation: "模型若想知道左邊第三個位置上是什麼，只要學會一個矩陣，它在任何位置都適用。",
  note: [
    "筆記說奇數直行和偶數直行的週期不同。其實第 $evenColumn$ 直行與第 $oddColumn$ 直行週期相同，只相差四分之一圈；週期從一對到下一對才改變。",
    "筆記的旋轉公式漏了一個下標：向量的第一個分量應是位置 $i$、第 $evenColumn$ 直行的編碼。",
    "筆記的程式碼畫的是 60 個位置、32 個直行時的第 6 至 9 直行，沒有 dropout。本圖就從那裡開始。",
  ],
  tries: [
    "找出變化最快的兩直行，以及在 60 個位置上幾乎不動的兩直行。",
    "只顯示第 8、9 兩直行。餘弦比正弦領先多少？",
    "把 dropout 提高到 0.5，再換種子：哪些圖樣不變？",
    "把直行數加倍。現在哪一對直行的週期與原來的第 8、9 直行相同？",
  ],
};
