// Plays through the steps of an exhibit, one after the other, and stops at the last.
import { onDestroy } from "svelte";

const BEAT = 1500; // milliseconds for one step

interface Walk {
  readonly count: number;
  readonly current: () => number;
  readonly show: (step: number) => void;
}

export class Walker {
  playing = $state(false);
  readonly #walk: Walk;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Called while a component starts: stops with it. */
  constructor(walk: Walk) {
    this.#walk = walk;
    onDestroy(() => this.pause());
  }

  play(): void {
    const { count, current, show } = this.#walk;
    this.pause();
    if (current() === count - 1) show(0);
    this.playing = true;
    this.#timer = setInterval(() => {
      if (current() === count - 1) this.pause();
      else show(current() + 1);
    }, BEAT);
  }

  pause(): void {
    clearInterval(this.#timer);
    this.playing = false;
  }
}
