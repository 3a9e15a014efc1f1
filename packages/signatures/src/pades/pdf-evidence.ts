import { ChangeHistory, modificationsAfter } from '@scriptorium/pdf/changes';
import { tooComplex, unlessMalformed } from '@scriptorium/pdf/error';
import { countPages, emptySignatureFields } from '@scriptorium/pdf/read';
import { openRevisions, type RevisionHistory } from '@scriptorium/pdf/revisions';
import { isStoredData } from '@scriptorium/pki/revocation';
import { sealedAudit } from '../audit/find-audit.ts';
import type { DocumentEvidence, SignatureEvidence } from '../evidence.ts';
import { SIGNATURE_BOUNDS } from './bounds.ts';
import { findSignatures } from './find-signatures.ts';
import type { PdfSignature } from './found-signature.ts';
import { readValue } from './read-value.ts';
import {
  asPermittedChanges,
  type Permissions,
  permittedAfter,
  permittedBy,
} from './signature-permissions.ts';
import { storedValidationData } from './stored-validation-data.ts';

const NAME_CHARS_MAX = 500;

/**
 * Collects the evidence of a PDF's signatures: those of the newest revision and those that earlier ones had, each as in its
 * signed revision. Problems of a signature are its faults. Throws what `openRevisions` throws.
 */
export function readPdfEvidence(bytes: Buffer, password?: string): DocumentEvidence {
  const history = openRevisions(bytes, password);
  const { document } = history.last;
  const signatures = findSignatures(history);
  requireBounds(signatures);
  const evidence = readAll(signatures, history);
  const people = signatures.filter((_, index) => evidence[index]?.type !== 'documentTimestamp');
  const pages = unlessMalformed(() => countPages(document));
  const stored = unlessMalformed(() => storedValidationData(document));
  const audit = sealedAudit(document, people);
  return {
    contentType: 'application/pdf',
    revisions: history.revisions,
    ...(pages !== undefined && { pages }),
    emptyFields: unlessMalformed(() => emptySignatureFields(document)) ?? [],
    signatures: evidence,
    validationData: stored ?? { certificates: [], ocsps: [], crls: [] },
    ...(audit && { audit }),
  };
}

function requireBounds(signatures: readonly PdfSignature[]): void {
  const bytes = signatures.reduce(
    (sum, { byteRange: [, length, , rest] = [0, 0, 0, 0] }) => sum + length + rest,
    0,
  );
  if (bytes > SIGNATURE_BOUNDS.signedBytesMax) {
    throw tooComplex(`signatures over more than ${SIGNATURE_BOUNDS.signedBytesMax} bytes`);
  }
}

function readAll(
  signatures: readonly PdfSignature[],
  { revisions, last }: RevisionHistory,
): SignatureEvidence[] {
  const permitted = signatures.map(permittedBy);
  const after = permittedAfter(signatures, permitted);
  const [first] = signatures;
  // Revisions before the first signature do not matter.
  const changes = new ChangeHistory(revisions.slice((first?.revision.number ?? 1) - 1), isStoredData);
  return signatures.map((signature, index) => ({
    ...evidenceOf(last.document.bytes, signature, permitted[index] ?? { locks: [] }),
    totalRevisions: revisions.length,
    modifications: modificationsAfter(
      changes,
      signature.revision.number,
      asPermittedChanges(after[index] ?? { locks: [] }),
    ),
  }));
}

function evidenceOf(
  file: Buffer,
  signature: PdfSignature,
  { docMdp, locks }: Permissions,
): Omit<SignatureEvidence, 'totalRevisions' | 'modifications'> {
  const { name, byteRange, revision, certification } = signature;
  const { format, isTimestamp, faults, core, claimedSigningTime, claims } = readValue(file, signature);
  const type = certification ? 'certification' : 'approval';
  const lockedFields = locks.map(({ action, fields }) => ({ action, fields }));
  return {
    id: name.slice(0, NAME_CHARS_MAX),
    type: isTimestamp ? 'documentTimestamp' : type,
    format,
    faults: [...signature.faults, ...faults],
    core,
    ...(claimedSigningTime && { claimedSigningTime }),
    claims,
    ...(byteRange && { byteRange }),
    revision: revision.number,
    permissions: { ...(docMdp && { docMdp }), ...(lockedFields.length > 0 && { lockedFields }) },
  };
}
