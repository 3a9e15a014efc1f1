import type { Signing } from '../sign-request.ts';
import { SignatureError } from '../signature-error.ts';

/** What a request says of a signature that only a PDF can have. */
const PDF_OPTIONS = ['certify', 'lockFields', 'field', 'appearance', 'location'] as const;

/** Throws VALIDATION_ERROR naming each option that a DOCX has no place for. */
export function refusePdfOptions(signing: Signing): void {
  const details = PDF_OPTIONS.filter((name) => signing[name] !== undefined).map((name) => ({
    field: name,
    issue: 'is an option for PDF documents; with `to=pdf` a DOCX becomes one',
  }));
  if (details.length > 0)
    throw new SignatureError('VALIDATION_ERROR', 'The document is a DOCX; some options are for PDF.', {
      details,
    });
}
