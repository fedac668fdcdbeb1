/**
 * What kind of mistake a {@link QkvError} reports.
 *
 * - `"shape"`: ranks, lengths or widths that do not fit together
 * - `"argument"`: a value, option or word that the function does not take
 * - `"memory"`: WebAssembly could not get the memory that the message names
 * - `"disposed"`: a tensor was used after `dispose()`
 * - `"load"`: the WebAssembly module could not be fetched, compiled or started
 */
export type QkvErrorCode = "shape" | "argument" | "memory" | "disposed" | "load";

/**
 * Every error that qkv throws. The message is one sentence that names the sizes or the word that was
 * seen; it is the same in C++ and JavaScript. After an error the library works on, and nothing has
 * leaked.
 */
export class QkvError extends Error {
  /** The kind of mistake, for code that has to tell them apart. */
  readonly code: QkvErrorCode;

  constructor(code: QkvErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "QkvError";
    this.code = code;
  }
}

/** What an unknown thrown value has to say. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
