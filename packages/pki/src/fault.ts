/** What may be wrong with a CMS, a certificate or what its authorities say of it. */
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

/** Something that speaks against a signature. `message` is public: one sentence, bounded, about what was found. */
export interface Fault {
  code: FaultCode;
  message: string;
}

/** Characters of what may hold text out of a document. */
const CAUSE_LENGTH_MAX = 100;

/** A fault; `cause` says more, and may quote the document. */
export function fault(code: FaultCode, message: string, cause?: Error): Fault {
  if (cause === undefined) return { code, message };
  const text = plainText(cause.message, CAUSE_LENGTH_MAX);
  return { code, message: `${message}: ${text}.` };
}

/** Text of a document or certificate for people and logs: without what could act on whoever shows it, and no longer than this. */
export function plainText(text: string, charsMax: number): string {
  return text.replace(/\p{C}/gu, ' ').slice(0, charsMax);
}
