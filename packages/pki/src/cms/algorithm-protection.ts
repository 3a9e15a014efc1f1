import { contextTag, TAG } from '../asn1/der.ts';
import { DerError, type DerValue, readOid, readSequence } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import { onlyValue, type SignerInfo } from './read-signed-data.ts';

const SIGNATURE_ALGORITHM = contextTag(1);

/**
 * Whether the signed attributes name the algorithms that the signature names (CMSAlgorithmProtection, RFC 6211, 2). The
 * latter are not signed, so others could have replaced them. True if the attribute is absent.
 */
export function protectsAlgorithms({ signed, digestAlgorithm, signatureAlgorithm }: SignerInfo): boolean {
  try {
    const value = onlyValue(signed?.attributes, OID.algorithmProtection);
    if (value === undefined) return true;
    const [digest, signature, ...others] = readSequence(value);
    return (
      others.length === 0 &&
      isSameAlgorithm(digest, digestAlgorithm) &&
      signature?.tag === SIGNATURE_ALGORITHM &&
      isSameAlgorithm({ ...signature, tag: TAG.sequence }, signatureAlgorithm)
    );
  } catch (error) {
    if (error instanceof DerError) return false;
    throw error;
  }
}

/** Writers differ in whether they write NULL for absent parameters (RFC 5754, 2). */
function isSameAlgorithm(one: DerValue | undefined, other: DerValue): boolean {
  const [a, b] = [one, other].map((algorithm) => {
    const [id, parameters] = readSequence(algorithm);
    const stated =
      parameters === undefined || parameters.tag === TAG.null ? '' : parameters.bytes.toString('hex');
    return `${readOid(id)} ${stated}`;
  });
  return a === b;
}
