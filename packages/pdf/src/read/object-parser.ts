import { malformed, tooComplex } from '../pdf-error.ts';
import { BOUNDS, type Costs } from './bounds.ts';
import { isKeywordAt, isRegular, readDigits, skipSpace } from './characters.ts';
import { readHexString, readLiteralString, readName } from './strings.ts';
import { Dict, Name, PdfString, type PdfValue, Ref, Stream } from './values.ts';

/** Returns the number of bytes in a stream, resolving a reference. */
export type LengthOf = (value: PdfValue) => number | undefined;

const CLOSE_ARRAY = 0x5d;
/** Number of digits that a JavaScript number represents exactly. */
export const INTEGER_DIGITS_MAX = 15;

/** Reads values of PDF syntax from `position` on (ISO 32000-2, 7.3). Throws INVALID_FILE_FORMAT. */
export class ObjectParser {
  position: number;
  readonly #source: Buffer;
  readonly #costs: Costs;

  constructor(source: Buffer, position: number, costs: Costs) {
    this.#source = source;
    this.position = position;
    this.#costs = costs;
  }

  value(): PdfValue {
    const from = this.position;
    try {
      return this.#value(0);
    } finally {
      this.#costs.read(this.position - from);
    }
  }

  #value(depth: number): PdfValue {
    if (++this.#costs.values > BOUNDS.valuesMax) throw tooComplex(`more than ${BOUNDS.valuesMax} values`);
    if (depth > BOUNDS.depthMax) throw tooComplex(`values nested more than ${BOUNDS.depthMax} deep`);
    const source = this.#source;
    this.position = skipSpace(source, this.position);
    const start = this.position;
    switch (source[start]) {
      case 0x2f: {
        const { value, end } = readName(source, start);
        this.position = end;
        return new Name(value);
      }
      case 0x28: {
        // An unterminated value has been searched up to here.
        this.position = source.length;
        const { value, end } = readLiteralString(source, start);
        this.position = end;
        return new PdfString(value, false);
      }
      case 0x3c: {
        if (source[start + 1] === 0x3c) return this.#dict(depth);
        this.position = source.length;
        const { value, end } = readHexString(source, start);
        this.position = end;
        return new PdfString(value, true);
      }
      case 0x5b:
        return this.#array(depth);
      default:
        return this.#numberOrKeyword();
    }
  }

  /** Reads a dictionary, or the stream that follows it. */
  valueOrStream(lengthOf: LengthOf): PdfValue {
    const value = this.value();
    if (!(value instanceof Dict)) return value;
    const source = this.#source;
    const at = skipSpace(source, this.position);
    if (source.toString('latin1', at, at + 6) !== 'stream') return value;
    let start = at + 6;
    if (source[start] === 13) start++;
    if (source[start] === 10) start++;
    const length = lengthOf(value.get('Length'));
    if (length !== undefined && length >= 0 && start + length <= source.length) {
      const end = start + length;
      const close = skipSpace(source, end);
      this.#costs.read(close - start);
      if (source.toString('latin1', close, close + 9) === 'endstream') {
        this.position = close + 9;
        return new Stream(value, start, end);
      }
    }
    return this.#streamUpToKeyword(value, start);
  }

  /** Handles a wrong /Length, which some writers produce: the data end at the keyword. */
  #streamUpToKeyword(dict: Dict, start: number): Stream {
    const source = this.#source;
    let end = source.indexOf('endstream', start, 'latin1');
    if (end === -1) throw malformed(`a stream that begins at byte ${start} does not end`);
    this.#costs.read(end - start);
    this.position = end + 9;
    if (end > start && source[end - 1] === 10) end--;
    if (end > start && source[end - 1] === 13) end--;
    return new Stream(dict, start, end);
  }

  #array(depth: number): PdfValue[] {
    const items: PdfValue[] = [];
    this.position++;
    for (;;) {
      this.position = skipSpace(this.#source, this.position);
      if (this.#source[this.position] === CLOSE_ARRAY) break;
      items.push(this.#value(depth + 1));
    }
    this.position++;
    return items;
  }

  #dict(depth: number): Dict {
    const source = this.#source;
    const dict = new Dict(source, this.position);
    this.position += 2;
    for (;;) {
      this.position = skipSpace(source, this.position);
      if (source[this.position] === 0x3e && source[this.position + 1] === 0x3e) break;
      if (source[this.position] !== 0x2f) throw malformed(`a key is expected at byte ${this.position}`);
      const key = readName(source, this.position);
      this.position = skipSpace(source, key.end);
      const start = this.position;
      const value = this.#value(depth + 1);
      if (dict.entries.has(key.value)) dict.repeatedKeys.push(key.value);
      dict.entries.set(key.value, { value, start, end: this.position });
    }
    this.position += 2;
    dict.end = this.position;
    return dict;
  }

  #numberOrKeyword(): PdfValue {
    const source = this.#source;
    const start = this.position;
    const digits = readDigits(source, start, INTEGER_DIGITS_MAX);
    if (digits && !isRegular(source[digits.end])) {
      this.position = digits.end;
      return this.#reference(digits.value) ?? digits.value;
    }
    let end = start;
    while (isRegular(source[end])) end++;
    const word = source.toString('latin1', start, Math.min(end, start + 64));
    this.position = end;
    if (word === 'true') return true;
    if (word === 'false') return false;
    if (word === 'null') return null;
    // Files contain `--5` and `5-3`, which are read as -5 and 5.
    const number = /^[+-]*(\d+\.?\d*|\.\d+)/.exec(word);
    if (!number) throw malformed(`a value is expected at byte ${start}`);
    return word.startsWith('-') ? -Number(number[1]) : Number(number[1]);
  }

  /** Reads `G R` after an object number. */
  #reference(num: number): Ref | undefined {
    const source = this.#source;
    const gen = readDigits(source, skipSpace(source, this.position), 6);
    if (!gen) return undefined;
    const keyword = skipSpace(source, gen.end);
    if (!isKeywordAt(source, 'R', keyword)) return undefined;
    this.position = keyword + 1;
    return new Ref(num, gen.value);
  }
}
