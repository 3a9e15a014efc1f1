import { type FontBook, hostFonts } from '@scriptorium/fonts/font-book';
import { openPdf } from '@scriptorium/pdf/read';
import { literal, Update } from '@scriptorium/pdf/update';
import { A4, drawPages } from '../audit/append-pages.ts';
import { pdfOf } from '../blank-documents.ts';
import type { Picture } from '../verify-report.ts';
import type { ReportModel } from './model.ts';
import { imageName, reportPages } from './pdf-pages.ts';

/** Returns a report as a PDF of A4 pages. Throws a plain Error if the host has no fonts: that is up to its operator. */
export function pdfReport(
  model: ReportModel,
  pictures: readonly Picture[] = [],
  book: FontBook = hostFonts(),
): Buffer {
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
  const images = pictures.map((picture, index) => `/${imageName(index)} ${update.add(imageOf(picture))}`);
  drawPages(update, {
    size: A4,
    book,
    isInstead: true,
    resources: `/XObject<<${images.join('')}>>`,
    pages: (measure) => reportPages(model, pictures, A4, measure),
  });
  return update.finish().bytes;
}

/** The pixels of a PNG that `rendering` wrote: PDF compresses them alike (ISO 32000-2, 7.4.4.4). */
function imageOf({ base64, width, height }: Picture): Buffer {
  const png = Buffer.from(base64.slice(base64.indexOf(',') + 1), 'base64');
  const type = png.indexOf('IDAT', 0, 'latin1');
  const data = png.subarray(type + 4, type + 4 + png.readUInt32BE(type - 4));
  const size = `/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8`;
  const filter = `/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors 3/Columns ${width}>>`;
  return literal.stream(`/Type/XObject/Subtype/Image${size}${filter}`, data);
}
