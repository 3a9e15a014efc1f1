import { context, integer, nullValue, oid, sequence } from '../asn1/der.ts';
import { OID } from '../asn1/oids.ts';
import type { HashAlgorithm } from '../keys/raw-signer.ts';
import { HASH_OCTETS, type SignatureScheme } from '../keys/signature-scheme.ts';

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

/** AlgorithmIdentifier of a signature: RFC 4055, 3.1 and 5; RFC 5758, 3.2. */
export function signatureAlgorithm({ algorithm, hash }: SignatureScheme): Buffer {
  switch (algorithm) {
    case 'rsa':
      return sequence(oid(WITH_RSA[hash]), nullValue());
    case 'rsa-pss':
      return sequence(oid(OID.rsaPss), pssParameters(hash));
    case 'ecdsa':
      return sequence(oid(WITH_ECDSA[hash]));
  }
}

/** The parameters of RSASSA-PSS: MGF1 of the same hash, a salt as long as it; their defaults are those of SHA-1. */
function pssParameters(hash: HashAlgorithm): Buffer {
  // With NULL, as RFC 4055, 2.1 writes it and keys of others have it.
  const digest = sequence(oid(DIGESTS[hash]), nullValue());
  return sequence(
    context(0, digest),
    context(1, sequence(oid(OID.mgf1), digest)),
    context(2, integer(HASH_OCTETS[hash])),
  );
}
