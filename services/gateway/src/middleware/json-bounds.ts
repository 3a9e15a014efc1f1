/** Deepest nesting and most values of a JSON body; a table of 100,000 cells in the last of 2,000 fields has room. */
export const JSON_DEPTH_MAX = 16;
export const JSON_VALUES_MAX = 250_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const KEY_SHOWN_CHARS_MAX = 50;

/**
 * Looks over a JSON text before it is parsed: what is nested too deep, holds too many values or names a key twice in one
 * object (RFC 8259 §4: parsers differ on which counts) is told as an issue. Null where there is none; whether it is JSON
 * at all is the parser's to say. One pass, no recursion, nothing kept but the keys of open objects.
 */
export function jsonIssue(bytes: Uint8Array): string | null {
  /** The keys of each open object; null for a list. */
  const open: (Set<string> | null)[] = [];
  let values = 0;
  let isKeyDue = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = endOfString(bytes, at + 1);
      const key = isKeyDue ? repeatedKey(open.at(-1), bytes.subarray(at, end + 1)) : null;
      if (key !== null)
        return `names ${JSON.stringify(key.slice(0, KEY_SHOWN_CHARS_MAX))} twice in one object`;
      isKeyDue = false;
      at = end;
    } else if (byte === COMMA) {
      values += 1;
      isKeyDue = open.at(-1) != null;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values += 1;
      open.push(byte === OPEN_OBJECT ? new Set() : null);
      isKeyDue = byte === OPEN_OBJECT;
      if (open.length > JSON_DEPTH_MAX) return `is nested deeper than ${JSON_DEPTH_MAX} levels`;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      open.pop();
      isKeyDue = false;
    }
    if (values > JSON_VALUES_MAX) return `holds more than ${JSON_VALUES_MAX} values`;
  }
  return null;
}

/** Index of the closing quote; of the last byte where there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return Math.min(at, bytes.length - 1);
}

function repeatedKey(keys: Set<string> | null | undefined, quoted: Uint8Array): string | null {
  if (keys == null) return null;
  const key = decodeKey(Buffer.from(quoted.buffer, quoted.byteOffset, quoted.byteLength).toString());
  if (keys.has(key)) return key;
  keys.add(key);
  return null;
}

/** The same key may be spelled with escapes. */
function decodeKey(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
