// Whether a page goes on at its frame rate while a worker attends: frames a second, and the longest
// time without one.
export const names = ["worker"];

export async function measure({ chosen, opener, quick, say }) {
  if (!chosen.some(({ name }) => name.startsWith("qkv wasm"))) return { results: [], ratios: [] };
  say("frames beside a worker");
  const page = await opener.browser.page();
  const { idle, busy, ms } = await page.evaluate(
    ([module, heads]) => import(module).then(({ frames }) => frames(heads)),
    ["/tests/bench/page/frames.mjs", quick ? 1 : 4],
  );
  await page.context().close();
  const line = { shape: "worker", contender: "qkv wasm relaxed, Chromium", threads: 1 };
  return {
    results: [
      { ...line, firstMs: ms, medianMs: ms, spread: null, gflops: null, frames: { idle, busy } },
    ],
    ratios: [
      {
        name: "frames a second while a worker attends 8192 tokens",
        value: busy.perSecond,
        reach: 59,
        dream: 60,
        higherIsBetter: true,
      },
      {
        name: "ms of the longest frame meanwhile",
        value: busy.longestMs,
        reach: null,
        dream: null,
        higherIsBetter: false,
      },
    ],
  };
}
