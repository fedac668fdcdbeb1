import type { AttentionOptions } from "./options.js";
import { seen, Unusable } from "./seen.js";
import type { TensorLike } from "./tensor-like.js";

/** Arguments of attention as the core takes them, and where its output goes. */
export interface AttentionArguments {
  readonly args: readonly unknown[];
  readonly out: Float32Array | undefined;
}

/** The core is told how long `out` is; the elements are copied there afterwards. */
export function attentionArguments(
  query: TensorLike,
  key: TensorLike,
  value: TensorLike,
  options: AttentionOptions | undefined,
): AttentionArguments {
  const out: unknown = options?.out ?? undefined;
  if (out === undefined) return { args: [query, key, value, options], out };
  const usable = out instanceof Float32Array;
  const described = { ...options, out: usable ? out.length : new Unusable(seen(out)) };
  return { args: [query, key, value, described], out: usable ? out : undefined };
}
