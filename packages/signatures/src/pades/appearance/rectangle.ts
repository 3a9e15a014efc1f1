import type { Box, Page } from '@scriptorium/pdf/read';
import type { Appearance } from '../../sign-request.ts';
import { SignatureError } from '../../signature-error.ts';

/** In points: tolerance at the page edge for sums of decimal fractions. */
const TOLERANCE = 0.01;

const refuse = (issue: string): SignatureError =>
  new SignatureError('VALIDATION_ERROR', 'The signature cannot be shown at the requested place.', {
    details: [{ field: 'appearance.rectangle', issue }],
  });

/** Returns width and height of a page as displayed. */
function shownSize({ box, rotation }: Page): [number, number] {
  const width = box[2] - box[0];
  const height = box[3] - box[1];
  return rotation % 180 === 0 ? [width, height] : [height, width];
}

/**
 * Converts a rectangle relative to the lower left corner of the page as displayed into the page's default user space. Throws
 * VALIDATION_ERROR if it is empty or not entirely on the page.
 */
export function toUserSpace({ x, y, width, height }: NonNullable<Appearance['rectangle']>, page: Page): Box {
  const [pageWidth, pageHeight] = shownSize(page);
  if (!(width > 0) || !(height > 0)) throw refuse('Its width and height must be greater than 0.');
  const isOutside =
    Math.min(x, y) < -TOLERANCE || x + width > pageWidth + TOLERANCE || y + height > pageHeight + TOLERANCE;
  if (isOutside) throw refuse(`The page is ${round(pageWidth)} points wide and ${round(pageHeight)} high.`);
  const [left, bottom, right, top] = page.box;
  switch (page.rotation) {
    case 0:
      return [left + x, bottom + y, left + x + width, bottom + y + height];
    case 90:
      return [right - y - height, bottom + x, right - y, bottom + x + width];
    case 180:
      return [right - x - width, top - y - height, right - x, top - y];
    case 270:
      return [left + y, top - x - width, left + y + height, top - x];
  }
}

const round = (points: number): number => Math.round(points * 100) / 100;
