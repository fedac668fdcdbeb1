// The tutorial's page. `vite build web` writes build/web, which any static host can serve, also
// under a sub-path (every address in it is relative).
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { ISOLATION_HEADERS } from "./headers.mjs";
import { writeFonts } from "./plugins/fonts.ts";
import { formulas } from "./plugins/formulas.ts";
import { offline } from "./plugins/offline.ts";
import { trainedBlocks } from "./plugins/trained-blocks.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export default defineConfig(async () => {
  const fonts = path("../build/fonts");
  await writeFonts(fonts);

  return {
    root: path("."),
    base: "./",
    plugins: [formulas(), trainedBlocks(path("../build/trained")), svelte(), offline()],
    resolve: {
      alias: [
        // The page imports the package by its name, as every user does. A package that imports
        // itself is Node's privilege, so the bundler is told where the built package lies.
        { find: /^qkv$/, replacement: path("../dist/index.js") },
        { find: "course-fonts", replacement: fonts },
      ],
    },
    // The measuring worker loads the package, which consists of modules.
    worker: { format: "es" as const },
    build: {
      outDir: path("../build/web"),
      emptyOutDir: true,
      target: ["chrome111", "firefox113", "safari16.4"],
      // Nothing as a data: address, which the page's content security policy refuses for fonts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // One style sheet, and one file of what most chapters draw with: each file costs a request, and
      // small ones compress badly.
      cssCodeSplit: false,
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [{ name: "figures", test: /\/web\/src\/(?:figures|lib|exhibits|chapters)\//, minShareCount: 9 }],
          },
        },
      },
    },
    // The built package, the fonts and the packages they come from lie above this folder.
    server: { headers: ISOLATION_HEADERS, fs: { allow: [path("..")] } },
    preview: { headers: ISOLATION_HEADERS },
  };
});
