import { malformed, PdfError } from '../pdf-error.ts';
import { openSecurity } from '../security/security.ts';
import { BOUNDS, Costs } from './bounds.ts';
import { PdfDocument } from './document.ts';
import { findPage } from './pages.ts';
import { searchXref } from './search-objects.ts';
import { findStartxref, readXref } from './xref.ts';

/** Returns the position of `%PDF-` in the first KiB. */
function findHeader(bytes: Buffer): number {
  const base = bytes.subarray(0, BOUNDS.junkBytesMax + 8).indexOf('%PDF-', 0, 'latin1');
  if (base === -1) throw malformed('it does not begin with %PDF-');
  return base;
}

/** Returns the document read with decryption if its newest trailer says that it is encrypted. */
function unlocked(document: PdfDocument, password: string | undefined): PdfDocument {
  if (document.trailer.get('Encrypt') === null) return document;
  return document.decryptedBy(openSecurity(document, password));
}

/** Returns the document if its first page is found; otherwise its cross-reference data are wrong. */
function withPages(document: PdfDocument): PdfDocument {
  if (!findPage(document, 1)) throw malformed('it has no pages');
  return document;
}

/** Opens a document by its cross-reference sections. Offsets count from the header or, in many files, from the start. */
function openByXref(bytes: Buffer, base: number, costs: Costs, password: string | undefined): PdfDocument {
  const { offset } = findStartxref(bytes);
  let failure: unknown;
  for (const from of base > 0 ? [base, 0] : [0]) {
    try {
      const xref = readXref(bytes, from, offset, costs);
      return withPages(unlocked(new PdfDocument(bytes, from, xref, costs), password));
    } catch (error) {
      failure ??= error;
      if (!(error instanceof PdfError) || error.code !== 'INVALID_FILE_FORMAT') throw error;
    }
  }
  throw failure;
}

function openBySearch(bytes: Buffer, base: number, password: string | undefined): PdfDocument {
  const costs = new Costs();
  const unlock = (document: PdfDocument) => unlocked(document, password);
  const xref = searchXref(bytes, base, costs, unlock);
  return withPages(unlock(new PdfDocument(bytes, base, xref, costs)));
}

/** Like `openPdf`, for intact cross-reference sections only; `costs` may include those of other documents. */
export const openStrictly = (bytes: Buffer, costs: Costs, password: string | undefined): PdfDocument =>
  openByXref(bytes, findHeader(bytes), costs, password);

/**
 * Opens a PDF and reads what is needed through its cross-reference sections. If these are broken, searches the file for its
 * objects (`isSearched`). `password` is that of the user or owner; by default the empty one. Throws INVALID_FILE_FORMAT,
 * PASSWORD_REQUIRED, PASSWORD_WRONG, DOCUMENT_ENCRYPTED for encryption that is not supported, or DOCUMENT_TOO_COMPLEX.
 */
export function openPdf(bytes: Buffer, password?: string): { document: PdfDocument; isSearched: boolean } {
  const base = findHeader(bytes);
  try {
    return { document: openByXref(bytes, base, new Costs(), password), isSearched: false };
  } catch (error) {
    if (!(error instanceof PdfError) || error.code !== 'INVALID_FILE_FORMAT') throw error;
    return { document: openBySearch(bytes, base, password), isSearched: true };
  }
}
