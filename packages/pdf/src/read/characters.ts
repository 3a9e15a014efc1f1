/** Classes of bytes (ISO 32000-2, 7.2.3): 1 white space, 2 delimiter, 0 regular. */
const CLASSES = new Uint8Array(256);
for (const byte of [0, 9, 10, 12, 13, 32]) CLASSES[byte] = 1;
for (const byte of Buffer.from('()<>[]{}/%')) CLASSES[byte] = 2;

export const isSpace = (byte: number | undefined): boolean => byte !== undefined && CLASSES[byte] === 1;
export const isRegular = (byte: number | undefined): boolean => byte !== undefined && CLASSES[byte] === 0;
export const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** Returns the first position from `position` on that is neither white space nor in a comment. */
export function skipSpace(source: Buffer, position: number): number {
  let at = position;
  while (at < source.length) {
    const byte = source[at];
    if (isSpace(byte)) at++;
    else if (byte === 0x25) {
      while (at < source.length && source[at] !== 10 && source[at] !== 13) at++;
    } else break;
  }
  return at;
}

/** Whether the keyword starts at the position and ends with a delimiter. */
export function isKeywordAt(source: Buffer, keyword: string, position: number): boolean {
  const end = position + keyword.length;
  return (
    end <= source.length && source.toString('latin1', position, end) === keyword && !isRegular(source[end])
  );
}

/** Returns a value of 0–15, or -1. */
export function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Reads at most `digitsMax` digits from `position` on as a number; returns undefined if there are none. */
export function readDigits(
  source: Buffer,
  position: number,
  digitsMax: number,
): { value: number; end: number } | undefined {
  let value = 0;
  let end = position;
  for (; end - position < digitsMax; end++) {
    const digit = (source[end] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  return end === position ? undefined : { value, end };
}
