import { createHash } from 'node:crypto';
import { visualOrder } from '@scriptorium/fonts/text-line';
import { normalAppearance } from '../read/annotations.ts';
import { readBox } from '../read/pages.ts';
import { Dict, PdfString, type PdfValue, Stream } from '../read/values.ts';
import { saysChoice } from './choices.ts';
import type { Comparison } from './comparison.ts';
import type { Drawing } from './drawing.ts';
import { formMatrix } from './drawing-state.ts';
import { fieldType, flagsOf, inheritedField, PASSWORD } from './field.ts';
import { formattedBy } from './format-scripts.ts';
import { drawsKnownLetters } from './look-fonts.ts';
import { isInState, statesOf } from './look-states.ts';
import { isSameMeaning } from './same-meaning.ts';
import { plain, standsAlike, textOf } from './shown-text.ts';
import { isSquare, STRETCH_MIN } from './words-in-view.ts';

/** In points; smaller letters count as unreadable. */
const EM_MIN = 1.5;
const NO_TEXT = createHash('sha256').digest('hex');
/** Scripts whose display order differs from their logical order. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/**
 * Whether the rollover and down appearances show the same text as the normal one. Those of a button that were signed, as
 * `before` has them, may differ: they are seen as long as it is pressed.
 */
export function hasOneLook(c: Comparison, annotation: Dict, before?: Dict): boolean {
  const { newer, marks } = c;
  const looks = newer.get(annotation, 'AP');
  if (looks === null) return true;
  if (!(looks instanceof Dict) || looks.repeatedKeys.length > 0) return false;
  if ([...looks.entries.keys()].some((key) => !['N', 'R', 'D'].includes(key))) return false;
  const normal = statesOf(newer, annotation, 'N');
  return (['R', 'D'] as const).every((kind) => {
    const signed = before && statesOf(c.older, before, kind);
    for (const [state, look] of statesOf(newer, annotation, kind)) {
      const known = signed?.get(state);
      if (known && isSameMeaning(c, known, look)) continue;
      const rest = normal.get(state) ?? normal.get('');
      const [other, own] = [marks.ofForm(newer, look), rest && marks.ofForm(newer, rest)];
      // Without a normal look it may be a shade, but not text.
      const words = own ? own.text : NO_TEXT;
      const images = own ? own.marks.length : 0;
      if (!other || other.text !== words || other.marks.length > images) return false;
      // The other look contains the words but hides them.
      if (words !== NO_TEXT && own?.view?.isPlain && !other.view?.isPlain) return false;
    }
    return true;
  });
}

/** Whether a new look of an old value has the same text and paints no more. Readers may redraw fields on their own. */
export function isLookAlike(c: Comparison, before: Dict, now: Dict): boolean {
  const look = normalAppearance(c.older, before);
  if (c.redrawsFields || !look) return saysValue(c, now, inheritedField(c.newer, now, 'V'));
  const [old, drawn] = [c.marks.ofForm(c.older, look), c.marks.ofAppearance(c.newer, now)];
  if (!old || !drawn) return false;
  const isSameText =
    old.words === undefined ? old.text === drawn.text : plain(old.words) === plain(drawn.words ?? '');
  return isSameText && (old.paints || !drawn.paints) && drawn.shapes <= old.shapes + EXTRA_SHAPES;
}

/** A frame and a background. */
const EXTRA_SHAPES = 2;

