// Whether the course is kept on this device; ../../service-worker.js does the keeping.

/** When the browser has nothing better to do. */
function idle(): Promise<void> {
  return new Promise((done) => {
    if ("requestIdleCallback" in window) requestIdleCallback(() => done(), { timeout: 10_000 });
    else setTimeout(done, 2000);
  });
}

function loaded(): Promise<void> {
  if (document.readyState === "complete") return Promise.resolve();
  return new Promise((done) => addEventListener("load", () => done(), { once: true }));
}

class Offline {
  /** All files are here. */
  ready = $state(false);
  #begun = false;

  /** Once what the reader looks at is there, and never before it. */
  async start(): Promise<void> {
    // The development server has no list of files.
    if (this.#begun || !import.meta.env.PROD || !("serviceWorker" in navigator)) return;
    this.#begun = true;
    await loaded();
    await idle();
    try {
      await navigator.serviceWorker.register("./service-worker.js");
      // A worker is active only after it has stored every file.
      await navigator.serviceWorker.ready;
      this.ready = true;
    } catch {
      // Not allowed here, or the network went away: the page works as any other does.
    }
  }
}

export const offline = new Offline();
