// The real word vectors, fetched when a figure first needs them.
import { WordVectors } from "./word-vectors";

class Loading {
  vectors = $state.raw<WordVectors | null>(null);
  failed = $state(false);
  #started = false;

  async load(): Promise<void> {
    if (this.#started) return;
    this.#started = true;
    try {
      const { default: file } = await import("../../data/glove.json");
      this.vectors = new WordVectors(file);
    } catch {
      this.failed = true;
    }
  }
}

export const wordVectors = new Loading();
