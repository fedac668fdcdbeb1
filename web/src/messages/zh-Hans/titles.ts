import type { Messages } from "../en";

export const titles: Messages["titles"] = {
  attention: {
    title: "注意力是什么",
    summary: "看见的很多，看进去的很少",
  },
  sets: {
    title: "输入一组向量，输出标签",
    summary: "注意力得到什么，又要给出什么",
  },
  matrices: {
    title: "一次算完",
    summary: "所有查询，只用几次矩阵乘法",
  },
  heads: {
    title: "多个头",
    summary: "几种看法，同时进行",
  },
  bill: {
    title: "n 平方的账单",
    summary: "长序列要花多少，什么时候才要紧",
  },
  neighbours: {
    title: "邻居",
    summary: "图像、声音和图，以及与注意力并列的层",
  },
  masks: {
    title: "凭知识画掩码",
    summary: "去掉我们知道不太重要的配对",
  },
  content: {
    title: "由数据定掩码",
    summary: "让查询和键自己说哪些配对重要",
  },
  fewerKeys: {
    title: "更少的键",
    summary: "低秩，以及代表全部的少数几个键",
  },
  reorder: {
    title: "换个顺序",
    summary: "同一个乘积，从另一边乘起",
  },
  without: {
    title: "不用 q·k",
    summary: "没有查询的权重，没有注意力的混合",
  },
  arena: {
    title: "竞技场",
    summary: "整个家族：公开发表的分数，和您自己的设备",
  },
  position: {
    title: "位置",
    summary: "顺序怎样进入一组向量",
  },
  speed: {
    title: "速度",
    summary: "计算核心有多快：与别的库相比，以及在您的设备上",
  },
};
