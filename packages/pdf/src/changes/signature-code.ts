import type { PdfDocument } from '../read/document.ts';
import { isDocumentTimestamp } from '../read/form.ts';
import { type Dict, isName } from '../read/values.ts';
import type { ChangeCode } from './change.ts';

/** The change code for signing a field. */
export function signatureCode(document: PdfDocument, signature: Dict | undefined): ChangeCode {
  if (!signature) return 'SIGNATURE_FIELD_ADDED';
  const isTimestamp =
    isDocumentTimestamp(signature) || isName(document.get(signature, 'SubFilter'), 'ETSI.RFC3161');
  return isTimestamp ? 'DOCUMENT_TIMESTAMP' : 'SIGNATURE_ADDED';
}
