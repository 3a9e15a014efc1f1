/** Bounds on the shape of a JSON body. */
export interface JsonBounds {
  depthMax: number;
  valuesMax: number;
  /** Keys of one object. */
  keysMax: number;
}

/** They permit a table of 100,000 cells in the last of 2,000 fields. */
const JSON_DEPTH_MAX = 16;
const JSON_VALUES_MAX = 250_000;
const JSON_KEYS_MAX = 1_000;
export const BODY_BOUNDS: JsonBounds = {
  depthMax: JSON_DEPTH_MAX,
  valuesMax: JSON_VALUES_MAX,
  keysMax: JSON_KEYS_MAX,
};

/** For bodies with data of the caller. They permit 100,000 rows of four values. */
const DATA_DEPTH_MAX = 64;
const DATA_VALUES_MAX = 500_000;
const DATA_KEYS_MAX = 10_000;
export const DATA_BOUNDS: JsonBounds = {
  // The body itself is one level.
  depthMax: DATA_DEPTH_MAX + 1,
  valuesMax: DATA_VALUES_MAX,
  keysMax: DATA_KEYS_MAX,
};

/** Far below 16,383: V8 hashes longer strings by their length alone, which makes hash tables quadratic. */
const KEY_BYTES_MAX = 1_000;
const KEY_SHOWN_CHARS_MAX = 50;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** More blanks in a row are left out. */
const BLANKS_MAX = 16;

const OTHER = 0;
const BLANK = 1;
const MARK = 2;
const kinds = new Uint8Array(256).fill(OTHER);
for (const blank of [0x20, 0x09, 0x0a, 0x0d]) kinds[blank] = BLANK;
for (const mark of [QUOTE, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) kinds[mark] = MARK;

/** The keys of an open object; null for an open list. */
type Open = Set<string> | null;

/**
 * Checks a JSON text before it is parsed, while it arrives. It finds a text that is nested too deep, has too many values or keys,
 * or repeats a key in one object. By RFC 8259 §4, parsers differ on which one counts. It does not validate the syntax. It makes
 * one pass without recursion and keeps only the keys of open objects.
 */
export class JsonScan {
  readonly #bounds: JsonBounds;
  readonly #keep: (piece: Buffer) => void;
  readonly #open: Open[] = [];
  #values = 0;
  #blanks = 0;
  #isKeyNext = false;
  #isInString = false;
  /** Whether the string so far ends with a backslash that escapes the next character. */
  #isEscaped = false;
  /** The key so far, if the string is one. */
  #key: Buffer[] | undefined;

  /** `keep` gets the text without long runs of blanks between its values: the parser would spend time on them. */
  constructor(bounds: JsonBounds, keep: (piece: Buffer) => void) {
    this.#bounds = bounds;
    this.#keep = keep;
  }

  /** Reads the next piece of the text. Returns an issue, or null. */
  push(piece: Buffer): string | null {
    let kept = 0;
    for (let at = 0; at < piece.length; ) {
      if (this.#isInString) {
        const end = this.#passString(piece, at);
        const issue = this.#passKey(piece.subarray(at, end));
        if (issue !== null) return issue;
        at = end;
        continue;
      }
      const byte = piece[at] ?? 0;
      const kind = kinds[byte];
      this.#blanks = kind === BLANK ? this.#blanks + 1 : 0;
      if (this.#blanks > BLANKS_MAX) {
        if (kept < at) this.#keep(piece.subarray(kept, at));
        kept = endOfBlanks(piece, at);
        at = kept;
        continue;
      }
      at += 1;
      const issue = kind === MARK ? this.#passMark(byte) : null;
      if (issue !== null) return issue;
    }
    if (kept < piece.length) this.#keep(kept === 0 ? piece : piece.subarray(kept));
    return null;
  }

  #passMark(mark: number): string | null {
    const { depthMax, valuesMax } = this.#bounds;
    if (mark === QUOTE) {
      this.#isInString = true;
      this.#key = this.#isKeyNext ? [] : undefined;
    } else if (mark !== CLOSE_LIST && mark !== CLOSE_OBJECT) {
      this.#values += 1;
      if (mark !== COMMA) this.#open.push(mark === OPEN_OBJECT ? new Set() : null);
      this.#isKeyNext = (this.#open.at(-1) ?? null) !== null;
      if (this.#open.length > depthMax) return `is nested deeper than ${depthMax} levels`;
      return this.#values > valuesMax ? `has more than ${valuesMax} values` : null;
    } else this.#open.pop();
    this.#isKeyNext = false;
    return null;
  }

  /** Returns the index after the closing quote, or after the piece if the string goes on. */
  #passString(piece: Buffer, start: number): number {
    for (let from = start; ; ) {
      const quote = piece.indexOf(QUOTE, from);
      const end = quote < 0 ? piece.length : quote;
      let back = end;
      while (back > start && piece[back - 1] === BACKSLASH) back--;
      const isOdd = (end - back) % 2 === 1;
      const isEscaped = back === start && this.#isEscaped ? !isOdd : isOdd;
      this.#isEscaped = quote < 0 && isEscaped;
      if (quote < 0) return end;
      this.#isInString = isEscaped;
      if (!isEscaped) return quote + 1;
      from = quote + 1;
    }
  }

  #passKey(written: Buffer): string | null {
    if (this.#key === undefined) return null;
    const bytes = this.#key.reduce((sum, part) => sum + part.length, written.length);
    if (bytes - 1 > KEY_BYTES_MAX) return `has a key of more than ${KEY_BYTES_MAX} bytes`;
    this.#key.push(written);
    if (this.#isInString) return null;
    const quoted = `"${Buffer.concat(this.#key).toString()}`;
    this.#key = undefined;
    return addKey(this.#open.at(-1) ?? null, quoted, this.#bounds.keysMax);
  }
}

function endOfBlanks(piece: Buffer, start: number): number {
  const { length } = piece;
  let end = start;
  while (end < length && kinds[piece[end] as number] === BLANK) end++;
  return end;
}

function addKey(keys: Open, quoted: string, keysMax: number): string | null {
  if (keys === null) return null;
  const key = quoted.includes('\\') ? readKey(quoted) : quoted.slice(1, -1);
  if (keys.has(key))
    return `repeats the key ${JSON.stringify(key.slice(0, KEY_SHOWN_CHARS_MAX))} in one object`;
  keys.add(key);
  return keys.size > keysMax ? `has more than ${keysMax} keys in one object` : null;
}

/** Decodes escapes, since they can spell the same key in several ways. */
function readKey(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
