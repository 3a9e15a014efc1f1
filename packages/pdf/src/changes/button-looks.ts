import { createHash } from 'node:crypto';
import { type Dict, isName, type Stream } from '../read/values.ts';
import type { Comparison } from './comparison.ts';
import { isInView } from './field-look.ts';
import { isDrawnAlike, operatorsOf, statesOf } from './look-states.ts';

/** Check, circle, cross, diamond, square and star of ZapfDingbats: marks of buttons in all writers. */
const MARKS: ReadonlySet<string> = new Set(
  [...'4l8unH'].map((letter) => createHash('sha256').update(letter).digest('hex')),
);
/** Share of the longer side of the look: a smaller mark may be overlooked. */
const SHARE_MIN = 0.25;
/** A frame and a background, both rectangles: other paths may be read as marks. */
const SHAPES_MAX = 2;
const DINGBATS_KEYS: ReadonlySet<string> = new Set(['Type', 'Subtype', 'BaseFont', 'Name']);
/** Operators of two circles. Letters may be drawn with more. */
const PATHS = /(?:^|[\s\])>])(?:m|l|c|v|y|re)(?=\s|$)/g;
const PATHS_MAX = 12;
const OTHER_PATHS = /(?:^|[\s\])>])(?:m|l|c|v|y|Do|sh|BI)(?:\s|$)/;

/**
 * Whether each state of a button keeps its look, or shows in a new one what it means. `Off` is empty, and others have a usual
 * mark. No state may be added but an empty `Off`. iText and others draw the looks anew when they fill in a form.
 */
export function areStatesAlike(c: Comparison, before: Dict, now: Dict, isFilled: boolean): boolean {
  const [old, states] = [statesOf(c.older, before, 'N'), statesOf(c.newer, now, 'N')];
  const isNew = old.size === 0;
  if ([...old.keys()].some((state) => !states.has(state))) return false;
  return [...states].every(([state, look]) => {
    const known = old.get(state);
    if (!known) return (isNew || state === 'Off') && isUsualLook(c, now, state, look);
    return (
      isDrawnAlike(c, known, look) ||
      (isFilled && isReplaceable(c, state, known) && isUsualLook(c, now, state, look))
    );
  });
}

/** Whether a signed look has no words and no picture, which a new one would lack. */
function isReplaceable(c: Comparison, state: string, look: Stream): boolean {
  const drawn = c.marks.ofForm(c.older, look);
  if (!drawn) return false;
  if (state !== 'Off') return drawn.marks.length === 0 || (drawn.marks.length === 1 && MARKS.has(drawn.text));
  const operators = operatorsOf(c, c.older, look);
  const paths = typeof operators === 'string' ? [...operators.matchAll(PATHS)].length : PATHS_MAX + 1;
  return drawn.marks.length === 0 && paths <= PATHS_MAX;
}

function isUsualLook(c: Comparison, widget: Dict, state: string, look: Stream): boolean {
  const operators = operatorsOf(c, c.newer, look);
  if (typeof operators !== 'string' || OTHER_PATHS.test(operators)) return false;
  const drawn = c.marks.ofForm(c.newer, look);
  const view = drawn?.view;
  if (!drawn || !view?.isBare || drawn.shapes > SHAPES_MAX || !isInView(c, widget, look, drawn)) return false;
  if (state === 'Off' || state === '')
    return state === 'Off' && drawn.words === '' && drawn.marks.length === 0;
  const isMark = drawn.marks.length === 1 && MARKS.has(drawn.text) && view.share >= SHARE_MIN;
  return isMark && drawn.fonts.length === 1 && drawn.fonts.every((font) => isDingbats(c, font));
}

/** Whether readers draw a font with their own ZapfDingbats. An encoding or widths would change its letters. */
function isDingbats({ newer }: Comparison, font: Dict): boolean {
  if (!isName(newer.get(font, 'BaseFont'), 'ZapfDingbats')) return false;
  const isPlain = [...font.entries.keys()].every((key) => DINGBATS_KEYS.has(key));
  return isPlain && isName(newer.get(font, 'Subtype'), 'Type1');
}
