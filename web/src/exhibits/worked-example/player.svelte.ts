// Which cell is looked at, and the play button: follows the first query through all steps.
import { onDestroy } from "svelte";
import type { Spot } from "./compute";
import { STEPS, type Step } from "./state";

const BEAT = 1500; // milliseconds for one cell

interface Walk {
  readonly step: () => Step;
  /** Columns of the current step's result. */
  readonly columns: () => number;
  readonly show: (step: Step) => void;
}

// Shown first: a cell with more to see than zeros.
const START: Spot = { row: 0, column: 1, key: 1 };

export class Player {
  spot = $state.raw<Spot>(START);
  playing = $state(false);
  readonly #walk: Walk;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Called while a component starts: stops with it. */
  constructor(walk: Walk) {
    this.#walk = walk;
    onDestroy(() => this.pause());
  }

  point(spot: Spot): void {
    this.pause();
    this.spot = spot;
  }

  play(): void {
    if (this.#walk.step() === STEPS.at(-1)) this.#walk.show(STEPS[0]);
    this.spot = { ...START, column: 0 };
    this.playing = true;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#advance(), BEAT);
  }

  pause(): void {
    clearInterval(this.#timer);
    this.playing = false;
  }

  #advance(): void {
    const { column } = this.spot;
    if (column + 1 < this.#walk.columns()) {
      this.spot = { ...this.spot, column: column + 1 };
      return;
    }
    const next = STEPS[STEPS.indexOf(this.#walk.step()) + 1];
    if (!next) {
      this.pause();
      return;
    }
    this.spot = { ...this.spot, column: 0 };
    this.#walk.show(next);
  }
}
