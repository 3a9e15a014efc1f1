/** Bounds on the shape of a JSON body; a table of 100,000 cells in the last of 2,000 fields has room. */
const JSON_DEPTH_MAX = 16;
const JSON_VALUES_MAX = 250_000;
const JSON_KEYS_MAX = 1_000;
/** Far below 16,383: of a longer text V8 hashes the length alone, and tables of such compare each with every other. */
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
 * Looks over a JSON text before it is parsed: what is nested too deep, holds too many values or keys, or names a key twice
 * in one object (RFC 8259 §4: parsers differ on which counts) is told as an issue. Null where there is none; whether it is
 * JSON at all is the parser's to say. One pass, no recursion, nothing kept but the keys of open objects.
 */
export function jsonIssue(bytes: Buffer): string | null {
  const open: Open[] = [];
  let values = 0;
  let isKeyDue = false;
  for (let at = nextMark(bytes, 0); at < bytes.length; at = nextMark(bytes, at + 1)) {
    const mark = bytes[at];
    if (mark === QUOTE) {
      const end = endOfString(bytes, at + 1);
      const issue = isKeyDue ? noteKey(open.at(-1) ?? null, bytes.subarray(at, end + 1)) : null;
      if (issue !== null) return issue;
      isKeyDue = false;
      at = end;
    } else if (mark === CLOSE_LIST || mark === CLOSE_OBJECT) {
      open.pop();
      isKeyDue = false;
    } else {
      values += 1;
      if (mark !== COMMA) open.push(mark === OPEN_OBJECT ? new Set() : null);
      isKeyDue = (open.at(-1) ?? null) !== null;
      if (open.length > JSON_DEPTH_MAX) return `is nested deeper than ${JSON_DEPTH_MAX} levels`;
      if (values > JSON_VALUES_MAX) return `holds more than ${JSON_VALUES_MAX} values`;
    }
  }
  return null;
}

const isMark = new Uint8Array(256);
for (const mark of [QUOTE, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) isMark[mark] = 1;

/** A loop of its own, which the compiler makes fast: most of a hostile body may be blanks. */
function nextMark(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && isMark[bytes[at] ?? 0] === 0) at++;
  return at;
}

/** Index of the closing quote; of the last byte where there is none. */
function endOfString(bytes: Buffer, start: number): number {
  const quote = bytes.indexOf(QUOTE, start);
  if (quote < 0) return bytes.length - 1;
  if (bytes[quote - 1] !== BACKSLASH) return quote;
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return Math.min(at, bytes.length - 1);
}

function noteKey(keys: Open, written: Buffer): string | null {
  if (keys === null) return null;
  if (written.length - 2 > KEY_BYTES_MAX) return `has a key of more than ${KEY_BYTES_MAX} bytes`;
  const quoted = written.toString();
  const key = quoted.includes('\\') ? readKey(quoted) : quoted.slice(1, -1);
  if (keys.has(key)) return `names ${JSON.stringify(key.slice(0, KEY_SHOWN_CHARS_MAX))} twice in one object`;
  keys.add(key);
  return keys.size > JSON_KEYS_MAX ? `has more than ${JSON_KEYS_MAX} keys in one object` : null;
}

/** The same key may be spelled with escapes. */
function readKey(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
