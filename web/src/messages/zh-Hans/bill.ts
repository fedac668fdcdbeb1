import type { Messages } from "../en";
import { titles } from "./titles";

export const bill: Messages["bill"] = {
  ...titles.bill,
  intro: [
    "每个查询都要遇上每个键。三个词元有九个分数，一千个词元就有一百万个。文本加倍，分数变为四倍：这就是注意力开出的账单。",
    "它要用时间来付；如果把分数矩阵留着，还要用内存来付。一个 32 位的数占 4 字节，4096 个词元只为一层中的一个头就需要 64 MiB。",
  ],
  exhibit: "平方",
  takes: "它接受 4 到 16，词元数是 2 的这么多次方。",
  power: "2 的 p 次方个词元，选择 p",
  powerShort: "$powerOfTwo$",
  facts: { tokens: "词元", pairs: "配对，由计算核心数出", size: "每一对存一个数" },
  mebibytes: (value) => `${value} MiB`,
  gibibytes: (value) => `${value} GiB`,
  timesTitle: "在您的设备上",
  timesText:
    "三个步骤在一个线程上分别计时，每一步都把整个矩阵放在内存中：分数、softmax、权重乘值。旁边是一次完整的注意力调用，它从不保存这个矩阵，而是分块走过各个键。随平方增长的代价，指数为 2。",
  n: "n，词元数",
  steps: { scores: "分数", softmax: "softmax", sum: "加权求和", attention: "一次调用全做完" },
  chart: "注意力各步骤的用时随词元数的变化",
  exponent: "指数",
  exponentOf: (step) => `${step}的指数，从 512 个词元起`,
  table: "用时的数据表",
  beforeShare: [
    "这算多吗？要看它旁边是什么。Transformer 的一个块还有四个投影和一个前馈层，前馈层内部的宽度是 $r$ 倍，通常是四倍。它们对每个词元单独进行，所以随 $n$ 增长，但也随宽度 $d$ 的平方增长。把每次乘法和每次加法都数上：",
  ],
  afterCosts: [
    "当 $n$ 等于 $d$ 的 $twoPlusR$ 倍时，两者相等；通常 $r4$，也就是宽度的六倍。不到这个数，更快的注意力几乎看不出好处；超过这个数，大部分工作都是注意力。",
  ],
  share: {
    exhibit: "什么时候才要紧？",
    takes: "它接受 64 到 32768 的 n 和 64 到 1024 的 d，步长都是 64，以及 1 到 8 的 r。",
    n: "n，词元数",
    d: "d，每个词元的特征数",
    ratio: "r，前馈层的宽度是 d 的几倍",
    bars: "一个块中的乘法和加法",
    blockOf: (n) => `${n} 个词元`,
    parts: { attention: "注意力", rest: "投影和前馈" },
    percent: (value) => `${value} %`,
    operations: (count) => `${count} 次运算`,
    crossing: (n) => `n = ${n} 时，注意力占一半的工作。`,
    curveTitle: "注意力所占的比例",
    curveText:
      "曲线是数出来的。方块是测出来的：注意力（每个头 64 个特征）的用时，与其余部分的用时，在后台的一个线程上测得。两种工作快慢不同，方块就会偏离曲线。",
    chart: "一个块中注意力所占的比例随词元数的变化",
    shareOf: "注意力所占的比例",
    counted: "数出",
    measured: "测得",
    pieces: { attention: "注意力", linear: "投影和前馈" },
    table: "比例的数据表",
  },
  tries: [
    "一直调到 65,536 个词元，即一张 256 乘 256 的图的像素数。矩阵有多大？您的设备有多少内存？",
    "测一测。三个步骤中哪个花得最多？一次全做完的调用，比三者之和慢还是快？",
    "把词元变窄。注意力会更早要紧，还是更晚？",
    "弄坏它：在 n 的框里填十亿个词元。",
  ],
  questions: {
    size: {
      text: "8192 个词元，每一对存一个数，需要多少 MiB？",
      hint: "4096 个词元需要 64 MiB。加倍会怎样？",
      explanation: (answer) => `${answer} MiB，四倍。`,
    },
    crossing: {
      text: "一个块有 768 个特征，r = 4，多少个词元时注意力占一半的工作？",
      hint: "是 d 的 (2 + r) 倍。",
      explanation: (answer) => `${answer}，即 6 × 768。`,
    },
    long: {
      text: "512 个特征，r = 4，4096 个词元时注意力占多少？",
      hint: "注意力与其余部分之比是 n 比 6d。",
      explanation: (answer) => `${answer}：4096 占 4096 + 3072 的比例。`,
    },
  },
  note: [
    "笔记说，只有 n 很大时（例如图像），平方才要紧。没错；上面的图说明要多大：在通常的块中，是宽度的六倍。n = d 时，注意力只占七分之一。",
  ],
};
