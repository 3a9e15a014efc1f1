import { createPrivateKey, type KeyObject } from 'node:crypto';
import { berToDer } from '../asn1/ber.ts';
import { TAG } from '../asn1/der.ts';
import { expectTag, readDer, readOctetString, readOid, readSequence } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import { otherKind, PkiError, signingKeyInvalid } from '../pki-error.ts';
import { decrypt } from './password/decrypt.ts';
import type { IterationBudget } from './password/iteration-budget.ts';

/**
 * DSA is excluded: OpenSSL computes the public part when it reads such a key, which takes hours for large numbers.
 */
const KINDS = new Set<string>([OID.rsaEncryption, OID.rsaPss, OID.ecPublicKey]);

/** Reads a PrivateKeyInfo (RFC 5208) of an RSA or EC key. Throws SIGNING_KEY_INVALID. */
export function readPrivateKey(info: Buffer): KeyObject {
  try {
    // Only the bytes that were checked here are passed on.
    const key = berToDer(info);
    const [, algorithm] = readSequence(readDer(key));
    if (!KINDS.has(readOid(readSequence(algorithm)[0]))) throw otherKind();
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  } catch (cause) {
    if (cause instanceof PkiError) throw cause;
    throw signingKeyInvalid('The private key is damaged or of an unsupported type.', cause);
  }
}

/**
 * Decrypts an EncryptedPrivateKeyInfo (RFC 5208) to its PrivateKeyInfo. Undefined if the password is wrong. Throws
 * DerError, and SIGNING_KEY_INVALID as `decrypt` does.
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
