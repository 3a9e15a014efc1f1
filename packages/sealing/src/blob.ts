import { randomBytes } from 'node:crypto';
import { BoxError, KEY_BYTES, openBytes, sealBytes } from './box.ts';

/** A blob for the store, and the key that opens it, in base64. */
export interface SealedBlob {
  box: Buffer;
  seal: string;
}

/**
 * Encrypts bytes under a key of their own. A process that gets the key with the reference to the blob can read it.
 *
 * @example
 * const { box, seal } = sealBlob(Buffer.from('secret'));
 * openBlob(box, seal).toString() // 'secret'
 */
export function sealBlob(bytes: Uint8Array): SealedBlob {
  const key = randomBytes(KEY_BYTES);
  return { box: sealBytes(key, bytes), seal: key.toString('base64') };
}

/** Decrypts a blob. Throws BoxError if it is not what was sealed with this key. */
export function openBlob(box: Uint8Array, seal: string): Buffer {
  const key = Buffer.from(seal, 'base64');
  if (key.length !== KEY_BYTES) throw new BoxError();
  return openBytes(key, box);
}
