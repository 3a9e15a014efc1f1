/** Lets rows into a batch while there is room: their number and their bytes are bounded. */
export class Flow {
  readonly #rowsMax: () => number;
  readonly #bytesMax: number;
  readonly #onBytes: (bytes: number) => void;
  readonly #waiting: (() => void)[] = [];
  #rows = 0;
  #bytes = 0;

  /** `onBytes` gets the bytes of all rows in the batch after each change. */
  constructor(rowsMax: () => number, bytesMax: number, onBytes: (bytes: number) => void) {
    this.#onBytes = onBytes;
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
    this.#onBytes(this.#bytes);
  }

  leave(bytes: number): void {
    this.#rows -= 1;
    this.#bytes -= bytes;
    this.#onBytes(this.#bytes);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
