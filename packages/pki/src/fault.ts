/** Problems of a CMS, a certificate or its revocation status. */
export type FaultCode =
  | 'ALGORITHM_UNSUPPORTED'
  | 'CERTIFICATE_EXPIRED'
  | 'CERTIFICATE_NOT_YET_VALID'
  | 'CERTIFICATE_REVOKED'
  | 'CHAIN_INVALID'
  | 'CHAIN_UNTRUSTED'
  | 'CMS_INVALID'
  | 'CONTENT_ENCAPSULATED'
  | 'DIGEST_MISMATCH'
  | 'REVOCATION_UNAVAILABLE'
  | 'REVOCATION_UNKNOWN'
  | 'REVOCATION_UNUSABLE'
  | 'REVOKED_LATER'
  | 'SIGNATURE_INVALID'
  | 'SIGNED_AFTER_EXPIRY'
  | 'SIGNED_AFTER_REVOCATION'
  | 'SIGNER_CERTIFICATE_MISSING'
  | 'SIGNING_CERTIFICATE_ABSENT'
  | 'SIGNING_CERTIFICATE_MISMATCH'
  | 'SIGNING_CERTIFICATE_REQUIRED'
  | 'SIGNING_TIME_AMBIGUOUS'
  | 'TIMESTAMP_INVALID'
  | 'WEAK_ALGORITHM';

/** A finding against a signature. `message` is public: one bounded sentence. */
export interface Fault {
  code: FaultCode;
  message: string;
  /** Set if the only weakness is SHA-1, which an archive may accept for what provably existed in time. */
  isSha1?: boolean;
}

/** Limits text that may come from a document. */
const CAUSE_LENGTH_MAX = 100;

/** Creates a fault. `cause` adds detail and may quote the document. */
export function fault(code: FaultCode, message: string, cause?: Error): Fault {
  if (cause === undefined) return { code, message };
  const text = plainText(cause.message, CAUSE_LENGTH_MAX);
  return { code, message: `${message}: ${text}.` };
}

/**
 * Makes text from a document or certificate safe to display or log: removes control characters and cuts it to
 * `charsMax`.
 */
export function plainText(text: string, charsMax: number): string {
  return text.replace(/\p{C}/gu, ' ').slice(0, charsMax);
}
