import { isRegular, isSpace, skipSpace } from '../read/characters.ts';
import { readHexString, readLiteralString, readName } from '../read/strings.ts';

export type Operand = number | string | Buffer | Operand[];

/** An operator with its operands: numbers, names as text, strings as bytes, arrays. */
export interface Operation {
  operator: string;
  operands: Operand[];
  /** Whether a number, a string or an array is written so that readers differ in it. */
  isLoose: boolean;
}

const OPERANDS_MAX = 40;
const ITEMS_MAX = 20_000;
const OPERATOR_CHARS_MAX = 20;
const HEX = /^<[\da-fA-F\t\n\f\r ]*>$/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** The end of the inline image data that begins at `start` (ISO 32000-2, 8.9.7). */
function endOfInlineImage(source: Buffer, start: number): number {
  for (
    let at = source.indexOf('EI', start, 'latin1');
    at !== -1;
    at = source.indexOf('EI', at + 2, 'latin1')
  ) {
    if (isSpace(source[at - 1]) && !isRegular(source[at + 2])) return at + 2;
  }
  return source.length;
}

/** Reads a content stream (ISO 32000-2, 7.8.2). Skips dictionaries. Throws INVALID_FILE_FORMAT. */
export class ContentReader {
  readonly #source: Buffer;
  #at = 0;
  #isLoose = false;
  #isMixed = false;

  constructor(source: Buffer) {
    this.#source = source;
  }

  /** The next operation; undefined at the end. */
  next(): Operation | undefined {
    const operands: Operand[] = [];
    this.#isLoose = false;
    this.#isMixed = false;
    const source = this.#source;
    for (;;) {
      this.#at = skipSpace(source, this.#at);
      if (this.#at >= source.length) return undefined;
      const operand = this.#operand();
      if (operand !== undefined) {
        if (operands.length < OPERANDS_MAX) operands.push(operand);
        continue;
      }
      const operator = this.#word();
      if (operator === 'ID') this.#at = endOfInlineImage(source, this.#at);
      // MuPDF drops an array of text that has anything else.
      const isLoose = this.#isLoose || (operator === 'TJ' && this.#isMixed);
      if (operator !== '') return { operator, operands, isLoose };
    }
  }

  /** Undefined at an operator. */
  #operand(): Operand | undefined {
    const source = this.#source;
    const byte = source[this.#at] ?? 0;
    if (byte === 0x28) return this.#taken(readLiteralString(source, this.#at));
    if (byte === 0x2f) return this.#taken(readName(source, this.#at));
    if (byte === 0x3c && source[this.#at + 1] !== 0x3c) {
      const found = readHexString(source, this.#at);
      if (!HEX.test(source.toString('latin1', this.#at, found.end))) this.#isLoose = true;
      return this.#taken(found);
    }
    if (byte === 0x5b) return this.#array();
    if ((byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e) {
      const start = this.#at;
      const word = this.#word();
      if (!NUMBER.test(word) || this.#at - start > OPERATOR_CHARS_MAX) this.#isLoose = true;
      return Number.parseFloat(word) || 0;
    }
    return undefined;
  }

  #taken<T>({ value, end }: { value: T; end: number }): T {
    this.#at = end;
    return value;
  }

  #array(): Operand[] {
    const items: Operand[] = [];
    this.#at++;
    for (;;) {
      this.#at = skipSpace(this.#source, this.#at);
      const byte = this.#source[this.#at];
      if (byte === undefined) return items;
      if (byte === 0x5d) {
        this.#at++;
        return items;
      }
      const item = byte === 0x5b ? undefined : this.#operand();
      if (item === undefined || typeof item === 'string') this.#isMixed = true;
      if (item === undefined) this.#word();
      else if (items.length < ITEMS_MAX) items.push(item);
    }
  }

  /** Reads up to the next delimiter, or the delimiter itself. */
  #word(): string {
    const source = this.#source;
    const start = this.#at;
    let end = start;
    while (isRegular(source[end])) end++;
    this.#at = Math.max(end, start + 1);
    return end > start ? source.toString('latin1', start, Math.min(end, start + OPERATOR_CHARS_MAX)) : '';
  }
}
