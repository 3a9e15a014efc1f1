import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { rc4 } from './rc4.ts';

/** The method of a crypt filter (ISO 32000-2, table 25); `Identity` leaves data as they are. */
export type CryptMethod = 'Identity' | 'V2' | 'AESV2' | 'AESV3';

/** Encrypts and decrypts the strings or streams of one object. Decrypted data are never longer than encrypted data. */
export interface ObjectCipher {
  encrypt(data: Buffer): Buffer;
  decrypt(data: Buffer): Buffer;
}

const BLOCK_BYTES = 16;
const KEY_BYTES_MAX = 16;
const IDENTITY: ObjectCipher = { encrypt: (data) => data, decrypt: (data) => data };

/** Returns the cipher for an object (ISO 32000-2, 7.6.3.2 and 7.6.3.3). `key` is the file encryption key. */
export function objectCipher(method: CryptMethod, key: Buffer, num: number, gen: number): ObjectCipher {
  if (method === 'Identity') return IDENTITY;
  if (method === 'AESV3') return aesCbc('aes-256-cbc', () => key);
  // Most objects have nothing to decrypt.
  let known: Buffer | undefined;
  const own = () => {
    known ??= objectKey(method, key, num, gen);
    return known;
  };
  if (method === 'AESV2') return aesCbc('aes-128-cbc', own);
  return { encrypt: (data) => rc4(own(), data), decrypt: (data) => rc4(own(), data) };
}

/** Algorithm 1. */
function objectKey(method: 'V2' | 'AESV2', key: Buffer, num: number, gen: number): Buffer {
  const numbers = Buffer.alloc(5);
  numbers.writeUIntLE(num, 0, 3);
  numbers.writeUIntLE(gen, 3, 2);
  const hash = createHash('md5').update(key).update(numbers);
  if (method === 'AESV2') hash.update('sAlT');
  return hash.digest().subarray(0, Math.min(key.length + numbers.length, KEY_BYTES_MAX));
}

/** The initialization vector precedes the data. Data that are cut off are decrypted as far as they go, as in other readers. */
function aesCbc(algorithm: 'aes-128-cbc' | 'aes-256-cbc', key: () => Buffer): ObjectCipher {
  return {
    encrypt(data) {
      const iv = randomBytes(BLOCK_BYTES);
      const cipher = createCipheriv(algorithm, key(), iv);
      return Buffer.concat([iv, cipher.update(data), cipher.final()]);
    },
    decrypt(data) {
      const blocksEnd = data.length - (data.length % BLOCK_BYTES);
      if (blocksEnd < 2 * BLOCK_BYTES) return Buffer.alloc(0);
      const decipher = createDecipheriv(algorithm, key(), data.subarray(0, BLOCK_BYTES)).setAutoPadding(
        false,
      );
      return withoutPadding(decipher.update(data.subarray(BLOCK_BYTES, blocksEnd)));
    },
  };
}

/** Removes the padding of RFC 8018, 6.1.1; data without one stay as they are. */
function withoutPadding(data: Buffer): Buffer {
  const count = data.at(-1) ?? 0;
  const isPadded = count > 0 && count <= BLOCK_BYTES && data.subarray(-count).every((byte) => byte === count);
  return isPadded ? data.subarray(0, data.length - count) : data;
}
