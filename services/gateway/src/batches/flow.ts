/** Lets rows into a batch while there is room: their number and their bytes are bounded. */
export class Flow {
  readonly #rowsMax: () => number;
  readonly #bytesMax: number;
  readonly #waiting: (() => void)[] = [];
  #rows = 0;
  #bytes = 0;

  constructor(rowsMax: () => number, bytesMax: number) {
    this.#rowsMax = rowsMax;
    this.#bytesMax = bytesMax;
  }

  /** Whether `enter` would not wait. A single row may exceed the bytes. */
  hasRoom(bytes: number): boolean {
    return this.#rows === 0 || (this.#rows < this.#rowsMax() && this.#bytes + bytes <= this.#bytesMax);
  }

  /** Resolves when there is room. Only one caller may wait at a time. */
  async enter(bytes: number): Promise<void> {
    while (!this.hasRoom(bytes)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#rows += 1;
    this.#bytes += bytes;
  }

  leave(bytes: number): void {
    this.#rows -= 1;
    this.#bytes -= bytes;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
