import type { Messages } from "../en";

export const titles: Messages["titles"] = {
  attention: {
    title: "注意力是什麼",
    summary: "看見的很多，看進去的很少",
  },
  sets: {
    title: "輸入一組向量，輸出標籤",
    summary: "注意力得到什麼，又要給出什麼",
  },
  matrices: {
    title: "一次算完",
    summary: "所有查詢，只用幾次矩陣乘法",
  },
  heads: {
    title: "多個頭",
    summary: "幾種看法，同時進行",
  },
  bill: {
    title: "n 平方的帳單",
    summary: "長序列要花多少，什麼時候才要緊",
  },
  neighbours: {
    title: "鄰居",
    summary: "影像、聲音和圖，以及與注意力並列的層",
  },
  arena: {
    title: "競技場",
    summary: "整個家族：公開發表的分數，和您自己的裝置",
  },
  position: {
    title: "位置",
    summary: "順序怎樣進入一組向量",
  },
  speed: {
    title: "速度",
    summary: "運算核心有多快：與別的函式庫相比，以及在您的裝置上",
  },
};
