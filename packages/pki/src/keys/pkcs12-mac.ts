import { createHmac, timingSafeEqual } from 'node:crypto';
import { TAG } from '../asn1/der.ts';
import {
  DerError,
  type DerValue,
  expectTag,
  readNumber,
  readOctetString,
  readOid,
  readSequence,
} from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import { signingKeyInvalid } from '../pki-error.ts';
import type { IterationBudget } from './password/iteration-budget.ts';
import { PURPOSE, pkcs12Derive, pkcs12Password } from './password/pkcs12-kdf.ts';

const HASHES: Record<string, { hash: string; octets: number } | undefined> = {
  [OID.sha1]: { hash: 'sha1', octets: 20 },
  [OID.sha224]: { hash: 'sha224', octets: 28 },
  [OID.sha256]: { hash: 'sha256', octets: 32 },
  [OID.sha384]: { hash: 'sha384', octets: 48 },
  [OID.sha512]: { hash: 'sha512', octets: 64 },
};

/**
 * Whether a MacData (RFC 7292, 4) matches `content` under this password. Throws DerError, and SIGNING_KEY_INVALID for
 * other algorithms and too many iterations.
 */
export async function macHolds(
  macData: DerValue,
  content: Buffer,
  password: string | undefined,
  budget: IterationBudget,
): Promise<boolean> {
  const [digestInfo, salt, iterationCount] = readSequence(macData);
  const [algorithm, digest] = readSequence(digestInfo);
  const name = digestName(algorithm);
  const known = HASHES[name];
  if (known === undefined)
    throw signingKeyInvalid(
      `The MAC of the PKCS #12 file uses ${name}, which is not supported. Supported is HMAC with SHA-1 or SHA-2.`,
    );
  const derivation = {
    hash: known.hash,
    password: pkcs12Password(password),
    salt: readOctetString(salt),
    iterations: iterationCount === undefined ? 1 : readNumber(iterationCount),
  };
  const key = await pkcs12Derive(derivation, { purpose: PURPOSE.mac, length: known.octets, budget });
  const mac = createHmac(known.hash, key).update(content).digest();
  const due = readOctetString(digest);
  return mac.length === due.length && timingSafeEqual(mac, due);
}

/** The parameters of a hash are NULL or absent (RFC 5754, 2). */
function digestName(algorithm: DerValue | undefined): string {
  const [name, parameters] = readSequence(algorithm);
  if (parameters !== undefined && expectTag(parameters, TAG.null).content.length > 0)
    throw new DerError('the parameters of a hash are not NULL');
  return readOid(name);
}
