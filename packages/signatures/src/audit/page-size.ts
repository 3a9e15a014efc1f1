import type { PdfDocument } from '@scriptorium/pdf/read/document';
import { countPages, findPage } from '@scriptorium/pdf/read/pages';
import type { PageSize } from './sheet.ts';

/** Points. A page with a side outside of these is no place for text. */
const SIDE_MIN = 340;
const SIDE_MAX = 1_300;
const A4: PageSize = { width: 595.276, height: 841.89 };

/**
 * The size of a document's last page as it is shown: cropped, turned and in its own units. A4 where the document has no
 * page, or one unfit for text, such as a stamp or a plan.
 */
export function lastPageSize(document: PdfDocument): PageSize {
  const page = findPage(document, countPages(document));
  if (!page) return A4;
  const [left, bottom, right, top] = page.box;
  const unit = document.get(page.object.value, 'UserUnit');
  const scale = typeof unit === 'number' && unit > 0 ? unit : 1;
  const across = (right - left) * scale;
  const along = (top - bottom) * scale;
  if (Math.min(across, along) < SIDE_MIN || Math.max(across, along) > SIDE_MAX) return A4;
  const isTurned = page.rotation === 90 || page.rotation === 270;
  return isTurned ? { width: along, height: across } : { width: across, height: along };
}
