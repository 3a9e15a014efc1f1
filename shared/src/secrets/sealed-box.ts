import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Secret } from '../config.ts';
import { secretBytesOf } from './secret-bytes.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PURPOSE = 'scriptorium sealed box 1 ';

/** The box was modified, belongs to another request or was sealed with another secret. The cause is not revealed. */
export class BoxError extends Error {
  constructor() {
    super('the sealed box cannot be opened');
    this.name = 'BoxError';
  }
}

/**
 * Encrypts bytes for one request with AES-256-GCM (NIST SP 800-38D). The key is derived from the secret and the request id
 * (HKDF-SHA-256, RFC 5869), and the id is authenticated. Returns nonce, ciphertext and tag in base64. `secret` has the form of
 * `SIGNER_SECRET`.
 */
export function seal(secret: Secret, requestId: string, bytes: Uint8Array): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(secret, requestId), nonce);
  cipher.setAAD(Buffer.from(requestId));
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/** Decrypts a box of `seal`. Throws BoxError. */
export function open(secret: Secret, requestId: string, box: string): Buffer {
  const bytes = Buffer.from(box, 'base64');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new BoxError();
  const decipher = createDecipheriv(CIPHER, keyOf(secret, requestId), bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(requestId));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const sealed = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([sealed, decipher.final()]);
  } catch {
    throw new BoxError();
  }
}

function keyOf(secret: Secret, requestId: string): Buffer {
  const material = secretBytesOf(secret.reveal());
  if (material === null) throw new Error('the secret is not 32 bytes or more in base64 or hexadecimal');
  return Buffer.from(hkdfSync('sha256', material, '', PURPOSE + requestId, KEY_BYTES));
}
