/** How the state of an exhibit is written into address entries and read back. */
export interface Codec<T> {
  readonly initial: T;
  /** Every entry the exhibit uses; null for those at their initial value. */
  write(value: T): Record<string, string | null>;
  /** Throws a BadEntry when an entry makes no sense. */
  read(entry: (name: string) => string | null): T;
}

export class BadEntry extends Error {}
