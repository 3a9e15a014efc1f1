import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import { free, release } from './idle-memory.ts';

const CIPHER = 'aes-256-gcm';
export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** What the cipher returns is copied into the box, so it should be short. */
const PIECE_BYTES = 64 * 1024;
/** The bytes by which a box is longer than its content. */
const BOX_BYTES = NONCE_BYTES + TAG_BYTES;

/** The box was modified, belongs to another request or was sealed with another secret. The cause is not revealed. */
export class BoxError extends Error {
  constructor() {
    super('the sealed box cannot be opened');
    this.name = 'BoxError';
  }
}

/**
 * Encrypts bytes with AES-256-GCM (NIST SP 800-38D) under a key of 32 bytes. Returns nonce, ciphertext and tag. `context` is
 * authenticated, and not in the box. The nonce is random, so a key must not seal more than 2³² boxes.
 *
 * @example
 * const key = deriveKey(Buffer.alloc(32, 1), 'example');
 * openBytes(key, sealBytes(key, Buffer.from('secret'), 'here'), 'here').toString() // 'secret'
 */
export function sealBytes(key: Uint8Array, bytes: Uint8Array, context = ''): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  // With the same bytes in a buffer instead of a key object, Node 24 takes twice as long.
  const cipher = createCipheriv(CIPHER, createSecretKey(key), nonce);
  cipher.setAAD(Buffer.from(context));
  const box = Buffer.allocUnsafe(bytes.length + BOX_BYTES);
  box.set(nonce);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = cipher.update(bytes.subarray(at, at + PIECE_BYTES));
    box.set(piece, NONCE_BYTES + at);
    free(piece);
  }
  cipher.final();
  box.set(cipher.getAuthTag(), NONCE_BYTES + bytes.length);
  return box;
}

/** Decrypts a box of `sealBytes` with the same key and context. Throws BoxError. */
export function openBytes(key: Uint8Array, box: Uint8Array, context = ''): Buffer {
  if (box.length < BOX_BYTES || key.length !== KEY_BYTES) throw new BoxError();
  const nonce = box.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, createSecretKey(key), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(box.subarray(-TAG_BYTES));
  // The only update returns all bytes, since the cipher is a stream.
  const bytes = decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    decipher.final();
  } catch {
    release(bytes);
    throw new BoxError();
  }
  return bytes;
}

/** Derives a key for one purpose from a secret (HKDF-SHA-256, RFC 5869). */
export function deriveKey(secret: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', createSecretKey(secret), '', purpose, KEY_BYTES));
}

/** Opens a box with the first of these keys or secrets that fits. Throws the BoxError of the last one. */
export function openWithAny<Key>(
  [first, ...others]: readonly [Key, ...Key[]],
  openWith: (key: Key) => Buffer,
): Buffer {
  const [next, ...rest] = others;
  if (next === undefined) return openWith(first);
  try {
    return openWith(first);
  } catch (error) {
    if (!(error instanceof BoxError)) throw error;
    return openWithAny([next, ...rest], openWith);
  }
}
