import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_BYTES = 24;
/** Base62 digits that hold 192 bits. */
const RANDOM_DIGITS = 33;
const CHECKSUM_DIGITS = 6;

function base62(value: bigint, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest /= 62n) text = BASE62[Number(rest % 62n)] + text;
  return text;
}

const checksum = (text: string): string => base62(BigInt(crc32(text)), CHECKSUM_DIGITS);

/** `<prefix><192 random bits><CRC-32>`, the last two in base62. */
export function newApiKey(prefix: string): string {
  const random = BigInt(`0x${randomBytes(RANDOM_BYTES).toString('hex')}`);
  const body = prefix + base62(random, RANDOM_DIGITS);
  return body + checksum(body);
}

/** Detects typing errors and junk without a query to the key store. */
export function isWellFormed(key: string, prefix: string): boolean {
  if (key.length !== prefix.length + RANDOM_DIGITS + CHECKSUM_DIGITS || !key.startsWith(prefix)) return false;
  const body = key.slice(0, -CHECKSUM_DIGITS);
  return /^[0-9A-Za-z]+$/.test(key.slice(prefix.length)) && checksum(body) === key.slice(-CHECKSUM_DIGITS);
}

/** SHA-256 is sufficient for a secret of 192 random bits. Keys are stored in this form only. */
export const hashApiKey = (key: string): Buffer => createHash('sha256').update(key).digest();
