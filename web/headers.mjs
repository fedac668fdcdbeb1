// HTTP headers of the page, in one place for the server and for Vite's development server.

// Cross-origin isolation: without it a page has no SharedArrayBuffer (so no threads) and a timer of
// 100 microseconds instead of 5.
export const ISOLATION_HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
};

// Nothing but the page's own files, no inline script or style; 'wasm-unsafe-eval' only allows
// WebAssembly to be compiled.
export const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");
