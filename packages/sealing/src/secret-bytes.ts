const BYTES_MIN = 32;
const HEX = /^(?:[0-9a-f]{2})+$/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Decodes a secret in hexadecimal or base64 (RFC 4648 §4, §8). Returns null for anything else and for less than 32 bytes. */
export function secretBytesOf(text: string): Buffer | null {
  // Hexadecimal first, since it is also valid base64.
  const encoding = HEX.test(text) ? 'hex' : BASE64.test(text) && text.length % 4 === 0 ? 'base64' : null;
  if (encoding === null) return null;
  const bytes = Buffer.from(text, encoding);
  return bytes.length >= BYTES_MIN ? bytes : null;
}

/** A secret, or the current one and the one before it. Boxes are sealed with the first, and opened with each. */
export type Secrets = readonly [Uint8Array, ...Uint8Array[]];

/**
 * Decodes one secret, or two that are separated by a comma while one replaces the other. Returns null if one is not a secret,
 * or if both are the same.
 */
export function secretsOf(text: string): Secrets | null {
  const [first, second, ...more] = text.split(/ *, */).map(secretBytesOf);
  if (!first || second === null || more.length > 0) return null;
  if (second === undefined) return [first];
  return first.equals(second) ? null : [first, second];
}
