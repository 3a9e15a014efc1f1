export { lineWidth, normalAppearance, numbersIn } from '../read/annotations.ts';
export { Costs } from '../read/bounds.ts';
export { PdfDocument, type PdfObject } from '../read/document.ts';
export { type Form, isDocumentTimestamp, readForm, type SignatureField } from '../read/form.ts';
export { openPdf } from '../read/open.ts';
export { pageSignatures } from '../read/page-signatures.ts';
export {
  type Box,
  countPages,
  eachPage,
  findPage,
  inheritedFrom,
  type Page,
  readBox,
  turnOf,
} from '../read/pages.ts';
export { emptySignatureFields, type SignaturePlace } from '../read/signature-places.ts';
export { Dict, type DictEntry, isName, Name, PdfString, type PdfValue, Ref, Stream } from '../read/values.ts';
export { isSameEntry } from '../read/xref-entry.ts';
export type { DocumentRights } from '../security/rights.ts';
