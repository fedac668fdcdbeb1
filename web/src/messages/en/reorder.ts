import { titles } from "./titles";

export const reorder = {
  ...titles.reorder,
  intro: [
    "Leave the softmax out for a moment. What remains of attention is a product of three matrices: the scores $QKT$, times the values $V$. A product of three matrices may be worked out from either side, and the result is the same.",
    "The work is not. From the left, every query meets every key, and the $n$ × $n$ scores are there again. From the right, every key meets its value first; what comes of it, $KTV$, is only as large as a token is wide, however many tokens there are.",
  ],
  orders: {
    exhibit: "Two orders",
    takes:
      "It takes n from 1 to 16384, d and d′ from 1 to 128, and three matrices of 3 × 3 numbers from −1000 to 1000.",
    scoresFirst: "From the left: scores first",
    scoresFirstText:
      "These are the queries, keys and values of the worked example, and you can change them. Each query with each key makes a score; the scores, without softmax, weigh the values.",
    keysFirst: "From the right: keys meet values first",
    keysFirstText:
      "Each key is multiplied with its value, and all that is added up in one small matrix: a row for each feature of the keys, a column for each feature of the values. Then each query is multiplied with it. No score is ever made.",
    tensors: {
      scores: "Q times K transposed, scores without softmax",
      scoresFirst: "the result from the left",
      kv: "K transposed times V, keys meet values",
      keysFirst: "the result from the right",
    },
    cell: (row: number, column: number) => `Output ${row}, feature ${column}`,
    gap: "largest difference of the two results",
    countOf: {
      scores: "multiplications from the left, with n = d = d′ = 3",
      keys: "multiplications from the right",
    },
    costs: "What each order costs",
    costsText:
      "Only multiplications are counted. From the left there are $n$ × $n$ scores of $d$ products each, and as many weights for $dprime$ features of the values. From the right, $d$ × $dprime$ products for each key, and again for each query.",
    n: "n, tokens",
    d: "d, features of queries and keys",
    dv: "d′, features of values",
    bars: "Multiplications in the two orders",
    sizes: (n: string, d: string, dv: string) => `n = ${n}, d = ${d}, d′ = ${dv}`,
    names: { scores: "scores first", keys: "keys meet values first" },
    products: { scores: "(d + d′) n²", keys: "2 d d′ n" },
    times: (value: string) => `${value} ×`,
    equal: "Both orders cost the same.",
    keysCheaper: (times: string) => `Scores first costs ${times} as much.`,
    scoresCheaper: (times: string) => `Keys first costs ${times} as much: here it does not pay.`,
    crossing: (n: string) => `Both are equal at n = ${n}.`,
    randomGap: (tokens: number) =>
      `largest difference with random numbers, ${tokens === 1 ? "1 token" : `${tokens} tokens`}`,
    randomMost: "largest number of that result",
    roundingText:
      "With whole numbers both orders agree to the last bit. With others, the sums are rounded in a different order, so the last digits of a 32-bit number may differ.",
    timesTitle: "On this machine",
    timesText:
      "The line is counted: how many times the multiplications of the other order scores first needs. The squares are measured, on one thread in a worker: the time of scores and weighted sum, with the whole matrix of scores in memory, over the time of one call of linear attention without a feature map. They leave the line where one order uses the processor or its caches better than the other: counting is not timing.",
    pieces: { scores: "scores", sum: "weighted sum", keys: "keys meet values first" },
    counted: "counted",
    measured: "measured",
    chart: "How many times the cost of the other order scores first has, over the number of tokens",
    ratioOf: "scores first ÷ keys first",
    table: "Counts and times as a table",
    columns: {
      countScores: "multiplications, scores first",
      countKeys: "multiplications, keys first",
      counted: "ratio, counted",
      timeScores: "time, scores first",
      timeKeys: "time, keys first",
      measured: "ratio, measured",
    },
  },
  beforeSums: [
    "Softmax stands between the two products and forbids the trick: $expqk$ has to be made for each query and key, so nothing can be added up beforehand. Unless that number is itself a product. Suppose there were a function $phi$ that turns a vector into another, such that $phiq$ · $phik$ is the number we want. Then the query can be taken out of the sums:",
  ],
  afterKernel: [
    "Both sums on the right run over the keys alone. They do not know which query asks, so they are the same for $bOne$ and for all others. One $phi$ that is often taken is elu(x) + 1, applied to each feature: x + 1 for positive numbers, and the exponential of x for the others, so that no weight becomes negative.",
  ],
  sums: {
    exhibit: "Sums for all queries",
    takes:
      "It takes one of two feature maps, a query from 0 to 2, and three matrices of 3 × 3 numbers from −1000 to 1000.",
    map: "Feature map",
    maps: { elu: "elu(x) + 1", relu: "ReLU" },
    once: "Once, from keys and values",
    onceText:
      "Every key goes through $phi$. Below are the two sums: one row for each feature, blue for $phiKTV$ and orange for the sum of the $phik$ itself.",
    each: "For each query, one product",
    eachText:
      "The query goes through $phi$ too. Times the blue matrix it gives what stands above the line of the fraction, times the orange column what stands below it. Step on: the sums stay.",
    step: (token: string) => `output ${token}`,
    position: (step: number, count: number) => `Output ${step} of ${count}`,
    feature: (index: number) => `feature ${index + 1} of φ`,
    above: "above",
    under: "below",
    tensors: {
      phiKey: "φ of K, features of the keys",
      phiQuery: "φ of the query",
      values: "φ(K) transposed times V, sums over all keys",
      features: "sum of φ(k) over all keys",
      numerator: "φ(q) times the sums of the values",
      denominator: "φ(q) times the sum of φ(k)",
      weights: "weights of the feature map",
      softmax: "weights of softmax, scores divided by √d",
    },
    numeratorOf: (row: number, column: number) => `Above the line, output ${row}, feature ${column}`,
    denominatorOf: (row: number) => `Below the line, output ${row}`,
    quotient: (above: string, below: string, result: string) => `${above} ÷ ${below} = ${result}`,
    formed: "times the sums were made",
    answered: "times an output was made",
    readsSums: "keys read so far, with shared sums",
    readsSoftmax: "keys read so far, with softmax",
    same: "Are they the same weights?",
    sameText:
      "Linear attention never makes weights, but they can be read: give it the rows of the identity matrix as values. On the left are those of the feature map, on the right those of softmax. Each row adds up to 1 on both sides, but they are different weights: this $phi$ belongs to another function than the exponential.",
    gap: (value: string) => `Largest difference between the two: ${value}`,
  },
  beforeMaps: [
    "So everything hangs on $phi$. Simple functions such as elu(x) + 1 are exact for what they are, but what they are is not softmax. Is there a $phi$ whose products *are* the exponential? Yes, with infinitely many features; and on average already with a few random ones. Draw vectors $wRandom$ from a normal distribution; then the average E over all draws is",
  ],
  afterFeatures: [
    "On average the product is exactly right. A single draw is not, and how far off it is depends on how long the vectors are: the exponentials of long vectors scatter so much that the mean of a few thousand draws still says little.",
  ],
  maps: {
    exhibit: "Which φ?",
    takes:
      "It takes one of five feature maps, one of two lengths, a power from 1 to 8 and a draw from 0 to 99.",
    map: "φ",
    names: {
      elu: "elu(x) + 1",
      relu: "ReLU",
      softmax: "softmax in two parts",
      favor: "positive random features",
      fourier: "random sines and cosines",
    },
    short: {
      elu: "elu + 1",
      relu: "ReLU",
      softmax: "two softmaxes",
      favor: "random, positive",
      fourier: "random, sines",
    },
    mapTexts: {
      elu: "elu(x) + 1 is x + 1 above zero and the exponential below (Katharopoulos et al. 2020). Its weights follow the products of the features, which grow much more slowly than an exponential: it blurs.",
      relu: "ReLU keeps positive numbers and makes others 0. A query whose features are all 0 has nothing to divide by, and gets zeros.",
      softmax:
        "One softmax goes over the features of each query, another over all keys for each feature. Both are divided already, so nothing is divided at the end. As the second sees the whole sequence, there is no causal form (Efficient attention, Shen et al. 2018).",
      favor:
        "Each random vector gives one feature, the exponential of a product less half the squared length. None is negative. This map alone divides the scores by $sqrtdk$, as softmax does here (FAVOR+ of the Performer, Choromanski et al. 2021).",
      fourier:
        "Vectors are brought to length 1, and each random vector gives a sine and a cosine. Their products come near $gaussian$, here with $sigmaOne$; for vectors of length 1 that is $expqk$ up to a factor that cancels out (Random feature attention, Peng et al. 2021).",
    },
    lengths: "Queries and keys",
    lengthNames: { given: "as they are", unit: "of length 1" },
    lengthTexts: {
      given:
        "Queries and keys of the worked example, with lengths from 1.4 to 5.7; the target is softmax with scores divided by $sqrtdk$.",
      unit: "The same directions, but every vector has length 1: the scores are cosines, and are not divided. The target is softmax of these.",
    },
    power: "log₂ m, m random vectors as a power of two",
    seed: "another draw, number",
    seedShort: "draw",
    tensors: {
      weights: "weights of the feature map",
      target: "weights of softmax, the target",
      difference: "difference of the weights",
    },
    difference: "difference",
    largest: (map: string, value: string) => `The largest difference of a weight is ${value} (${map}).`,
    all: "All five beside softmax",
    count: "features",
    error: "largest difference of a weight",
    draws: "How many random features are enough?",
    drawsText: (seeds: number) =>
      `For each number of random vectors the core draws ${seeds} times; shown is the median of the largest difference. The maps without random numbers are level lines. Where random features work, four times as many halve the difference. Switch between the two lengths above.`,
    run: "Draw",
    doing: (percent: number) => `${percent} % drawn`,
    progress: "Drawing",
    finished: "Drawn.",
    stopped: "Stopped. What had been drawn by then is shown.",
    features: "m, random vectors",
    chart: "Largest difference of a weight over the number of random vectors",
    table: "The differences as a table",
  },
  beforeTemplates: [
    "Back to the two sums. They can be looked at in two more ways. First as a set of templates: each feature of $phi$ gathers the values of those keys that have it, and a query says how much it takes of each. There are as many templates as features, and not as many as tokens.",
    "Then as a memory. When no token may see a later one, the sums over all tokens so far are everything that the next token needs. Each new key and value is added, and then the query asks. That is a recurrent network whose state does not grow:",
  ],
  templates: {
    exhibit: "Templates and a state",
    takes:
      "It takes a query and a token from 0 to 2, one of three feature maps, and 0 or 1 for new random vectors.",
    templates: "templates",
    templatesText:
      "With elu(x) + 1 there are three features, hence three templates. Divided by its own sum, each row is a mean of the values, in which those keys count most that have much of this feature.",
    template: (number: number) => `template ${number}`,
    picks: "A query picks",
    picksText:
      "How much of each template a query takes is its feature times the template’s sum, divided by the total. These shares add up to 1, and with them the templates add up to exactly the output of linear attention.",
    asks: "Query",
    shares: "shares",
    share: "share",
    sharesTitle: (query: number) => `Shares of the templates for query ${query}`,
    tensors: {
      values: "φ(K) transposed times V, one row for each template",
      features: "sum of φ(k), one for each template",
      means: "templates, means of the values",
      shares: "shares of the templates",
      output: "output of the query",
    },
    cellOf: (row: number, column: number) => `Output ${row}, feature ${column}`,
    table: "The shares as a table",
  },
  decoding: {
    title: "Token by token",
    text: "Each call gets one token and the state of the call before. The state is the sums: blue features times values, and in the last column the sum of the features. The second table of outputs comes from one causal call for all tokens.",
    map: "φ while decoding",
    maps: { elu: "elu(x) + 1", relu: "ReLU", favor: "positive random features" },
    anew: "New random vectors for every token",
    favorText:
      "Random features only add up when all tokens use the same random vectors: they are drawn once and handed to every call. One more row keeps the scale of the exponentials; it is no feature.",
    token: (name: string) => `token ${name}`,
    position: (step: number, count: number) => `Token ${step} of ${count}`,
    feature: (number: number) => `feature ${number} of φ`,
    sumColumn: "sum of the features",
    scaleRow: "scale of the exponentials",
    added: "what is added",
    after: "state after it",
    stepwise: "token by token",
    atOnce: "all at once",
    tensors: {
      added: (token: number) => `what token ${token} adds to the state`,
      after: (token: number) => `state after token ${token}`,
      stepwise: "outputs made token by token",
      atOnce: "outputs of one causal call",
    },
    gapSmall: "largest difference between the two",
    gapLong: (tokens: number, features: number) =>
      `the same with ${tokens} random tokens of ${features} features`,
    stateSize: "numbers in the state",
    cacheSize: (tokens: number) =>
      `numbers softmax attention keeps after ${tokens === 1 ? "1 token" : `${tokens} tokens`}`,
    costTitle: "What one more token costs",
    costText: (features: number) =>
      `Softmax attention has to go through the keys and values of all tokens before. Linear attention only touches its state, so the next token costs the same after sixty-four tokens and after sixteen thousand. That price is paid from the first token on, so it only pays once there are many. Measured with ${features} features, on one thread in a worker.`,
    ways: { "decode-state": "from the state", "decode-keys": "from all keys" },
    before: "n, tokens before",
    stateNumbers: "numbers in the state",
    cacheNumbers: "keys and values kept",
    chart: "Time of one more token over the number of tokens before it",
    table: "Sizes and times as a table",
  },
  tries: [
    "Set n = 64 with d = d′ = 64. Then halve n. Which order would you take now?",
    "Measure the two orders. Where do the squares leave the line, and to which side?",
    "Give a key in “Sums for all queries” another number, and watch how often the sums were made. Then step through the queries.",
    "In “Which φ?” take positive random features and switch between the two lengths. How many random vectors does each need for a difference below 0.1?",
    "Break it: decode with random features, and draw new ones for every token.",
  ],
  questions: {
    cell: {
      text: "In the worked example without softmax, what is output 2, feature 2?",
      hint: "Query 2 is [2, 2, 2]; the second column of $KTV$ is 44, 52, 8.",
      explanation: (answer: string) => `${answer}, which is 2 × 44 + 2 × 52 + 2 × 8.`,
    },
    crossing: {
      text: "With d = 64 and d′ = 192, at how many tokens do both orders cost the same?",
      hint: "It is 2dd′ divided by d + d′.",
      explanation: (answer: string) => `${answer}, which is 24,576 ÷ 256.`,
    },
    weight: {
      text: "With elu(x) + 1, which weight does query 2 give to key 2?",
      hint: "φ of query 2 is [3, 3, 3], φ of key 2 is [5, 5, 1], and the sum of all φ(k) is [9, 11, 5].",
      explanation: (answer: string) => `${answer}: 33 of 75. Softmax gives 0.9088.`,
    },
    state: {
      text: "With elu(x) + 1 and 32 features of keys and of values, how many numbers does the state hold after 1000 tokens?",
      hint: "For every feature there is a row: 32 sums of values, and one of the feature itself.",
      explanation: (answer: string) =>
        `${answer}, which is 32 × 33. The keys and values themselves would be 64,000.`,
    },
  },
  note: [
    "The notes say that (d + d′)N² is much larger than 2d′dN, so changing the order greatly lowers the cost. That is so only for N well above 2dd′/(d + d′); at that number both are equal (the worked example is such a case: 54 and 54), and below it the new order costs more.",
    "The notes say that the result with $phi$ is almost the same as before. That depends on $phi$. elu(x) + 1 is a different function, not an approximation; in the worked example a weight of 0.91 becomes 0.44. Random features do approximate softmax, but for vectors as long as these even thousands of them are not enough.",
  ],
};
