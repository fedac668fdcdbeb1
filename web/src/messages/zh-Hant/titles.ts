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
  masks: {
    title: "憑知識畫遮罩",
    summary: "去掉我們知道不太重要的配對",
  },
  content: {
    title: "由資料定遮罩",
    summary: "讓查詢和鍵自己說哪些配對重要",
  },
  fewerKeys: {
    title: "更少的鍵",
    summary: "低秩，以及代表全部的少數幾個鍵",
  },
  reorder: {
    title: "換個順序",
    summary: "同一個乘積，從另一邊乘起",
  },
  without: {
    title: "不用 q·k",
    summary: "沒有查詢的權重，沒有注意力的混合",
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
