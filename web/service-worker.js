// Keeps the whole course on the reader's device, so that it opens and computes without a network.
// plugins/offline.ts writes two constants in front of this text: FILES, the paths of the built page
// ("" is the page itself), and VERSION, a hash of their contents.

const SCOPE = new URL("./", location.href);
// Caches belong to the whole host, which may have other pages, and this course twice.
const FAMILY = `qkv course ${SCOPE.pathname} `;
const CACHE = FAMILY + VERSION;
// As many files at a time as leave the reader's own clicks the network.
const AT_ONCE = 4;
// A network that has not answered after this many milliseconds counts as none.
const PATIENCE = 3000;

// Either everything is kept or nothing is: one file that fails fails the installation.
async function fill() {
  const cache = await caches.open(CACHE);
  const waiting = [...FILES];
  const work = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const url = new URL(file, SCOPE).href;
      if (!(await cache.match(url))) await cache.put(url, await bring(file, url));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function bring(file, url) {
  // A name with a hash never means anything else, so the browser's own copy will do.
  const hashed = file.startsWith("assets/");
  const response = await fetch(url, { cache: hashed ? "default" : "no-cache" });
  if (!response.ok || response.redirected) throw new Error(`${url}: ${response.status}`);
  if (file === "") return response;
  // All headers stay as they came. These two are added where the host does not send them: should it
  // begin to, an isolated page takes no worker from a copy without them.
  const headers = new Headers(response.headers);
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  return new Response(response.body, { status: response.status, headers });
}

async function forgetOthers() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(FAMILY) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
}

async function kept(url) {
  const cache = await caches.open(CACHE);
  return cache.match(url, { ignoreVary: true });
}

// The page itself comes from the network when there is one, so that a reload shows what is new;
// whatever it then asks for is either kept here under the same hash, or new as well.
async function newest(request, url) {
  const late = new Promise((done) => setTimeout(done, PATIENCE));
  const network = fetch(request).catch(() => undefined);
  const response = await Promise.race([network, late]);
  if (response?.ok) return response;
  return (await kept(url)) ?? (await network) ?? Response.error();
}

self.addEventListener("install", (event) => event.waitUntil(fill()));

// No skipWaiting: as long as a page of the former version is open, its files stay.
self.addEventListener("activate", (event) => {
  event.waitUntil(forgetOthers().then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== SCOPE.origin) return;
  if (!url.pathname.startsWith(SCOPE.pathname)) return;
  const path = url.pathname.slice(SCOPE.pathname.length);
  const file = path === "index.html" ? "" : path;
  if (!FILES.includes(file)) return;
  const name = new URL(file, SCOPE).href;
  if (file === "") event.respondWith(newest(request, name));
  else event.respondWith(kept(name).then((response) => response ?? fetch(request)));
});
