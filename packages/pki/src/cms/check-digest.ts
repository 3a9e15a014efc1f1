import { DerError, type DerValue, readOctetString, readOid } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import type { Fault } from '../fault.ts';
import { fault } from '../fault.ts';
import { type Hash, readHash, whereSupported } from '../x509/algorithms.ts';
import { onlyValue, type SignedAttributes, type SignedData } from './read-signed-data.ts';
import type { HashedParts } from './signed-content.ts';

export interface DigestCheck {
  /** Undefined if the algorithm is not supported. */
  hash: Hash | undefined;
  /** Undefined without signed attributes, so only the signature value covers the content. */
  holds: boolean | undefined;
  faults: Fault[];
}

/**
 * Checks that the signed attributes match this content (RFC 5652, 5.4 and 11). Throws DerError if they lack the
 * content type or the digest.
 */
export function checkDigest({ signer, contentType }: SignedData, content: HashedParts): DigestCheck {
  const hash = whereSupported(() => readHash(signer.digestAlgorithm));
  if (signer.signed === undefined) {
    if (contentType !== OID.data) throw new DerError('signed attributes expected');
    return { hash, holds: undefined, faults: [] };
  }
  const stated = readOctetString(attribute(signer.signed, OID.messageDigest));
  if (readOid(attribute(signer.signed, OID.contentType)) !== contentType)
    throw new DerError('the signed content type differs from the content type');
  if (hash === undefined) {
    const message = 'The digest algorithm is not supported.';
    return { hash, holds: false, faults: [fault('ALGORITHM_UNSUPPORTED', message)] };
  }
  const holds = content.digest(hash).equals(stated);
  const message = 'The document was modified after signing (digest mismatch).';
  return { hash, holds, faults: holds ? [] : [fault('DIGEST_MISMATCH', message)] };
}

function attribute({ attributes }: SignedAttributes, id: string): DerValue {
  const value = onlyValue(attributes, id);
  if (value === undefined) throw new DerError(`signed attribute ${id} missing`);
  return value;
}
