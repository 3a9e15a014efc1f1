import { textOf } from '../changes/shown-text.ts';
import type { PdfDocument } from '../read/document.ts';
import type { Dict } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import type { Frame } from './frame.ts';

/** A circle of four curves in the unit square. */
const CIRCLE = '1 .5 m 1 .776 .776 1 .5 1 c .224 1 0 .776 0 .5 c 0 .224 .224 0 .5 0 c .776 0 1 .224 1 .5 c f';
/** The marks that forms name by their letters in ZapfDingbats (/CA), in the unit square: readers have different fonts. */
const MARKS: Readonly<Record<string, string>> = {
  '4': '.13 w .08 .45 m .38 .12 l .92 .88 l S',
  '8': '.13 w .1 .1 m .9 .9 l .1 .9 m .9 .1 l S',
  H: '.5 1 m .62 .64 l 1 .62 l .69 .4 l .8 .03 l .5 .25 l .2 .03 l .31 .4 l 0 .62 l .38 .64 l f',
  l: CIRCLE,
  n: '0 0 1 1 re f',
  u: '.5 1 m 1 .5 l .5 0 l 0 .5 l f',
};
const SHARE = 0.6;

/** The content of the look of a button that is on; `mark` is what it has if the form names none. */
export function markLook(
  document: PdfDocument,
  widget: Dict,
  frame: Frame,
  { mark, color, stroke }: { mark: string; color: string; stroke: string },
): string {
  const facts = document.dict(widget, 'MK');
  const named = textOf(facts ? document.get(facts, 'CA') : null);
  const drawn = (Object.hasOwn(MARKS, named) ? MARKS[named] : MARKS[mark]) ?? CIRCLE;
  const side = SHARE * Math.min(frame.width, frame.height);
  const place = [side, 0, 0, side, (frame.width - side) / 2, (frame.height - side) / 2].map(literal.number);
  return `${frame.drawn}q ${color} ${stroke} ${place.join(' ')} cm ${drawn} Q`;
}
