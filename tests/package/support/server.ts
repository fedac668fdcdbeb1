// A static server as any host's: no headers but the type, and those that a test asks for.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".wasm": "application/wasm",
};

export interface Server {
  readonly url: string;
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly headers?: Record<string, string>;
  /** Paths that are answered by index.html, as servers of single-page applications do. */
  readonly application?: RegExp;
}

export async function serve(
  folder: string,
  { headers = {}, application }: ServerOptions = {},
): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://host");
    const name = pathname === "/" || application?.test(pathname) ? "/index.html" : pathname;
    readFile(join(folder, decodeURIComponent(name))).then(
      (body) => {
        const type = TYPES[extname(name)] ?? "application/octet-stream";
        response.writeHead(200, { ...headers, "content-type": type }).end(body);
      },
      () => response.writeHead(404, headers).end(),
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
