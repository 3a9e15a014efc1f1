/** Where a batch is: rows are done out of order. */
export interface Position {
  /** The first row without an outcome. */
  nextIndex: number;
  /** Later rows with one. */
  answered: number[];
}

/** The rows of a batch that have an outcome. */
export class Place {
  #next: number;
  readonly #later: Set<number>;

  constructor({ nextIndex, answered }: Position = { nextIndex: 0, answered: [] }) {
    this.#next = nextIndex;
    this.#later = new Set(answered);
  }

  get position(): Position {
    return { nextIndex: this.#next, answered: [...this.#later].sort((one, other) => one - other) };
  }

  pass(index: number): void {
    this.#later.add(index);
    while (this.#later.delete(this.#next)) this.#next += 1;
  }
}
