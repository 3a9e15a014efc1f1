import {
  type Box,
  Dict,
  isName,
  lineWidth,
  normalAppearance,
  numbersIn,
  type PdfDocument,
  type PdfValue,
  readBox,
} from '@scriptorium/pdf/read';

/** Markup that PDFium draws like other readers, and what is not drawn without an appearance. */
const DRAWN_ALIKE = ['Highlight', 'Underline', 'StrikeOut', 'Squiggly', 'Popup', 'Widget'];
/** Keys with coordinates, beyond which a line has half of its width (ISO 32000-2, 12.5.6). */
const POINTS = ['InkList', 'L', 'Vertices', 'CL', 'QuadPoints'];
/** Links have a thin frame by default, which hides nothing. */
const LINK_BORDER_MAX = 2;

/**
 * The area in which readers may draw an annotation without an appearance, each in its own way. It covers its rectangle and its
 * points, in units of the page. Undefined if it has an appearance, or all draw it alike.
 */
export function drawnArea(document: PdfDocument, annotation: PdfValue): Box | undefined {
  if (!(annotation instanceof Dict)) return undefined;
  const type = document.get(annotation, 'Subtype');
  const isLink = isName(type, 'Link');
  // Poppler draws the frame of a link even if it has an appearance.
  if (!isLink && normalAppearance(document, annotation)) return undefined;
  if (DRAWN_ALIKE.some((name) => isName(type, name))) return undefined;
  const width = lineWidth(document, annotation);
  if (isLink && width <= LINK_BORDER_MAX) return undefined;
  const xs: number[] = [];
  const ys: number[] = [];
  const rect = readBox(document.get(annotation, 'Rect'), document);
  if (rect) {
    xs.push(rect[0], rect[2]);
    ys.push(rect[1], rect[3]);
  }
  for (const key of POINTS) {
    for (const [index, coordinate] of numbersIn(document, document.get(annotation, key)).entries())
      (index % 2 === 0 ? xs : ys).push(coordinate);
  }
  if (xs.length === 0 || ys.length === 0) return undefined;
  const least = (values: number[]) => values.reduce((a, b) => Math.min(a, b)) - width / 2;
  const most = (values: number[]) => values.reduce((a, b) => Math.max(a, b)) + width / 2;
  return [least(xs), least(ys), most(xs), most(ys)];
}
