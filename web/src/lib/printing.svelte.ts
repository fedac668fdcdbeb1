// Whether the page is on its way to paper: what is folded away on the screen is unfolded then, and
// pictures are drawn in the light colours.
import { flushSync } from "svelte";

const paper = matchMedia("print");

class Printing {
  now = $state(paper.matches);

  constructor() {
    paper.addEventListener("change", () => this.#set(paper.matches));
    addEventListener("beforeprint", () => this.#set(true));
    addEventListener("afterprint", () => this.#set(false));
  }

  // At once: the browser does not wait before it lays the paper out.
  #set(now: boolean): void {
    flushSync(() => (this.now = now));
  }
}

export const printing = new Printing();
