/** Deterministic random choices; the same seed gives the same choices. */
export class Choices {
  #state: number;

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) >>> 0;
  }

  /** An integer from 0 up to `below`. */
  upTo(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  of<T>(items: readonly T[]): T {
    const item = items[this.upTo(items.length)];
    if (item === undefined) throw new Error('no items to choose from');
    return item;
  }

  some<T>(items: readonly T[]): T[] {
    return items.filter(() => this.upTo(2) === 0);
  }

  /** Letters and digits that need no escapes, with blanks between them. */
  text(lengthMax: number): string {
    const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,-';
    return Array.from({ length: 1 + this.upTo(lengthMax) }, () => this.of([...letters])).join('');
  }

  /** A rectangle of at most this size within the box, in PDF syntax. */
  rectangle([left, bottom, right, top]: readonly [number, number, number, number], sizeMax: number): string {
    const [width, height] = [2 + this.upTo(sizeMax - 2), 2 + this.upTo(sizeMax - 2)];
    const x = left + this.upTo(Math.max(1, right - left - width));
    const y = bottom + this.upTo(Math.max(1, top - bottom - height));
    return `[${x} ${y} ${x + width} ${y + height}]`;
  }
}

/** A key that is not in any standard. */
export const unknownKey = (choices: Choices): string => `X${choices.text(6).replace(/[^A-Za-z0-9]/g, 'x')}`;
