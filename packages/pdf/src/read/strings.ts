import { malformed } from '../pdf-error.ts';
import { hexDigit, isRegular } from './characters.ts';

interface Read<T> {
  value: T;
  end: number;
}

const ESCAPES: Record<number, number> = { 110: 10, 114: 13, 116: 9, 98: 8, 102: 12 };

/** Reads the escape after a backslash at `at - 1`: its byte, if any, and its end. */
function readEscape(source: Buffer, at: number): Read<number | undefined> {
  const byte = source[at] ?? 0;
  if (byte === 13) return { value: undefined, end: at + (source[at + 1] === 10 ? 2 : 1) };
  if (byte === 10) return { value: undefined, end: at + 1 };
  if (byte < 0x30 || byte > 0x37) return { value: ESCAPES[byte] ?? byte, end: at + 1 };
  let value = 0;
  let end = at;
  for (; end < at + 3; end++) {
    const digit = source[end] ?? 0;
    if (digit < 0x30 || digit > 0x37) break;
    value = value * 8 + (digit - 0x30);
  }
  return { value: value & 0xff, end };
}

/** Reads a literal string from its parenthesis at `start` (ISO 32000-2, 7.3.4.2). */
export function readLiteralString(source: Buffer, start: number): Read<Buffer> {
  const close = endOfString(source, start);
  const bytes = Buffer.allocUnsafe(close - start);
  let length = 0;
  let at = start + 1;
  while (at < close) {
    const byte = source[at++] ?? 0;
    if (byte === 0x5c) {
      const read = readEscape(source, at);
      if (read.value !== undefined) bytes[length++] = read.value;
      at = read.end;
    } else if (byte === 13) {
      bytes[length++] = 10;
      if (source[at] === 10) at++;
    } else bytes[length++] = byte;
  }
  return { value: bytes.subarray(0, length), end: close + 1 };
}

/** Returns the position of the parenthesis that closes the one at `start`. */
function endOfString(source: Buffer, start: number): number {
  let depth = 1;
  for (let at = start + 1; at < source.length; at++) {
    const byte = source[at];
    if (byte === 0x5c) at++;
    else if (byte === 0x28) depth++;
    else if (byte === 0x29 && --depth === 0) return at;
  }
  throw malformed(`a string that begins at byte ${start} does not end`);
}

/** Reads a hexadecimal string from its bracket at `start`; skips white space (ISO 32000-2, 7.3.4.3). */
export function readHexString(source: Buffer, start: number): Read<Buffer> {
  const close = source.indexOf(0x3e, start);
  if (close === -1) throw malformed(`a string that begins at byte ${start} does not end`);
  const bytes = Buffer.allocUnsafe((close - start) >> 1);
  let length = 0;
  let high = -1;
  for (let at = start + 1; at < close; at++) {
    const digit = hexDigit(source[at] ?? 0);
    if (digit === -1) continue;
    if (high === -1) high = digit;
    else {
      bytes[length++] = high * 16 + digit;
      high = -1;
    }
  }
  if (high !== -1) bytes[length++] = high * 16;
  return { value: bytes.subarray(0, length), end: close + 1 };
}

/** Reads a name from its slash at `start` and resolves its `#` escapes; latin1. */
export function readName(source: Buffer, start: number): Read<string> {
  let end = start + 1;
  while (isRegular(source[end])) end++;
  const raw = source.toString('latin1', start + 1, end);
  if (!raw.includes('#')) return { value: raw, end };
  const value = raw.replace(/#([0-9a-fA-F]{2})/g, (_: string, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return { value, end };
}
