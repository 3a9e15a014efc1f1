import { isCompoundFile } from '@scriptorium/ooxml/package';

export const PDF_TYPE = 'application/pdf';
export const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** PDF readers search this many bytes for the header (ISO 32000-2, annex H.3, note 13 of earlier editions). */
const PDF_HEADER_BYTES_MAX = 1_024;

/** Detects the document type from the first bytes; undefined if the type cannot be signed. */
export function detectDocumentType(source: Buffer): 'pdf' | 'docx' | undefined {
  if (source.subarray(0, PDF_HEADER_BYTES_MAX).includes('%PDF-')) return 'pdf';
  // An encrypted DOCX is a compound file; the package reader reports it.
  return source.subarray(0, 2).toString('latin1') === 'PK' || isCompoundFile(source) ? 'docx' : undefined;
}
