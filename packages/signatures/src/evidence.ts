import type { SignedCore } from '@scriptorium/pki/cms';
import type { ValidationData } from '@scriptorium/pki/revocation';
import type { Fault } from './reasons.ts';
import type { Modification } from './verify-report.ts';

/** What one signature of a document shows: facts, drawn up by the reader of its kind, judged by the checks. */
export interface SignatureEvidence {
  /** Name of the field or part. */
  id: string;
  type: 'approval' | 'certification' | 'documentTimestamp';
  format: 'PAdES' | 'PKCS7' | 'RFC3161' | 'XAdES' | 'XMLDSig' | 'unknown';
  /** What its reader objects to; each counts for the check that `REASONS` names. */
  faults: Fault[];
  /** Undefined where the signature could not be read that far: `faults` say why. */
  core: SignedCore | undefined;
  claimedSigningTime?: Date;
  /** Of a PDF; offsets from the start of the file. */
  byteRange?: readonly number[];
  /** From 1; a package has one. */
  revision: number;
  totalRevisions: number;
  permissions: {
    docMdp?: 1 | 2 | 3;
    lockedFields?: { action: 'All' | 'Include' | 'Exclude'; fields: string[] }[];
  };
  /** What became of the document after this signature, in the order of revisions. */
  modifications: Modification[];
}

/** What a document shows of its signatures, in the order of revisions, and as the form lists them within one. */
export interface DocumentEvidence {
  contentType: string;
  pages?: number;
  signatures: SignatureEvidence[];
  /** What the document itself keeps for validators: the DSS of a PDF. */
  validationData: ValidationData;
  /** The audit trail that the document carries; `isSealed`: every signature covers it. */
  audit?: { bytes: Buffer; isSealed: boolean };
}
