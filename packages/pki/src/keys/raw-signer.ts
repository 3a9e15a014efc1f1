import type { X509Certificate } from 'node:crypto';

export type SignatureAlgorithm = 'rsa' | 'rsa-pss' | 'ecdsa';
export type HashAlgorithm = 'sha256' | 'sha384' | 'sha512';

/** A private key that signs, wherever it is kept. */
export interface RawSigner {
  /** The signer's own first, then the known issuers. */
  readonly certificates: readonly [X509Certificate, ...X509Certificate[]];
  readonly algorithm: SignatureAlgorithm;
  readonly hash: HashAlgorithm;
  /**
   * Hashes and signs. RSA: PKCS #1 v1.5, or PSS with MGF1 of the same hash and a salt of its length (RFC 8017).
   * ECDSA: the DER of RFC 3279, 2.2.3. Throws SIGNING_KEY_INVALID or REMOTE_SIGNER_FAILED.
   */
  sign(tbs: Uint8Array): Promise<Buffer>;
}

/** A source of time-stamp tokens. */
export interface Timestamper {
  /** Returns a checked TimeStampToken (RFC 3161) in DER over the SHA-256 of `data`. Throws TIMESTAMP_UNAVAILABLE. */
  timestamp(data: Uint8Array): Promise<{ token: Buffer; time: Date }>;
}

/** What a validator needs to check a chain later, all in DER. */
export interface ValidationData {
  certificates: Buffer[];
  /** OCSPResponse (RFC 6960). */
  ocsps: Buffer[];
  crls: Buffer[];
}
