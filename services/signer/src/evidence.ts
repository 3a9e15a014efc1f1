import type { Modification } from '@scriptorium/shared/jobs/verify';
import type { ReasonCode } from '@scriptorium/shared/verification-reasons';
import type { ValidationData } from './keys/raw-signer.ts';
import type { Certificate } from './trust/certificate.ts';

/** Something that speaks against a signature. `message` is public: one sentence, bounded, about what was found. */
export interface Fault {
  code: ReasonCode;
  message: string;
}

/** A time-stamp token over a signature value (RFC 3161; EN 319 122-1, 5.3). */
export interface TimestampEvidence {
  time: Date;
  signer: Certificate;
  /** All that came with it, the signer's among them. */
  certificates: Certificate[];
}

/** What the cryptographic core of a signature shows by itself, whoever is trusted. */
export interface SignedCore {
  /** Such as `SHA-256`, `RSA-PKCS1-v1_5`. */
  digestAlgorithm: string;
  signatureAlgorithm: string;
  digestHolds: boolean;
  /** False also where it could not be checked: a fault says why then. */
  signatureHolds: boolean;
  signer: Certificate | undefined;
  /** All that came with it, the signer's among them. */
  certificates: Certificate[];
  /** Whether what is signed names the certificate of the signer (RFC 5035; EN 319 132-1, 5.2.2). */
  namesSigner: 'yes' | 'no' | 'absent';
  /** Those that are about this signature and hold by themselves; the others are faults. */
  timestamps: TimestampEvidence[];
  /** Of a document time-stamp: what it states. */
  statedTime?: Date;
  /** What came inside the signature. */
  validationData: ValidationData;
}

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
