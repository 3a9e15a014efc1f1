import type { ModificationCode } from '@scriptorium/shared/verification-reasons';
import type { PdfDocument } from '../read/document.ts';
import { isDocumentTimestamp } from '../read/form.ts';
import { type Dict, isName } from '../read/values.ts';

/** What signing a field is called. */
export function signatureCode(document: PdfDocument, signature: Dict | undefined): ModificationCode {
  if (!signature) return 'SIGNATURE_FIELD_ADDED';
  const isTimestamp =
    isDocumentTimestamp(signature) || isName(document.get(signature, 'SubFilter'), 'ETSI.RFC3161');
  return isTimestamp ? 'DOCUMENT_TIMESTAMP' : 'SIGNATURE_ADDED';
}
