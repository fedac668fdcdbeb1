// What the reader has set in one exhibit: kept while other chapters are visited, mirrored in the
// address, and undone step by step.
import { address } from "./address.svelte";
import { BadEntry, type Codec } from "./codec";

const UNDO_STEPS = 200;

export class ExhibitState<T> {
  readonly #codec: Codec<T>;
  #value: T = $state.raw() as T;
  #past: readonly T[] = $state.raw([]);
  #gesture: string | undefined;
  /** True while the address held something that could not be used. */
  addressRefused = $state(false);

  constructor(codec: Codec<T>) {
    this.#codec = codec;
    this.#value = codec.initial;
    this.readAddress();
  }

  get value(): T {
    return this.#value;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get isInitial(): boolean {
    return Object.values(this.#codec.write(this.#value)).every((entry) => entry === null);
  }

  /** Changes with the same `gesture`, such as the steps of a slider's drag, are undone together. */
  change(patch: Partial<T>, gesture?: string): void {
    if (gesture === undefined || gesture !== this.#gesture) {
      this.#past = [...this.#past.slice(-UNDO_STEPS), this.#value];
    }
    this.#gesture = gesture;
    this.addressRefused = false;
    this.#set({ ...this.#value, ...patch });
  }

  /** Changes what is looked at, which is nothing to undo. */
  look(patch: Partial<T>): void {
    this.#set({ ...this.#value, ...patch });
  }

  endGesture(): void {
    this.#gesture = undefined;
  }

  undo(): void {
    const previous = this.#past.at(-1);
    if (previous === undefined) return;
    this.#past = this.#past.slice(0, -1);
    this.#gesture = undefined;
    this.#set(previous);
  }

  reset(): void {
    if (!this.isInitial) this.change(this.#codec.initial);
    this.addressRefused = false;
  }

  /** On a bad entry the last good state stays. */
  readAddress(): void {
    try {
      this.#value = this.#codec.read((name) => address.get(name));
      this.addressRefused = false;
    } catch (error) {
      if (!(error instanceof BadEntry)) throw error;
      this.addressRefused = true;
    }
  }

  writeAddress(): void {
    address.write(this.#codec.write(this.#value));
  }

  #set(value: T): void {
    this.#value = value;
    this.writeAddress();
  }
}

const states = new Map<string, ExhibitState<never>>();

/** Everything as it was at the start: the way out of a state that cannot be computed. */
export function resetAll(): void {
  for (const state of states.values()) state.reset();
}

/** The one state of the exhibit with this name. */
export function exhibitState<T>(name: string, codec: Codec<T>): ExhibitState<T> {
  const known = states.get(name);
  if (known) return known as unknown as ExhibitState<T>;
  const state = new ExhibitState(codec);
  states.set(name, state as unknown as ExhibitState<never>);
  return state;
}
