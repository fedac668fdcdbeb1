// The page's one polite live region: what a screen reader says when the focus moves in a figure.

const PAUSE = 120; // Arrow keys held down should end in one sentence, not in fifty.

class Announcer {
  sentence = $state("");
  #timer: ReturnType<typeof setTimeout> | undefined;

  say(sentence: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.sentence = sentence), PAUSE);
  }
}

export const announcer = new Announcer();
