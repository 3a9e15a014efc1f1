import { tooComplex } from '@scriptorium/pdf/error';
import { type Dict, isDocumentTimestamp, Name, PdfString } from '@scriptorium/pdf/read';
import { readSignedCore, type SignedCore } from '@scriptorium/pki/cms';
import type { ReasonCode } from '../reasons.ts';
import { SignatureError } from '../signature-error.ts';
import { SIGNATURE_BOUNDS } from './bounds.ts';
import { readByteRange } from './byte-range.ts';
import { type ByteRange, signedParts } from './prepared.ts';
import type { ReadPdf } from './read-pdf.ts';
import { subFilterOf } from './sub-filters.ts';

const NAMES_SHOWN_MAX = 5;
const NAME_CHARS_MAX = 100;

/** An existing signature of a document. */
export interface EarlierSignature {
  fieldName: string;
  kind: 'signature' | 'documentTimestamp';
  subFilter: string;
  /** Undefined if it violates ISO 32000-2, 12.8.1. */
  byteRange: ByteRange | undefined;
  /** The whole value including the zeros after the CMS. */
  contents: Buffer;
  /** Undefined if its CMS could not be read. */
  core?: SignedCore;
  /** `unknown` for a signature type that is not supported. */
  verdict: 'holds' | 'digestMismatch' | 'signatureInvalid' | 'malformed' | 'unknown';
}

/** Returns the byte range if it covers the file from its start except the value itself. */
function byteRangeOf({ document }: ReadPdf, signature: Dict): ByteRange | undefined {
  const { byteRange, faults } = readByteRange(document, signature);
  return faults.length === 0 ? byteRange : undefined;
}

function check(pdf: ReadPdf, name: string, signature: Dict): EarlierSignature {
  const { document } = pdf;
  const subFilter = document.get(signature, 'SubFilter');
  const value = document.get(signature, 'Contents');
  const contents = value instanceof PdfString ? value.bytes : Buffer.alloc(0);
  const byteRange = byteRangeOf(pdf, signature);
  const earlier = {
    fieldName: name,
    kind: isDocumentTimestamp(signature) ? ('documentTimestamp' as const) : ('signature' as const),
    subFilter: subFilter instanceof Name ? subFilter.text : '',
    byteRange,
    contents,
  };
  if (!byteRange) return { ...earlier, verdict: 'malformed' };
  return { ...earlier, ...judge(earlier.subFilter, contents, signedParts(document.bytes, byteRange)) };
}

/** Maps faults to verdicts, the worst first; other faults do not make the signature itself invalid. */
const VERDICTS: [ReasonCode, EarlierSignature['verdict']][] = [
  ['CMS_INVALID', 'malformed'],
  ['CONTENT_ENCAPSULATED', 'malformed'],
  ['SIGNER_CERTIFICATE_MISSING', 'malformed'],
  ['DIGEST_MISMATCH', 'digestMismatch'],
  ['SIGNATURE_INVALID', 'signatureInvalid'],
  ['SIGNING_CERTIFICATE_MISMATCH', 'signatureInvalid'],
  ['ALGORITHM_UNSUPPORTED', 'unknown'],
];

function judge(
  subFilter: string,
  contents: Buffer,
  parts: readonly Buffer[],
): Pick<EarlierSignature, 'core' | 'verdict'> {
  const kind = subFilterOf(subFilter)?.kind;
  if (kind === undefined) return { verdict: 'unknown' };
  const { core, faults } = readSignedCore(contents, parts, kind, false);
  const [, verdict] = VERDICTS.find(([code]) => faults.some((each) => each.code === code)) ?? [];
  return { ...(core && { core }), verdict: verdict ?? 'holds' };
}

/**
 * Returns all signatures of a document in field order: whether each covers its byte range and is valid by itself. Throws
 * DOCUMENT_TOO_COMPLEX.
 */
export function earlierSignatures(pdf: ReadPdf): EarlierSignature[] {
  const known = new Map<Dict, EarlierSignature>();
  let signedBytes = 0;
  for (const { name, signature } of pdf.form.signatureFields) {
    if (!signature || known.has(signature)) continue;
    const [, length = 0, , rest = 0] = byteRangeOf(pdf, signature) ?? [];
    signedBytes += length + rest;
    if (known.size === SIGNATURE_BOUNDS.signaturesMax)
      throw tooComplex(`more than ${SIGNATURE_BOUNDS.signaturesMax} signatures`);
    if (signedBytes > SIGNATURE_BOUNDS.signedBytesMax) {
      throw tooComplex(`signatures over more than ${SIGNATURE_BOUNDS.signedBytesMax} bytes`);
    }
    known.set(signature, check(pdf, name, signature));
  }
  return pdf.form.signatureFields.flatMap(({ name, signature }) => {
    const earlier = signature && known.get(signature);
    return earlier ? [{ ...earlier, fieldName: name }] : [];
  });
}

/** Throws UNPROCESSABLE if a signature is invalid: a new signature would lend it credibility. */
export function refuseBrokenSignatures(signatures: readonly EarlierSignature[]): void {
  const broken = signatures.filter(({ verdict }) => verdict !== 'holds' && verdict !== 'unknown');
  if (broken.length === 0) return;
  const some = broken
    .slice(0, NAMES_SHOWN_MAX)
    .map(({ fieldName }) => `\`${fieldName.slice(0, NAME_CHARS_MAX)}\``);
  const names = some.join(', ') + (some.length < broken.length ? '…' : '');
  throw new SignatureError('UNPROCESSABLE', `Earlier signatures of the document are not valid: ${names}.`);
}
