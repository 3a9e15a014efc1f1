import { randomBytes } from 'node:crypto';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

const ID_BYTES = 16;
/** Random bytes are drawn for many ids at a time, since each call is expensive. */
const POOL_BYTES = 256 * ID_BYTES;
let pool = Buffer.alloc(0);

function drawBytes(): Buffer {
  if (pool.length === 0) pool = randomBytes(POOL_BYTES);
  const drawn = pool.subarray(0, ID_BYTES);
  pool = pool.subarray(ID_BYTES);
  return drawn;
}

/** Returns `<prefix>_` and 128 random bits in lower-case base32 (RFC 4648 §6 alphabet, no padding). */
export function newId(prefix: 'req' | 'key' | 'gw' | 'wrk' | 'aud' | 'reg' | 'job'): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of drawBytes()) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(value >>> bits) & 31];
    }
  }
  return `${prefix}_${text}${BASE32[(value << (5 - bits)) & 31]}`;
}
