/// <reference lib="esnext.disposable" preserve="true" />

/**
 * `Symbol.dispose`, also in engines that do not have it yet: there the key is a stand-in that nothing
 * looks up, and `dispose()` is called by hand.
 */
export const disposeSymbol: typeof Symbol.dispose = Symbol.dispose ?? Symbol("Symbol.dispose");
