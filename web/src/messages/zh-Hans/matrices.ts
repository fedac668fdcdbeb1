import type { Messages } from "../en";
import { titles } from "./titles";

export const matrices: Messages["matrices"] = {
  ...titles.matrices,
  intro: [
    "前面手算了一个查询。二十个词的句子就有二十个查询，而它们互不等待：没有哪个查询需要知道别的查询找到了什么。所以不必一个接一个地做。",
    "把词元上下排好，作为一个矩阵 $x$ 的各行。这样，一次乘法得到全部查询，一次得到全部键，一次得到全部值。每个查询遇上每个键也是一次乘法，每个权重乘每个值又是一次：",
  ],
  afterFormula: [
    "softmax 对分数的每一行单独进行：一行属于一个查询。三个词元、四个特征时，$x$ 是 3 × 4，分数是 3 × 3，输出仍是每个词元一行。",
  ],
  exhibit: "用矩阵看全过程",
  takes: "它接受一个 3 × 4 的矩阵，数值在 −1000 到 1000 之间，以及取 1（开）或 0（关）的开关。",
  convention: "一个词元是",
  conventions: { rows: "一行", columns: "一列，与笔记相同" },
  identity: "所有 W 为单位矩阵",
  cellOf: {
    query: (row, column) => `查询 ${row} 的特征 ${column}`,
    key: (row, column) => `键 ${row} 的特征 ${column}`,
    value: (row, column) => `值 ${row} 的特征 ${column}`,
    scores: (row, column) => `查询 ${row} 与键 ${column} 的分数`,
    weights: (row, column) => `查询 ${row} 给键 ${column} 的权重`,
    output: (row, column) =>
      `输出 ${row} 的特征 ${column}：查询 ${row} 的各个权重，乘以每个值的特征 ${column}`,
  },
  steps: { project: "从输入到查询、键和值", meet: "从查询到输出" },
  projectText:
    "指向结果中的一格，或用方向键走到那里：构成它的数会亮起来，上面一行给出算式。",
  same: "$WQ$、$WK$、$WV$ 都是单位矩阵时，没有任何投影：输入本身就是查询、键和值。",
  meetRows: "$Q$ 的一行与 $KT$ 的一列得到一个分数；$A$ 的一行与 $V$ 的一列得到一个输出。",
  meetColumns:
    "数完全相同，只是横竖互换：每个乘积的先后次序颠倒，softmax 改为对列进行。$KT$ 的一行与 $Q$ 的一列得到一个分数；$V$ 的一行与 $A$ 的一列得到一个输出。",
  pooling: [
    "所有 W 都是单位矩阵时，这个运算不再有任何参数。它把每个向量同时当作查询、键和值，围绕它汇聚整个序列。一本著名的教材就是这样引入自注意力的：$pooling$。",
    "为什么一次乘法胜过对查询逐个循环？并不是算得少了：相乘相加的数一个不少。但是，机器一次拿到所有的行，就可以让各行共用读进来的数据，同时处理几行，还可以分给几个核去做。",
  ],
  ways: {
    exhibit: "逐个算，还是一次算完",
    takes: "它接受 1 到 64 的 n 和 1 到 9999 的种子，都是整数。",
    n: "n，词元数",
    seed: "种子，用于随机数",
    seedShort: "种子",
    ways: { loop: "逐个算", go: "一次算完" },
    threads: (count) => `一次算完，${count} 个线程`,
    pictures: { loop: "输出，每个查询调用一次", go: "输出，全部查询调用一次" },
    token: (number) => `词元 ${number}`,
    feature: (number) => `特征 ${number}`,
    cell: "输出",
    took: (way, calls, microseconds) => `${way}：调用 ${calls} 次，${microseconds} µs`,
    gap: (value) => `两者之间最大的差：${value}`,
    table: "输出的数值表",
    timesTitle: "更长的序列",
    timesText:
      "这里用 16 到 2048 个词元、每个 64 个特征，给两种做法计时；计时在后台线程中进行，页面照常可用。两个轴都是对数轴：词元数每加倍一次，用时若变为四倍，就说明代价随 $n$ 的平方增长。",
    chart: "全部查询的用时随词元数的变化，逐个算与一次算完",
    timesTable: "用时的数据表",
  },
  tries: [
    "指向输出中的一格。它用到了 $A$ 和 $V$ 的哪些数，没有用到哪些？",
    "把词元改为列。哪些矩阵换了位置？有没有哪个数变了？",
    "把所有 W 改为单位矩阵。为什么这时分数矩阵关于对角线对称？",
    "两种做法都测一测。从多大的 n 起循环开始落后？落后的倍数会不会超过线程数？",
  ],
  questions: {
    cell: {
      text: "把第一个图重置。输出的第 2 行第 2 列是多少？",
      hint: "它是 $A$ 的第 2 行乘 $V$ 的第 2 列：权重几乎全在键 2 上。",
      explanation: (answer) => `是 ${answer}：权重 0.0000、0.9820、0.0180 分别乘值 2、8、6。`,
    },
    same: {
      text: "所有 W 为单位矩阵、分数不除时，第二个词元与它自己的分数是多少？",
      hint: "第二个输入是 0、2、0、2。它既是自己的查询，也是自己的键。",
      explanation: (answer) => `0 × 0 + 2 × 2 + 0 × 0 + 2 × 2 = ${answer}。`,
    },
    scores: {
      text: "2048 个词元有多少个分数？",
      hint: "每个查询都要遇上每个键。",
      explanation: (answer) => `${answer}，即 2048 × 2048。词元数加倍，分数的个数变为四倍。`,
    },
  },
  note: [
    "画出这些矩阵的那份笔记把词元排成列：分数写作 $KTQ$，输出写作 $VA$；上面的开关可以切换到这种写法。本课程的 $S$ 在那里叫 $A$，本课程的 $A$ 在那里叫 $Aprime$。",
    "另一份笔记定义汇聚时，说每个结果属于 $n$ 维空间。其实结果的分量个数与输入的特征数 $d$ 相同，而不是词元的个数。",
  ],
};
