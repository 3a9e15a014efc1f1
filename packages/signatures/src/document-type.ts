import { isCompoundFile } from '@scriptorium/ooxml/package';

export const PDF_TYPE = 'application/pdf';
export const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** Readers of PDF look for its header this far (ISO 32000-2, annex H.3, note 13 of earlier editions). */
const PDF_HEADER_BYTES_MAX = 1_024;

/** What kind of document the bytes begin as; undefined where it is none that is signed here. */
export function detectDocumentType(source: Buffer): 'pdf' | 'docx' | undefined {
  if (source.subarray(0, PDF_HEADER_BYTES_MAX).includes('%PDF-')) return 'pdf';
  // An encrypted DOCX is a compound file, of which the reader of packages says so.
  return source.subarray(0, 2).toString('latin1') === 'PK' || isCompoundFile(source) ? 'docx' : undefined;
}
