// A static server for the built page, with the headers that threads and the page's security policy
// need. Any other static host does as well; without the headers the page runs on one thread.
//
//   node web/server.mjs [--port 8080] [--host 127.0.0.1] [--folder build/web]
import { createReadStream } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs, promisify } from "node:util";
import { constants, brotliCompress, gzip } from "node:zlib";
import { CONTENT_SECURITY_POLICY, ISOLATION_HEADERS } from "./headers.mjs";

export const BUILT_PAGE = fileURLToPath(new URL("../build/web", import.meta.url));
export const DEFAULT_PORT = 8080;
const PORTS_TO_TRY = 20;

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
  ".png": "image/png",
};

export const COMPRESSIBLE = new Set([".html", ".js", ".mjs", ".css", ".json", ".svg", ".txt", ".wasm"]);
const HASHED = /[/\\]assets[/\\][^/\\]+-[\w-]{8}\.\w+$/;
const COMMON_HEADERS = {
  ...ISOLATION_HEADERS,
  "Content-Security-Policy": CONTENT_SECURITY_POLICY,
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

const brotli = promisify(brotliCompress);

// What each coding is called, and the extension of files that were compressed beforehand.
const CODINGS = [
  {
    name: "br",
    extension: ".br",
    compress: (bytes) => brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  },
  { name: "gzip", extension: ".gz", compress: (bytes) => promisify(gzip)(bytes, { level: 9 }) },
];

// The file a request means, or null. Nothing outside of the folder is ever found, by whatever
// spelling: the path is compared after decoding and after following links.
async function find(folder, pathname) {
  let path;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    return null;
  }
  if (path.includes("\0") || path.includes("\\")) return null;
  const wanted = resolve(folder, `.${path}`);
  try {
    const real = await realpath(wanted.endsWith(sep) ? wanted.slice(0, -1) : wanted);
    if (real !== folder && !real.startsWith(folder + sep)) return null;
    const info = await stat(real);
    if (!info.isDirectory()) return path.endsWith("/") ? null : { path: real, info };
    if (!path.endsWith("/")) return null;
    const index = join(real, "index.html");
    return { path: index, info: await stat(index) };
  } catch {
    return null;
  }
}

function notFound(response, head) {
  const body =
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Not found</title>' +
    '<h1>There is no such page</h1><p><a href="/">To the tutorial</a></p></html>';
  response.writeHead(404, {
    ...COMMON_HEADERS,
    "Content-Type": TYPES[".html"],
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-cache",
  });
  response.end(head ? undefined : body);
}

function createHandler(folder) {
  const compressed = new Map(); // by path: what is served often is compressed once

  async function encoded({ path, info }, { extension, compress }) {
    const key = path + extension;
    const known = compressed.get(key);
    if (known?.changed === info.mtimeMs) return known.body;
    const body = await compressedBefore(key, info).catch(async () => compress(await readFile(path)));
    compressed.set(key, { changed: info.mtimeMs, body });
    return body;
  }

  // By the build, which takes its time; refused when the file has changed since.
  async function compressedBefore(path, info) {
    const { mtimeMs } = await stat(path);
    if (mtimeMs < info.mtimeMs) throw new Error("older than its file");
    return readFile(path);
  }

  return async function handle(request, response) {
    const head = request.method === "HEAD";
    if (!head && request.method !== "GET") {
      response.writeHead(405, { ...COMMON_HEADERS, Allow: "GET, HEAD" }).end();
      return;
    }
    const pathname = /^[^?#]*/.exec(request.url)[0];
    const file = pathname.startsWith("/") ? await find(folder, pathname) : null;
    if (!file) {
      notFound(response, head);
      return;
    }
    const extension = extname(file.path);
    const etag = `"${file.info.size.toString(36)}-${Math.round(file.info.mtimeMs).toString(36)}"`;
    const headers = {
      ...COMMON_HEADERS,
      "Content-Type": TYPES[extension] ?? "application/octet-stream",
      "Cache-Control": HASHED.test(file.path) ? "public, max-age=31536000, immutable" : "no-cache",
      ETag: etag,
      ...(COMPRESSIBLE.has(extension) ? { Vary: "Accept-Encoding" } : {}),
    };
    if (request.headers["if-none-match"] === etag) {
      response.writeHead(304, headers).end();
      return;
    }
    const accepts = String(request.headers["accept-encoding"] ?? "");
    const coding = CODINGS.find(({ name }) => new RegExp(`\\b${name}\\b`).test(accepts));
    if (COMPRESSIBLE.has(extension) && coding) {
      const body = await encoded(file, coding);
      response.writeHead(200, {
        ...headers,
        "Content-Encoding": coding.name,
        "Content-Length": body.length,
      });
      response.end(head ? undefined : body);
      return;
    }
    response.writeHead(200, { ...headers, "Content-Length": file.info.size });
    if (head) response.end();
    else
      createReadStream(file.path)
        .on("error", () => response.destroy())
        .pipe(response);
  };
}

function listen(server, port, host) {
  return new Promise((done, failed) => {
    server.once("error", failed);
    server.listen(port, host, () => {
      server.off("error", failed);
      done(server.address().port);
    });
  });
}

// Serves `folder`; if the port is taken, on the next free one (port 0: any free one).
export async function serve({ folder = BUILT_PAGE, port = DEFAULT_PORT, host = "127.0.0.1" } = {}) {
  const handle = createHandler(await realpath(folder));
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  let taken = port;
  for (let tries = PORTS_TO_TRY; ; tries -= 1) {
    try {
      const bound = await listen(server, taken, host);
      const name = host.includes(":") ? `[${host}]` : host;
      return {
        url: `http://${name}:${bound}/`,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      };
    } catch (error) {
      if (error.code !== "EADDRINUSE" || port === 0 || tries <= 1) throw error;
      taken += 1;
    }
  }
}

// A port as it was typed; throws a sentence when it is none.
export function portOf(text) {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) throw new Error(`"${text}" is not a port (0 to 65535).`);
  return port;
}

async function main() {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: String(DEFAULT_PORT) },
      host: { type: "string", default: "127.0.0.1" },
      folder: { type: "string", default: BUILT_PAGE },
    },
  });
  const { url } = await serve({ ...values, port: portOf(values.port) });
  console.log(url);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