/** Whether a widget of the newer revision shows the value of its field. */
export function saysValue(c: Comparison, widget: Dict, value: PdfValue): boolean {
  const resolved = c.newer.resolve(value);
  const type = fieldType(c.newer, widget);
  if (type === 'Btn') return isInState(c, widget, resolved);
  const look = normalAppearance(c.newer, widget);
  // Readers differ in the state they show if none is named.
  if (!look) return statesOf(c.newer, widget, 'N').size === 0;
  if (c.redrawsFields && !isNewer(c, look.dict)) return true;
  const drawn = c.marks.ofForm(c.newer, look);
  if (!drawn || !isInView(c, widget, look, drawn)) return false;
  if ((flagsOf(c.newer, widget) & PASSWORD) !== 0) return /^[*•●]*$/.test(plain(drawn.words ?? '-'));
  // Glyphs without a meaning may spell anything.
  if (drawn.words === undefined || !drawsKnownLetters(c, widget, drawn.fonts)) return false;
  const shown = plain(drawn.words);
  if (type === 'Ch') return saysChoice(c, widget, resolved, shown);
  const isPlainStream = resolved instanceof Stream && c.newer.get(resolved.dict, 'Filter') === null;
  const isText = resolved === null || resolved instanceof PdfString || isPlainStream;
  return isText && isShownAs(textOf(resolved), drawn.words, formatScript(c, widget));
}

/** Whether the words of a look are visible as they are. */
export function isInView(
  c: Comparison,
  widget: Dict,
  look: Stream,
  { view, words, escapes }: Drawing,
): boolean {
  if (words === '' && !view && !escapes) return true;
  if (escapes || !view?.isPlain || view.runsOut) return false;
  // Upside down, 6 is 9.
  const matrix = formMatrix(c.newer, look);
  if (
    !isSquare(matrix) ||
    matrix[0] * matrix[3] - matrix[1] * matrix[2] <= 0 ||
    (matrix[0] < 0 && turnOfWidget(c, widget) !== 180)
  )
    return false;
  const [shown, box] = [c.newer.get(widget, 'Rect'), c.newer.get(look.dict, 'BBox')].map((value) => {
    const [left, bottom, right, top] = readBox(value, c.newer) ?? [0, 0, 0, 0];
    return [right - left, top - bottom];
  }) as [number[], number[]];
  if (Math.abs(matrix[0]) < Math.abs(matrix[1])) box.reverse();
  // Readers stretch a look to the rectangle of its widget.
  const scales = shown.map((side, index) => side / (box[index] ?? 0));
  const scale = Math.min(...scales);
  const isSqueezed = scale < Math.max(...scales) * STRETCH_MIN;
  return !Number.isFinite(view.em) || (view.em * scale >= EM_MIN && !isSqueezed);
}

/** How far readers turn a widget, in degrees; null if it does not say. */
export function turnOfWidget(c: Comparison, widget: Dict): PdfValue {
  const characteristics = c.newer.dict(widget, 'MK');
  return characteristics ? c.newer.get(characteristics, 'R') : null;
}

const isNewer = (c: Comparison, font: Dict): boolean =>
  c.newer.holds(font) && font.start >= c.older.bytes.length;

/** The script of the signed form that formats the value (ISO 32000-2, table 199). */
function formatScript(c: Comparison, widget: Dict): string | undefined {
  const actions = inheritedField(c.older, widget, 'AA');
  const action = actions instanceof Dict ? c.older.get(actions, 'F') : null;
  const script = action instanceof Dict ? c.older.get(action, 'JS') : null;
  return script instanceof PdfString ? textOf(script) : undefined;
}

function isShownAs(text: string, words: string, script: string | undefined): boolean {
  const shown = plain(words);
  if (plain(text) === shown) return standsAlike(text, words);
  if (RIGHT_TO_LEFT.test(text)) {
    const inOrder = plain(leftToRight(words));
    return DIRECTIONS.some((direction) => plain(visualOrder(text, direction)) === inOrder);
  }
  return script !== undefined && formattedBy(script, text.trim()).some((each) => plain(each) === shown);
}

const DIRECTIONS = ['ltr', 'rtl'] as const;

/** Takes ligatures apart in the order in which their letters stand. */
const leftToRight = (words: string): string =>
  [...words]
    .map((letter) => (RIGHT_TO_LEFT.test(letter) ? [...letter.normalize('NFKC')].reverse().join('') : letter))
    .join('');
