import { detectDocumentType } from '../document-type.ts';
import { SignatureError } from '../signature-error.ts';
import { augmentDocx } from './augment-docx.ts';
import { augmentPdf } from './augment-pdf.ts';
import type { Augmented, AugmentRequest, AugmentTools } from './augment-tools.ts';

/**
 * Raises the signatures of a PDF or DOCX to a level, or renews the archive time-stamp of a PDF. No byte that a signature covers
 * changes. Throws SignatureError: UNPROCESSABLE without a signature or with an invalid one, UNSUPPORTED_LEVEL, or
 * VALIDATION_ERROR for an unknown signature. Also throws what reading the document and the authorities throw.
 */
export async function augmentDocument(request: AugmentRequest, tools: AugmentTools): Promise<Augmented> {
  switch (detectDocumentType(request.source)) {
    case 'pdf':
      return augmentPdf(request, tools);
    case 'docx':
      return augmentDocx(request, tools);
    default:
      throw new SignatureError('INVALID_FILE_FORMAT', 'The document is neither a PDF nor a DOCX.');
  }
}
