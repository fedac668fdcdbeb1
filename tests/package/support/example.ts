/** The worked example's output, as every fixture prints it: three rows of six decimals. */
export const EXAMPLE = [
  "1.936621 6.683105 1.595068",
  "1.999994 7.963992 0.053976",
  "1.999705 7.759892 0.358389",
].join("\n");
