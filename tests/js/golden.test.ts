// Numbers that independent implementations made; the C++ tests read the same files.
import type {
  AttentionOptions,
  Mask,
  MaskSizes,
  MultiHeadAttentionConfig,
  PositionalEncodingConfig,
  StateDict,
  Tensor,
  TensorLike,
  TrainingOptions,
} from "qkv";
import { describe, expect, it } from "vitest";
import { expectClose } from "./support/compare.js";
import { readGolden, type GoldenCase } from "./support/golden.js";
import { qkv } from "./support/qkv.js";

type Results = Readonly<Record<string, Tensor | number>>;

function run(one: GoldenCase): Results {
  const { operation, arguments: args, options } = one;
  switch (operation) {
    case "attention": {
      const [query, key, value] = args as TensorLike[];
      return qkv.attention(query, key, value, options as AttentionOptions) as unknown as Results;
    }
    case "maskMatrix":
      return { output: qkv.maskMatrix(args[0] as Mask, options as MaskSizes) };
    case "maskStats":
      return qkv.maskStats(args[0] as Mask, options as MaskSizes) as unknown as Results;
    case "MultiHeadAttention.create":
      return new qkv.MultiHeadAttention(args[0] as MultiHeadAttentionConfig).stateDict();
    case "MultiHeadAttention.load":
      return loaded(args).stateDict();
    case "MultiHeadAttention.forward": {
      const [query, key, value] = args.slice(2) as TensorLike[];
      const results = loaded(args).forward(query, key, value, options as AttentionOptions);
      return results as unknown as Results;
    }
    case "PositionalEncoding.create":
      return { table: new qkv.PositionalEncoding(args[0] as PositionalEncodingConfig).table };
    case "PositionalEncoding.forward": {
      const [config, table, x] = args as [PositionalEncodingConfig, Tensor, TensorLike];
      const layer = new qkv.PositionalEncoding(config);
      if (one.expected !== undefined) expectClose(layer.table, table);
      return { output: layer.forward(x, options as TrainingOptions) };
    }
    case "position.alibiSlopes": {
      const data = qkv.position.alibiSlopes(args[0] as number);
      return { output: { shape: [data.length], data } as unknown as Tensor };
    }
    default: {
      const name = operation.replace("position.", "") as keyof typeof qkv.position;
      const call = qkv.position[name] as (...args: unknown[]) => Tensor;
      return { output: call(...args, options) };
    }
  }
}

function loaded(args: readonly unknown[]) {
  const layer = new qkv.MultiHeadAttention(args[0] as MultiHeadAttentionConfig);
  layer.loadStateDict(args[1] as StateDict);
  return layer;
}

describe.each(["worked_example", "attention", "conventions", "masks", "positions", "multihead"])(
  "%s",
  (file) => {
    it.each(readGolden(file).map((one) => [one.name, one] as const))("%s", (_, one) => {
      if (one.error !== undefined) {
        let seen: unknown;
        try {
          run(one);
        } catch (error) {
          seen = error;
        }
        expect(seen).toMatchObject({ name: "QkvError", code: one.error.code });
        for (const word of one.error.mentions) expect((seen as Error).message).toContain(word);
        return;
      }
      const results = run(one);
      for (const [name, want] of Object.entries(one.expected ?? {})) {
        const got = results[name];
        if (typeof want === "number") {
          expectClose(
            { shape: [], data: [got as number] },
            { shape: [], data: [want] },
            one.tolerance,
          );
        } else {
          expectClose(got as Tensor, want, one.tolerance, name);
        }
      }
    });
  },
);
