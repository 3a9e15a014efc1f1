import { malformed, tooComplex } from '../pdf-error.ts';
import { BOUNDS, type Costs } from './bounds.ts';
import { isKeywordAt, isRegular, readDigits, skipSpace } from './characters.ts';
import { readHexString, readLiteralString, readName } from './strings.ts';
import { type Decipher, Dict, isName, Name, PdfString, type PdfValue, Ref, Stream } from './values.ts';

/** Returns the number of bytes in a stream, resolving a reference. */
export type LengthOf = (value: PdfValue) => number | undefined;

/** A string in the parsed source, from its first bracket to its end. */
export interface FoundString {
  value: PdfString;
  start: number;
  end: number;
}

export interface ParserOptions {
  /** Decrypts strings. */
  decipher?: Decipher | undefined;
  /** Receives the strings that encryption applies to, in their order. */
  strings?: FoundString[];
}

const CLOSE_ARRAY = 0x5d;
/** Number of digits that a JavaScript number represents exactly. */
export const INTEGER_DIGITS_MAX = 15;

/** Reads values of PDF syntax from `position` on (ISO 32000-2, 7.3). Throws INVALID_FILE_FORMAT. */
export class ObjectParser {
  position: number;
  readonly #source: Buffer;
  readonly #costs: Costs;
  readonly #decipher: Decipher | undefined;
  readonly #strings: FoundString[] | undefined;

  constructor(source: Buffer, position: number, costs: Costs, { decipher, strings }: ParserOptions = {}) {
    this.#source = source;
    this.position = position;
    this.#costs = costs;
    this.#decipher = decipher;
    this.#strings = strings;
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
        return this.#string(value, false, start, end);
      }
      case 0x3c: {
        if (source[start + 1] === 0x3c) return this.#dict(depth);
        this.position = source.length;
        const { value, end } = readHexString(source, start);
        return this.#string(value, true, start, end);
      }
      case 0x5b:
        return this.#array(depth);
      default:
        return this.#numberOrKeyword();
    }
  }

  #string(stored: Buffer, isHex: boolean, start: number, end: number): PdfString {
    this.position = end;
    const value = new PdfString(stored, isHex, this.#decipher);
    this.#strings?.push({ value, start, end });
    return value;
  }

  /** Reads a dictionary, or the stream that follows it. */
  valueOrStream(lengthOf: LengthOf, decipherOf?: (dict: Dict) => Decipher): PdfValue {
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
        return new Stream(value, start, end, decipherOf?.(value));
      }
    }
    return this.#streamUpToKeyword(value, start, decipherOf?.(value));
  }

  /** Handles a wrong /Length, which some writers produce: the data end at the keyword. */
  #streamUpToKeyword(dict: Dict, start: number, decipher: Decipher | undefined): Stream {
    const source = this.#source;
    let end = source.indexOf('endstream', start, 'latin1');
    if (end === -1) throw malformed(`a stream that begins at byte ${start} does not end`);
    this.#costs.read(end - start);
    this.position = end + 9;
    if (end > start && source[end - 1] === 10) end--;
    if (end > start && source[end - 1] === 13) end--;
    return new Stream(dict, start, end, decipher);
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
    const dict = new Dict(source, this.position, this.#decipher);
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
    if (this.#decipher || this.#strings) this.#keepContents(dict);
    return dict;
  }

  /** The value of a signature is never encrypted (ISO 32000-2, 7.6.2). */
  #keepContents(dict: Dict): void {
    const contents = dict.entries.get('Contents');
    if (!(contents?.value instanceof PdfString) || !contents.value.isHex) return;
    const type = dict.get('Type');
    const isSignature = isName(type, 'Sig') || isName(type, 'DocTimeStamp') || dict.entries.has('ByteRange');
    if (!isSignature) return;
    const found = this.#strings?.findIndex(({ start }) => start === contents.start) ?? -1;
    if (found !== -1) this.#strings?.splice(found, 1);
    contents.value = contents.value.undeciphered;
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
