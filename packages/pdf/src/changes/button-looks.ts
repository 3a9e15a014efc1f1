import { createHash } from 'node:crypto';
import { Dict, isName, type Stream } from '../read/values.ts';
import type { Comparison } from './comparison.ts';
import { hasProgram } from './font-text.ts';
import { isDrawnAlike, operatorsOf, statesOf } from './look-states.ts';

/** Check, circle, cross, diamond, square and star of ZapfDingbats: marks of buttons in all writers. */
const MARKS: ReadonlySet<string> = new Set(
  [...'4l8unH'].map((letter) => createHash('sha256').update(letter).digest('hex')),
);
/** In points; a smaller mark counts as unreadable. */
const EM_MIN = 1.5;
/** A frame and a background, both rectangles: other paths may be read as marks. */
const SHAPES_MAX = 2;
const OTHER_PATHS = /(?:^|[\s\])>])(?:m|l|c|v|y|Do|sh|BI)(?:\s|$)/;

/**
 * Whether each state of a button keeps its look, or shows in a new one what it means: `Off` is empty, and others have a usual
 * mark. No state may be added. iText and others draw the looks anew when they fill in a form.
 */
export function areStatesAlike(c: Comparison, before: Dict, now: Dict): boolean {
  const [old, states] = [statesOf(c.older, before, 'N'), statesOf(c.newer, now, 'N')];
  if (old.size > 0 && [...states.keys()].some((state) => state !== 'Off' && !old.has(state))) return false;
  return [...old].every(([state, look]) => {
    const other = states.get(state);
    return other !== undefined && (isDrawnAlike(c, look, other) || isUsualLook(c, state, other));
  });
}

function isUsualLook(c: Comparison, state: string, look: Stream): boolean {
  const operators = operatorsOf(c, c.newer, look);
  if (typeof operators !== 'string' || OTHER_PATHS.test(operators)) return false;
  const drawn = c.marks.ofForm(c.newer, look);
  if (!drawn?.view?.isPlain || drawn.view.runsOut || drawn.shapes > SHAPES_MAX) return false;
  if (state === 'Off' || state === '')
    return state === 'Off' && drawn.words === '' && drawn.marks.length === 0;
  const isMark = drawn.marks.length === 1 && MARKS.has(drawn.text) && drawn.view.em >= EM_MIN;
  return isMark && drawn.fonts.length === 1 && drawn.fonts.every((font) => isDingbats(c, font));
}

/** Whether readers draw a font with their own ZapfDingbats. */
function isDingbats({ newer }: Comparison, font: Dict): boolean {
  if (!isName(newer.get(font, 'BaseFont'), 'ZapfDingbats') || hasProgram(newer, font)) return false;
  return isName(newer.get(font, 'Subtype'), 'Type1') && !(newer.get(font, 'Encoding') instanceof Dict);
}
