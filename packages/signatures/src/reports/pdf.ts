import { type FontBook, hostFonts } from '@scriptorium/fonts/font-book';
import { openPdf } from '@scriptorium/pdf/read';
import { literal, Update } from '@scriptorium/pdf/update';
import { A4, drawPages } from '../audit/append-pages.ts';
import { pdfOf } from '../blank-documents.ts';
import type { ReportModel } from './model.ts';
import { reportPages } from './pdf-pages.ts';

/** Returns a report as a PDF of A4 pages. Throws a plain Error if the host has no fonts: that is up to its operator. */
export function pdfReport(model: ReportModel, book: FontBook = hostFonts()): Buffer {
  if (book.isEmpty) throw new Error('This host has no fonts, with which a report could be drawn.');
  const base = pdfOf(
    [
      '<</Type/Catalog/Pages 2 0 R/Lang(en)/ViewerPreferences<</DisplayDocTitle true>>>>',
      '<</Type/Pages/Kids[4 0 R]/Count 1>>',
      `<</Title${literal.text(model.title)}/Producer(Scriptorium)>>`,
      // A PDF must have a page; those of the report replace it.
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>',
    ],
    '/Info 3 0 R',
  );
  const update = new Update(openPdf(base).document);
  drawPages(update, { size: A4, book, isInstead: true, pages: (measure) => reportPages(model, A4, measure) });
  return update.finish().bytes;
}
