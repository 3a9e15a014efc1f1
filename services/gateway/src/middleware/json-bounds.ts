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

/** The keys of an open object; null for an open list. */
type Open = Set<string> | null;

/**
 * Checks a JSON text before it is parsed. Returns an issue for a text that is nested too deep, has too many values or keys,
 * or repeats a key in one object (RFC 8259 §4: parsers differ on which one counts); otherwise null. It does not validate the
 * syntax. It makes one pass without recursion and keeps only the keys of open objects.
 */
export function jsonIssue(bytes: Buffer, { depthMax, valuesMax, keysMax }: JsonBounds): string | null {
  const open: Open[] = [];
  let values = 0;
  let isKeyNext = false;
  for (let at = nextMark(bytes, 0); at < bytes.length; at = nextMark(bytes, at + 1)) {
    const mark = bytes[at];
    if (mark === QUOTE) {
      const end = endOfString(bytes, at + 1);
      const issue = isKeyNext ? addKey(open.at(-1) ?? null, bytes.subarray(at, end + 1), keysMax) : null;
      if (issue !== null) return issue;
      isKeyNext = false;
      at = end;
    } else if (mark === CLOSE_LIST || mark === CLOSE_OBJECT) {
      open.pop();
      isKeyNext = false;
    } else {
      values += 1;
      if (mark !== COMMA) open.push(mark === OPEN_OBJECT ? new Set() : null);
      isKeyNext = (open.at(-1) ?? null) !== null;
      if (open.length > depthMax) return `is nested deeper than ${depthMax} levels`;
      if (values > valuesMax) return `has more than ${valuesMax} values`;
    }
  }
  return null;
}

const isMark = new Uint8Array(256);
for (const mark of [QUOTE, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) isMark[mark] = 1;

/** A separate loop that the compiler optimizes well: a hostile body may consist mostly of blanks. */
function nextMark(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && isMark[bytes[at] ?? 0] === 0) at++;
  return at;
}

/** Returns the index of the closing quote, or of the last byte if there is none. */
function endOfString(bytes: Buffer, start: number): number {
  const quote = bytes.indexOf(QUOTE, start);
  if (quote < 0) return bytes.length - 1;
  if (bytes[quote - 1] !== BACKSLASH) return quote;
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return Math.min(at, bytes.length - 1);
}

function addKey(keys: Open, written: Buffer, keysMax: number): string | null {
  if (keys === null) return null;
  if (written.length - 2 > KEY_BYTES_MAX) return `has a key of more than ${KEY_BYTES_MAX} bytes`;
  const quoted = written.toString();
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
