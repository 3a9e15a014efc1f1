import type { Certificate } from '@scriptorium/pki/certificates';
import type { Fetcher } from '@scriptorium/pki/fetcher';
import type { Verification } from '../verify-report.ts';

/** What verifying needs beside the document. */
export interface VerifyTools {
  now(): Date;
  /** The service's own certificate first, then its issuers. */
  service: readonly Certificate[];
  /** Whom a request trusts. Throws VALIDATION_ERROR for an unknown profile, and for what is no certificate. */
  anchors(trust: Verification['trust']): readonly Certificate[];
  /** For authorities, where a request has them asked. */
  fetcher: Fetcher;
}

export interface VerifyRequest {
  source: Buffer;
  verification: Verification;
}
