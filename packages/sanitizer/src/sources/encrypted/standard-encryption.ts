import { createDecipheriv, createHash, timingSafeEqual } from 'node:crypto';
import { SanitizerError } from '../../sanitizer-error.ts';
import { damaged } from '../refusal.ts';
import { spin } from './spin.ts';

const HEAD_BYTES = 8;
const FLAG_AES = 0x20;
/** Fields of the header ([MS-OFFCRYPTO] §2.3.2). */
const [CIPHER, HASH, KEY_BITS] = [8, 12, 16];
const HEADER_BYTES_MIN = 32;
const AES: Readonly<Record<number, number>> = { 26126: 128, 26127: 192, 26128: 256 };
const SHA1 = [0, 0x8004];
const SALT_BYTES = 16;
const HASH_BYTES = 20;
/** The verifier (§2.3.3): its salt, an encrypted text, the length of its hash, and the encrypted hash in whole blocks. */
const VERIFIER_BYTES = 4 + SALT_BYTES + 16 + 4 + 32;
const SPINS = 50_000;

/**
 * Returns the key of a package that is encrypted as by Office 2007 (§2.3.4.5 to §2.3.4.9), from the stream that describes it.
 * Undefined if this is not its password. Throws SanitizerError: DOCUMENT_ENCRYPTED for other ciphers, or INVALID_FILE_FORMAT.
 */
export function openStandardKey(info: Buffer, password: string): Buffer | undefined {
  if (info.length < HEAD_BYTES + 4) throw damaged('the description of its encryption is truncated');
  const headerBytes = info.readUInt32LE(HEAD_BYTES);
  const header = info.subarray(HEAD_BYTES + 4, HEAD_BYTES + 4 + headerBytes);
  const verifier = info.subarray(HEAD_BYTES + 4 + headerBytes);
  if (headerBytes < HEADER_BYTES_MIN || header.length < headerBytes || verifier.length < VERIFIER_BYTES)
    throw damaged('the description of its encryption is truncated');
  const bits = AES[header.readUInt32LE(CIPHER)];
  const isAes = (info.readUInt32LE(4) & FLAG_AES) !== 0 && bits === header.readUInt32LE(KEY_BITS);
  if (!isAes || bits === undefined || !SHA1.includes(header.readUInt32LE(HASH)))
    throw new SanitizerError(
      'DOCUMENT_ENCRYPTED',
      'The document is encrypted with another cipher than AES, which is not supported.',
    );
  const salt = verifier.subarray(4, 4 + SALT_BYTES);
  const key = keyOf(password, salt, bits / 8);
  return isKeyOf(verifier.subarray(4 + SALT_BYTES), key) ? key : undefined;
}

const sha1 = (...parts: Buffer[]): Buffer => createHash('sha1').update(Buffer.concat(parts)).digest();

/** §2.3.4.7. */
function keyOf(password: string, salt: Buffer, keyBytes: number): Buffer {
  const spun = spin('sha1', sha1(salt, Buffer.from(password, 'utf16le')), SPINS);
  const final = sha1(spun, Buffer.alloc(4));
  const derived = [0x36, 0x5c].map((filler) => {
    const block = Buffer.alloc(64, filler);
    for (const [at, byte] of final.entries()) block[at] = (block[at] ?? 0) ^ byte;
    return sha1(block);
  });
  return Buffer.concat(derived).subarray(0, keyBytes);
}

/** §2.3.4.9. */
function isKeyOf(boxes: Buffer, key: Buffer): boolean {
  const text = decryptBlocks(key, boxes.subarray(0, 16));
  const hash = decryptBlocks(key, boxes.subarray(20, 52)).subarray(0, HASH_BYTES);
  return timingSafeEqual(hash, sha1(text));
}

/** Decrypts whole blocks, each by itself (§2.3.4.4). */
export function decryptBlocks(key: Buffer, data: Buffer): Buffer {
  const decipher = createDecipheriv(`aes-${key.length * 8}-ecb`, key, null).setAutoPadding(false);
  return decipher.update(data.subarray(0, data.length - (data.length % 16)));
}
