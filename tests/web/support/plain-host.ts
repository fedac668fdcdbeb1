// A host that knows nothing of the page: a folder below a path of its own, types, and no other headers.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize, sep } from "node:path";

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
  ".png": "image/png",
};

export interface PlainHost {
  readonly url: string;
  readonly close: () => Promise<void>;
}

export async function plainHost(folder: string, path = "/some/where/"): Promise<PlainHost> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, "http://host");
    const below = pathname.startsWith(path) ? normalize(pathname.slice(path.length)) : "..";
    const file = join(folder, below === "." || below === sep ? "index.html" : below);
    void (below.startsWith("..") ? Promise.reject(new Error("outside")) : readFile(file)).then(
      (body) => {
        const type = TYPES[extname(file)] ?? "application/octet-stream";
        response.writeHead(200, { "Content-Type": type }).end(body);
      },
      () => response.writeHead(404, { "Content-Type": "text/html" }).end("<h1>Not found</h1>"),
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

