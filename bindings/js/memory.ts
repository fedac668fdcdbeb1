// As the modules are linked (bindings/CMakeLists.txt).
const FIRST_PAGES = 2 ** 8;
const MOST_PAGES = 2 ** 16;

/** The memory that a module is started with, its own or shared with other threads. */
export function createMemory(shared: boolean): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES, shared });
}

/** Memory for several threads, or undefined where it cannot be shared, as in a page that is not isolated. */
export function sharedMemory(): WebAssembly.Memory | undefined {
  if (typeof SharedArrayBuffer !== "function") return undefined;
  try {
    return createMemory(true);
  } catch {
    return undefined; // room for all that it may grow to is set aside at once, and refused here
  }
}
