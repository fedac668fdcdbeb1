import { mask } from "qkv";
import { describe, expect, it } from "vitest";
import { qkv } from "./support/qkv.js";

const numbers = (tensor: { readonly data: Float32Array }) => Array.from(tensor.data);

function expectClose(got: readonly number[], want: readonly number[]) {
  expect(got).toHaveLength(want.length);
  got.forEach((value, i) => expect(Math.abs(value - want[i]!)).toBeLessThan(2e-6));
}

describe("synthesizer", () => {
  const x = [[1], [2]];
  const value = [[4], [8]];

  it("weighs by scores that are given", () => {
    // Weights 1/4 and 3/4, then 1/2 and 1/2.
    const random = [
      [0, Math.log(3)],
      [0, 0],
    ];
    const { output } = qkv.synthesizer(x, value, { random });
    expect(output.shape).toEqual([2, 1]);
    expectClose(numbers(output), [7, 6]);
  });

  it("makes scores from each token alone", () => {
    // Token 0 scores 0 and 0, token 1 scores 0 and ln 3.
    const dense = { weight1: [[1]], bias1: [-1], weight2: [[0], [Math.log(3)]], bias2: [0, 0] };
    expectClose(numbers(qkv.synthesizer(x, value, { dense }).output), [6, 7]);
  });

  it("takes factors and adds what is given", () => {
    const factorized = { left: [[1], [0]], right: [[0, Math.log(3)]] };
    expectClose(numbers(qkv.synthesizer(x, value, { factorized }).output), [7, 6]);
    const random = [
      [0, -Math.log(3)],
      [0, Math.log(3)],
    ];
    expectClose(numbers(qkv.synthesizer(x, value, { factorized, random }).output), [6, 7]);
  });

  it("masks", () => {
    const options = {
      random: [
        [0, 5],
        [0, 0],
      ],
      mask: mask.causal(),
    };
    expectClose(numbers(qkv.synthesizer(x, value, options).output), [4, 6]);
  });

  it("names what does not fit", () => {
    expect(() => qkv.synthesizer(x, value, {})).toThrow(/dense, random or factorized.*none/);
    expect(() => qkv.synthesizer(x, value, { random: [[1]] })).toThrow(/random.*2 tokens.*\[1, 1\]/);
    const factorized = { left: [[1]] } as never;
    expect(() => qkv.synthesizer(x, value, { factorized })).toThrow(/factorized\.right is needed/);
  });
});

describe("fnet", () => {
  it("transforms both axes", () => {
    expectClose(numbers(qkv.fnet([[1, 2], [3, 4]]).output), [10, -2, -4, 0]);
    const three = qkv.fnet([[1, 2], [3, 4], [5, 6]]).output;
    expect(three.shape).toEqual([3, 2]);
    expectClose(numbers(three), [21, -3, -6, 0, -6, 0]);
  });

  it("takes a row of padding for a token", () => {
    const padded = qkv.fnet([[1, 2], [3, 4], [0, 0]]).output;
    expectClose(numbers(padded), [10, -2, -0.5, -0.5, -0.5, -0.5]);
  });

  it("takes prime lengths", () => {
    const impulse = Array.from({ length: 17 }, (_, t) => [t === 0 ? 1 : 0]);
    expectClose(numbers(qkv.fnet(impulse).output), impulse.map(() => 1));
  });
});

describe("mlpMixer", () => {
  // The norm of a row [0, 2] is [-1, 1].
  const x = [
    [0, 2],
    [0, 2],
  ];
  const weights = {
    tokenWeight1: [[0.5, 0.5]],
    tokenWeight2: [[1], [0]],
    channelWeight1: [[0, 0]],
    channelWeight2: [[0], [0]],
    epsilon: 0,
  };

  it("mixes tokens with either form of GELU", () => {
    // The means over tokens are -1 and 1; token 0 receives their GELU.
    expectClose(numbers(qkv.mlpMixer(x, weights).output), [-0.158655, 2.841345, 0, 2]);
    const { output } = qkv.mlpMixer(x, { ...weights, gelu: "tanh" });
    expectClose(numbers(output), [-0.158808, 2.841192, 0, 2]);
  });

  it("mixes features and adds biases", () => {
    const { output } = qkv.mlpMixer(x, {
      ...weights,
      tokenWeight2: [[0], [0]],
      channelWeight1: [[0, 1]],
      channelWeight2: [[1], [0]],
      channelBias2: [10, 20],
    });
    expectClose(numbers(output), [10.841345, 22, 10.841345, 22]);
  });

  it("names what does not fit", () => {
    expect(() => qkv.mlpMixer(x, { ...weights, tokenWeight1: [[1]] })).toThrow(
      /tokenWeight1.*2.*\[1, 1\]/,
    );
    expect(() => qkv.mlpMixer(x, { ...weights, gelu: "relu" as never })).toThrow(
      /gelu.*"exact" or "tanh".*"relu"/,
    );
  });
});

describe("gmlp", () => {
  const x = [
    [0, 2],
    [0, 2],
  ];
  // u is 30 and v is [-1, 1] after its norm, for each token.
  const weights = {
    inWeight: [
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 5],
    ],
    inBias: [30, 30, 0, 0],
    spatialWeight: [
      [1, 2],
      [3, 4],
    ],
    spatialBias: [0, 1],
    outWeight: [
      [1, 0],
      [0, 1],
    ],
    epsilon: 0,
  };

  it("gates by a sum over tokens", () => {
    // Sums of weights times -1 and 1: 3 for token 0; 7 for token 1, and 1 is added.
    expectClose(numbers(qkv.gmlp(x, weights).output).map((value) => value / 100), [
      -0.9, 0.92, -1.8, 2.42,
    ]);
  });

  it("uses the lower triangle when causal, and of larger weights the first tokens", () => {
    const causal = { ...weights, causal: true };
    // Token 0 sees itself alone.
    expectClose(numbers(qkv.gmlp(x, causal).output).map((value) => value / 100), [
      -0.3, 0.32, -1.8, 2.42,
    ]);
    expectClose(numbers(qkv.gmlp([[0, 2]], causal).output).map((value) => value / 100), [-0.3, 0.32]);
  });

  it("names what does not fit", () => {
    expect(() => qkv.gmlp([[0, 2]], weights)).toThrow(/spatialWeight.*\[1, 1\].*\[2, 2\]/);
  });
});
