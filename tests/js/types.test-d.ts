// The types as a user meets them.
import { load, mask, QkvError } from "qkv";
import type {
  Mask,
  MaskStats,
  MultiHeadAttention,
  NestedNumbers,
  Qkv,
  QkvErrorCode,
  Tensor,
  TensorLike,
} from "qkv";
import { loadInWorker, type WorkerQkv, type WorkerTensor } from "qkv/worker";
import { describe, expectTypeOf, it } from "vitest";

declare const qkv: Qkv;
declare const remote: WorkerQkv;
declare const tensor: Tensor;
declare const flag: boolean;

describe("types", () => {
  it("of loading", () => {
    expectTypeOf(load).returns.resolves.toEqualTypeOf<Qkv>();
    expectTypeOf(loadInWorker).returns.resolves.toEqualTypeOf<WorkerQkv>();
    expectTypeOf(load).toBeCallableWith({ variant: "relaxed", threads: 2, wasm: new URL("a:b") });
    // @ts-expect-error no such variant
    void load({ variant: "mmx" });
    expectTypeOf<QkvError["code"]>().toEqualTypeOf<QkvErrorCode>();
  });

  it("of results depend on what is asked for", () => {
    expectTypeOf(qkv.attention(tensor, tensor, tensor))
      .toHaveProperty("output")
      .toEqualTypeOf<Tensor>();
    expectTypeOf(qkv.attention(tensor, tensor, tensor)).not.toHaveProperty("weights");
    const some = qkv.attention(tensor, tensor, tensor, {
      returns: { weights: true, scores: false },
    });
    expectTypeOf(some.weights).toEqualTypeOf<Tensor>();
    expectTypeOf(some).not.toHaveProperty("scores");
    expectTypeOf(some).not.toHaveProperty("logSumExp");
    const perhaps = qkv.attention(tensor, tensor, tensor, { returns: { weights: flag } });
    expectTypeOf(perhaps.weights).toEqualTypeOf<Tensor | undefined>();
    const layer = new qkv.MultiHeadAttention({ embedDim: 8, numHeads: 2 });
    expectTypeOf(layer).toExtend<MultiHeadAttention>();
    const weights = layer.forward(tensor, tensor, tensor, { returns: { weights: true } }).weights;
    expectTypeOf(weights).toEqualTypeOf<Tensor>();
  });

  it("of tensors", () => {
    expectTypeOf<number[][]>().toExtend<TensorLike>();
    expectTypeOf<Float32Array[]>().toExtend<TensorLike>();
    expectTypeOf<{ data: Float64Array; shape: number[] }>().toExtend<TensorLike>();
    expectTypeOf<string>().not.toExtend<TensorLike>();
    expectTypeOf<bigint[]>().not.toExtend<TensorLike>();
    expectTypeOf(tensor.data).toEqualTypeOf<Float32Array>();
    expectTypeOf(tensor.shape).toEqualTypeOf<readonly number[]>();
    expectTypeOf(tensor.toArray()).toEqualTypeOf<NestedNumbers>();
    expectTypeOf(tensor.toArray<number[][]>()).toEqualTypeOf<number[][]>();
    expectTypeOf(tensor[Symbol.dispose]).toEqualTypeOf<() => void>();
  });

  it("of options are closed", () => {
    // @ts-expect-error a slip of the pen
    qkv.attention(tensor, tensor, tensor, { sacle: 1 });
    // @ts-expect-error no such score
    qkv.attention(tensor, tensor, tensor, { score: "scaled" });
    // @ts-expect-error a bare matrix is no mask
    qkv.attention(tensor, tensor, tensor, { mask: [[true]] });
    // @ts-expect-error needs a size
    mask.blockLocal({});
    expectTypeOf(mask.and(mask.causal(), mask.not(mask.keep([[true]])))).toEqualTypeOf<Mask>();
    expectTypeOf(qkv.maskStats).returns.toEqualTypeOf<MaskStats>();
    qkv.attention(tensor, tensor, tensor, { mask: undefined, scale: undefined });
  });

  it("of a worker are those of promises", () => {
    expectTypeOf(remote.attention(tensor, tensor, tensor)).resolves.toHaveProperty("output");
    const some = remote.attention(tensor, tensor, tensor, { returns: { weights: true } });
    expectTypeOf(some.then(({ weights }) => weights)).resolves.toEqualTypeOf<Tensor>();
    expectTypeOf(remote.tensor).returns.resolves.toEqualTypeOf<WorkerTensor>();
    expectTypeOf(remote.position.alibiSlopes).returns.resolves.toEqualTypeOf<number[]>();
    // @ts-expect-error a tensor of a worker is not one of this side
    qkv.tensor({} as WorkerTensor);
  });
});
