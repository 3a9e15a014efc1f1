import type { SignaturePlace } from '@scriptorium/pdf/read';
import type { ReadRevision } from '@scriptorium/pdf/revisions';
import type { SignedCore } from '@scriptorium/pki/cms';
import type { ValidationData } from '@scriptorium/pki/revocation';
import type { Fault } from './reasons.ts';
import type { Modification } from './verify-report.ts';

/** Texts of the signer, unbounded and possibly hostile. */
export interface Claims {
  name?: string;
  reason?: string;
  location?: string;
}

/** Facts about one signature, collected by the reader of its document type and judged by the checks. */
export interface SignatureEvidence {
  /** Name of the field or part. */
  id: string;
  type: 'approval' | 'certification' | 'documentTimestamp';
  format: 'PAdES' | 'PKCS7' | 'RFC3161' | 'XAdES' | 'XMLDSig' | 'unknown';
  /** Problems found by the reader; each belongs to the check that `REASONS` names. */
  faults: Fault[];
  /** Undefined if the signature could not be read that far; `faults` give the reasons. */
  core: SignedCore | undefined;
  claimedSigningTime?: Date;
  /** What the signer states about the signature. Signed, but only claims. */
  claims?: Claims;
  /** PDF only; offsets from the start of the file. */
  byteRange?: readonly number[];
  /** From 1; a package has one revision. */
  revision: number;
  totalRevisions: number;
  permissions: {
    docMdp?: 1 | 2 | 3;
    lockedFields?: { action: 'All' | 'Include' | 'Exclude'; fields: string[] }[];
  };
  /** Changes to the document after this signature, in the order of revisions. */
  modifications: Modification[];
}

/** Facts about the signatures of a document, in the order of revisions, then in the order of the form. */
export interface DocumentEvidence {
  contentType: string;
  /** PDF only. */
  revisions?: readonly ReadRevision[];
  pages?: number;
  /** PDF only, in the newest revision. */
  emptyFields?: readonly SignaturePlace[];
  signatures: SignatureEvidence[];
  /** Validation data stored in the document itself: the DSS of a PDF. */
  validationData: ValidationData;
  /** The audit trail in the document; `isSealed`: every signature covers it. */
  audit?: { bytes: Buffer; isSealed: boolean };
}
