import { AppError } from '@scriptorium/shared/errors';
import { signDocxDocument } from './sign-docx-document.ts';
import { signPdfDocument } from './sign-pdf-document.ts';
import type { Signed, SignRequest, SignTools } from './sign-tools.ts';

/** Readers of PDF look for its header this far (ISO 32000-2, annex H.3, note 13 of earlier editions). */
const PDF_HEADER_BYTES_MAX = 1_024;

/**
 * Signs a PDF (PAdES) or a DOCX (XAdES in its package). Throws AppError: INVALID_FILE_FORMAT for anything else, what
 * reading the document throws, and what keys and authorities throw. A document comes back signed as asked, or not at all.
 */
export function sign(request: SignRequest, tools: SignTools): Promise<Signed> {
  const { source } = request;
  if (source.subarray(0, PDF_HEADER_BYTES_MAX).includes('%PDF-')) return signPdfDocument(request, tools);
  if (source.subarray(0, 2).toString('latin1') === 'PK') return signDocxDocument(request, tools);
  throw new AppError('INVALID_FILE_FORMAT', 'The document is neither a PDF nor a DOCX.');
}
