import { context, integer, nullValue, octetString, oid, sequence } from '../asn1/der.ts';
import { OID } from '../asn1/oids.ts';
import type { HashAlgorithm } from './raw-signer.ts';
import { HASH_OCTETS, type SignatureScheme } from './signature-scheme.ts';

const DIGESTS: Record<HashAlgorithm, string> = { sha256: OID.sha256, sha384: OID.sha384, sha512: OID.sha512 };
const WITH_RSA: Record<HashAlgorithm, string> = {
  sha256: OID.sha256WithRsa,
  sha384: OID.sha384WithRsa,
  sha512: OID.sha512WithRsa,
};
const WITH_ECDSA: Record<HashAlgorithm, string> = {
  sha256: OID.ecdsaWithSha256,
  sha384: OID.ecdsaWithSha384,
  sha512: OID.ecdsaWithSha512,
};

/** AlgorithmIdentifier of a digest, without parameters (RFC 5754, 2). */
export function digestAlgorithm(hash: HashAlgorithm): Buffer {
  return sequence(oid(DIGESTS[hash]));
}

/** The object identifier of the digest (RFC 5754, 2). */
export function digestOid(hash: HashAlgorithm): string {
  return DIGESTS[hash];
}

/** The object identifier of the signature algorithm. */
export function signatureOid({ algorithm, hash }: SignatureScheme): string {
  switch (algorithm) {
    case 'rsa':
      return WITH_RSA[hash];
    case 'rsa-pss':
      return OID.rsaPss;
    case 'ecdsa':
      return WITH_ECDSA[hash];
  }
}

/** AlgorithmIdentifier of a signature: RFC 4055, 3.1 and 5; RFC 5758, 3.2. */
export function signatureAlgorithm(scheme: SignatureScheme): Buffer {
  const name = oid(signatureOid(scheme));
  switch (scheme.algorithm) {
    case 'rsa':
      return sequence(name, nullValue());
    case 'rsa-pss':
      return sequence(name, pssParameters(scheme.hash));
    case 'ecdsa':
      return sequence(name);
  }
}

/**
 * The parameters of RSASSA-PSS: MGF1 with the same hash, and a salt of its length. The defaults are those of SHA-1,
 * so all are written.
 */
export function pssParameters(hash: HashAlgorithm): Buffer {
  const digest = digestWithNull(hash);
  return sequence(
    context(0, digest),
    context(1, sequence(oid(OID.mgf1), digest)),
    context(2, integer(HASH_OCTETS[hash])),
  );
}

/** DigestInfo (RFC 8017, 9.2): what RSA pads if the key does not hash. */
export function digestInfo(hash: HashAlgorithm, digest: Uint8Array): Buffer {
  return sequence(digestWithNull(hash), octetString(digest));
}

/** With NULL, as RFC 4055, 2.1 writes it and RFC 8017, 9.2 requires. */
function digestWithNull(hash: HashAlgorithm): Buffer {
  return sequence(oid(DIGESTS[hash]), nullValue());
}
