import type { PdfDocument } from '../read/document.ts';

/** The document before later updates were appended: its bytes up to `end`, read separately. */
export interface PdfRevision {
  /** From 1. */
  number: number;
  /** File length including the `%%EOF` and the line end after it. */
  end: number;
  document: PdfDocument;
}
