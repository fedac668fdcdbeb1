// What makes the built page an app that opens without a network: the service worker with the list of
// everything that was built, and a manifest for each language.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { course as en } from "../src/messages/en/course.ts";
import { course as zhHans } from "../src/messages/zh-Hans/course.ts";
import { course as zhHant } from "../src/messages/zh-Hant/course.ts";

const SOURCE = fileURLToPath(new URL("../service-worker.js", import.meta.url));
const WORKER = "service-worker.js";

const LANGUAGES = { en, "zh-Hans": zhHans, "zh-Hant": zhHant };

function manifest(language: keyof typeof LANGUAGES): string {
  const { title, description } = LANGUAGES[language];
  return JSON.stringify({
    // One app, in whichever language it was installed.
    id: "./",
    scope: "./",
    start_url: `./?lang=${language}`,
    lang: language,
    name: title,
    short_name: "qkv",
    description,
    categories: ["education"],
    display: "standalone",
    background_color: "#faf9f6",
    icons: [
      { src: "./icon.svg", type: "image/svg+xml", sizes: "any", purpose: "any" },
      { src: "./icon-maskable.svg", type: "image/svg+xml", sizes: "any", purpose: "maskable" },
    ],
  });
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((file) => file !== WORKER)
    .sort();
}

export function offline(): Plugin {
  return {
    name: "offline",
    apply: "build",
    generateBundle() {
      for (const language of Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[]) {
        const fileName = `${language}.webmanifest`;
        this.emitFile({ type: "asset", fileName, source: manifest(language) });
      }
    },
    // When all is written, also what was only copied.
    writeBundle: {
      order: "post",
      sequential: true,
      handler({ dir }) {
        const files = filesUnder(dir!);
        const hash = createHash("sha256");
        for (const file of files) {
          hash.update(file).update("\0").update(readFileSync(join(dir!, file))).update("\0");
        }
        const version = hash.digest("hex").slice(0, 16);
        const paths = files.map((file) => (file === "index.html" ? "" : file));
        const constants = [
          `const VERSION = ${JSON.stringify(version)};`,
          `const FILES = ${JSON.stringify(paths)};`,
        ];
        writeFileSync(join(dir!, WORKER), [...constants, readFileSync(SOURCE, "utf8")].join("\n"));
      },
    },
  };
}
