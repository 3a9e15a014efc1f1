import type { Certificate } from '@scriptorium/pki/certificates';
import type { Fetcher } from '@scriptorium/pki/fetcher';
import type { Verification } from '../verify-report.ts';

/** What verifying needs besides the document. */
export interface VerifyTools {
  now(): Date;
  /** The service's own certificate first, then its issuers. */
  service: readonly Certificate[];
  /** Returns the trust anchors of a request. Throws VALIDATION_ERROR for an unknown profile or an invalid certificate. */
  anchors(trust: Verification['trust']): readonly Certificate[];
  /** Reaches authorities if a request allows it. */
  fetcher: Fetcher;
}

export interface VerifyRequest {
  source: Buffer;
  verification: Verification;
  /** The password of an encrypted PDF, of its user or owner; must not be logged. */
  password?: string | undefined;
}
