import { type DocMdpLevel, docMdpLevel, type LockedFields, lockedFields } from '@scriptorium/pdf/permissions';
import { countPages, type Form, openPdf, type PdfDocument, readForm } from '@scriptorium/pdf/read';

/** An opened PDF with the properties that signing needs. */
export interface ReadPdf {
  document: PdfDocument;
  form: Form;
  /** The strictest level that a certification or a signature set. */
  docMdp: DocMdpLevel | undefined;
  locks: LockedFields[];
  pageCount: number;
  xrefKind: 'table' | 'stream' | 'hybrid';
  isLinearised: boolean;
  /** Whether its cross-reference data are broken and its objects were found by searching. */
  isSearched: boolean;
  isSigned: boolean;
}

/**
 * Reads what signing needs without reading the whole file: a file of 100,000 objects costs as much as one of ten. Throws
 * what `openPdf` throws.
 */
export function readPdf(bytes: Buffer, password?: string): ReadPdf {
  const { document, isSearched } = openPdf(bytes, password);
  const form = readForm(document);
  const { xref } = document;
  return {
    document,
    form,
    docMdp: docMdpLevel(document, form.signatureFields),
    locks: lockedFields(document, form.signatureFields),
    pageCount: countPages(document),
    xrefKind: xref.isHybrid ? 'hybrid' : (xref.sections[0]?.kind ?? 'table'),
    isLinearised: bytes.toString('latin1', 0, 1_024 + document.base).includes('/Linearized'),
    isSearched,
    isSigned: form.signatureFields.some(({ signature }) => signature !== undefined),
  };
}
