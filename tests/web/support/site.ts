// Builds the page if anything changed and serves it as `npm start` does, once for all tests.
import type { TestProject } from "vitest/node";
import { buildPage } from "../../../web/build.mjs";
import { serve } from "../../../web/server.mjs";

declare module "vitest" {
  interface ProvidedContext {
    url: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildPage();
  const server = await serve({ port: 0 });
  project.provide("url", server.url);
  return () => server.close();
}
