// web/data/digits.json: the first thirty handwritten digits of the set that scikit-learn ships,
// three of each kind. A pixel is a number from 0 to 16, written as one letter in base 17.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { wheel, write } from "./packages.mjs";

const COUNT = 30;

await write("digits.json", (folder) => {
  const at = wheel(folder, "scikit-learn", "1.2.1");
  const table = gunzipSync(readFileSync(join(at, "sklearn/datasets/data/digits.csv.gz"))).toString();
  const images = table
    .split("\n")
    .slice(0, COUNT)
    .map((line) => line.split(",").map(Number));
  return images.map((numbers) => ({
    digit: numbers[64],
    pixels: numbers
      .slice(0, 64)
      .map((pixel) => pixel.toString(17))
      .join(""),
  }));
});
