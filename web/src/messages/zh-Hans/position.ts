import type { Messages } from "../en";
import { titles } from "./titles";

export const position: Messages["position"] = {
  ...titles.position,
  intro: [
    "注意力没有顺序的概念。两个词元交换位置，它们的输出也只是跟着交换，别无变化。对于“狗咬人”和“人咬狗”，这显然不够。",
    "于是把位置写进词元本身：给输入 $X$ 的第 $i$ 行加上一个属于位置 $i$ 的向量。所有这些向量是矩阵 $P$ 的各行，列数与输入的特征数相同。经典的做法不需要训练：",
  ],
  afterFormula:
    "列两两成对，一个正弦、一个余弦，以同样的速度转动；越往后的对转得越慢。可以把一行看作一只有许多指针的钟：快的指针区分相邻的位置，慢的指针区分开头和结尾。",
  exhibit: "位置矩阵",
  takes:
    "它接受 1 到 200 个位置、2 到 128 列、0 到 0.9 的 dropout、最多六列曲线，以及 −1000 到 1000 之间的数。",
  positions: "n，位置数",
  features: "d，列数",
  dropout: "p，dropout",
  seed: "种子，用于 dropout",
  seedShort: "种子",
  lines: "各列的曲线",
  linesHint: "每条曲线是矩阵的一列，从第一个位置到最后一个位置。",
  chart: (columns) => `第 ${columns} 列随位置变化的曲线`,
  chartHint: "左右方向键沿位置移动，上下方向键换一条曲线，Esc 离开。",
  axisPosition: "位置",
  columnsShown: "列",
  addColumn: "添加列",
  removeColumn: (column) => `移除第 ${column} 列`,
  columnRange: (most) => `这里可以填 0 到 ${most} 之间尚未显示的列。`,
  sixColumns: "最多显示六条曲线，请先移除一条。",
  heat: "整个矩阵",
  heatTitle: (rows, columns) => `位置编码的热图，${rows} 个位置，${columns} 列`,
  heatHint: "回车把这一列加入曲线或移除。",
  position: (row) => `位置 ${row}`,
  column: (column) => `第 ${column} 列`,
  cell: "数值",
  table: "曲线的数值表",
  heatTable: "矩阵的数值表",
  golden: "若干行的数值",
  periods: "转一圈要多久",
  periodsText:
    "向前移动一个位置，每对列转过角度 $omegaj$；计算核心给出它的余弦和正弦。转满一圈需要 $period$ 个位置。作为验证，再让核心恰好转过这么多位置：这对列回到原处，余弦为 1，正弦为 0，只差舍入。",
  period: {
    pair: "列",
    cosine: "$cosine$",
    sine: "$sine$",
    period: "周期",
    back: "一个周期之后：余弦、正弦",
  },
  pairName: (even, odd) => `${even} 与 ${odd}`,
  sum: "您自己的输入",
  sumText:
    "这一层把 $P$ 加到输入上。请为这些位置和列填入 $X$；其余各处为 0，与笔记中的代码相同。",
  sumDropped:
    "有 dropout 时，和中的每个数以概率 $p$ 变为 0，其余的乘以 $keep$ 以保持平均值。哪些变为 0 由种子决定。",
  firstRow: "从哪个位置起",
  firstRowShort: "从",
  tensors: {
    X: "X，您的输入",
    P: "P，位置编码",
    sum: "X + P",
    dropped: "dropout 之后的 X + P",
    rotation: "移动一个位置的旋转",
  },
  rotation:
    "为什么正弦*和*余弦要成对？因为这样一来，沿序列移动一步就是每对列的一次小旋转，而且无论从哪里出发都相同：",
  afterRotation: "模型若想知道左边第三个位置上是什么，只要学会一个矩阵，它在任何位置都适用。",
  note: [
    "笔记说奇数列和偶数列的周期不同。其实第 $evenColumn$ 列与第 $oddColumn$ 列周期相同，只相差四分之一圈；周期从一对到下一对才改变。",
    "笔记的旋转公式漏了一个下标：向量的第一个分量应是位置 $i$、第 $evenColumn$ 列的编码。",
    "笔记的代码画的是 60 个位置、32 列时的第 6 至 9 列，没有 dropout。本图就从那里开始。",
  ],
  tries: [
    "找出变化最快的两列，以及在 60 个位置上几乎不动的两列。",
    "只显示第 8、9 两列。余弦比正弦领先多少？",
    "把 dropout 提高到 0.5，再换种子：哪些图样不变？",
    "把列数加倍。现在哪一对列的周期与原来的第 8、9 列相同？",
  ],
};
