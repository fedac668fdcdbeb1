// The page's state in its address: ?lang=…&chapter=…, and a short entry for whatever was changed in
// an exhibit. A copied link shows what its sender saw.

const WRITE_DELAY = 250; // Safari refuses more than 100 changes of the address in 30 seconds.

class Address {
  #entries = $state.raw(new URLSearchParams(location.search));
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Grows with each step back or forward, so that exhibits know to read their entries again. */
  travelled = $state(0);

  constructor() {
    addEventListener("popstate", () => {
      clearTimeout(this.#timer);
      this.#entries = new URLSearchParams(location.search);
      this.travelled += 1;
    });
    addEventListener("pagehide", () => this.#flush());
  }

  get(name: string): string | null {
    return this.#entries.get(name);
  }

  /** Sets entries (null removes one) without a new step in the history. */
  write(changes: Record<string, string | null>): void {
    const next = new URLSearchParams(this.#entries);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) next.delete(name);
      else next.set(name, value);
    }
    if (next.toString() === this.#entries.toString()) return;
    this.#entries = next;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#flush(), WRITE_DELAY);
  }

  /** Where a link to a chapter leads: the language stays, the entries of other exhibits go. */
  hrefOf(chapter: string): string {
    const target = new URLSearchParams();
    const language = this.get("lang");
    if (language) target.set("lang", language);
    target.set("chapter", chapter);
    return `?${target}`;
  }

  visit(href: string): void {
    this.#flush();
    history.pushState(null, "", href);
    this.#entries = new URLSearchParams(location.search);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    const query = this.#readable();
    const target = `${location.pathname}${query ? `?${query}` : ""}${location.hash}`;
    if (target !== location.pathname + location.search + location.hash) {
      history.replaceState(history.state, "", target);
    }
  }

  // Commas and semicolons separate the cells and rows of a matrix. They are allowed in a query, and
  // a link is easier to read with them than with %2C and %3B.
  #readable(): string {
    return this.#entries.toString().replaceAll("%2C", ",").replaceAll("%3B", ";");
  }
}

export const address = new Address();
