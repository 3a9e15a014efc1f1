import { randomBytes } from 'node:crypto';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** `<prefix>_` and 128 random bits in lower-case base32 (RFC 4648 §6 alphabet, no padding). */
export function newId(prefix: 'req' | 'key' | 'gw' | 'wrk' | 'aud'): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of randomBytes(16)) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(value >>> bits) & 31];
    }
  }
  return `${prefix}_${text}${BASE32[(value << (5 - bits)) & 31]}`;
}
