import { createPrivateKey, type KeyObject } from 'node:crypto';
import { TAG } from '../asn1/der.ts';
import { expectTag, readDer, readOctetString, readSequence } from '../asn1/der-reader.ts';
import { decrypt } from './password/decrypt.ts';
import type { IterationBudget } from './password/iteration-budget.ts';
import { signingKeyInvalid } from './signing-key-error.ts';

/** Reads a PrivateKeyInfo (RFC 5208). Throws SIGNING_KEY_INVALID. */
export function readPrivateKey(der: Buffer): KeyObject {
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  } catch (cause) {
    throw signingKeyInvalid('The private key is damaged, or of a kind that is not taken.', cause);
  }
}

/**
 * The PrivateKeyInfo in an EncryptedPrivateKeyInfo (RFC 5208); undefined where the password is wrong. Throws DerError,
 * and SIGNING_KEY_INVALID as `decrypt` does.
 */
export async function decryptPrivateKey(
  der: Buffer,
  password: string | undefined,
  budget: IterationBudget,
): Promise<Buffer | undefined> {
  const [algorithm, ciphertext] = readSequence(readDer(der));
  const encrypted = {
    algorithm: expectTag(algorithm, TAG.sequence),
    ciphertext: readOctetString(ciphertext),
  };
  return decrypt(encrypted, password, budget);
}
