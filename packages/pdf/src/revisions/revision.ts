import type { PdfDocument } from '../read/document.ts';

/** The document as it was before later updates were appended: its bytes up to `end`, read for themselves. */
export interface PdfRevision {
  /** From 1. */
  number: number;
  /** Length of the file up to and with its `%%EOF` and the line end behind it. */
  end: number;
  document: PdfDocument;
}
