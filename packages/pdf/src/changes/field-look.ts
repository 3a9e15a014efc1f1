import { createHash } from 'node:crypto';
import { Dict, isName, Name, PdfString, type PdfValue, Stream } from '../read/values.ts';
import type { Comparison } from './comparison.ts';
import { fieldType, flagsOf, inheritedField } from './field.ts';
import { formOf } from './form-tree.ts';
import { normalAppearance } from './page-marks.ts';
import { isSameMeaning } from './same-meaning.ts';

/** Flags of text fields and choice fields (ISO 32000-2, tables 231 and 233). */
const PASSWORD = 1 << 13;
const COMBO = 1 << 17;
const STATES_MAX = 64;
const OPTIONS_MAX = 5_000;
/** Characters of PDFDocEncoding that are not those of Latin 1, from 0x80 (ISO 32000-2, table D.2). */
const DOC_CHARACTERS = '•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž\u009f€';
const NO_TEXT = createHash('sha256').digest('hex');
/** Scripts that are shown in another order than they are written. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/** What is shown, without regard to spaces and to how letters are composed. */
const plain = (text: string): string => text.normalize('NFKC').replace(/[\s\u00ad\u200b-\u200f]+/g, '');

function textOf(value: PdfValue): string {
  if (value instanceof Stream) return value.data.toString('utf8');
  if (value instanceof Name) return value.text;
  if (!(value instanceof PdfString)) return '';
  const { bytes, text } = value;
  const isUnicode = (bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0xef && bytes[1] === 0xbb);
  if (isUnicode) return text;
  return text.replace(/[\x80-\xa0]/g, (letter) => DOC_CHARACTERS[letter.charCodeAt(0) - 0x80] ?? letter);
}

/** The states of an appearance, by name; '' for one without states. */
function statesOf(
  document: Comparison['older'],
  annotation: Dict,
  kind: 'N' | 'R' | 'D',
): Map<string, Stream> {
  const looks = document.get(annotation, 'AP');
  const look = looks instanceof Dict ? document.get(looks, kind) : null;
  if (look instanceof Stream) return new Map([['', look]]);
  if (!(look instanceof Dict)) return new Map();
  const states = [...look.entries.keys()]
    .slice(0, STATES_MAX)
    .map((key) => [key, document.get(look, key)] as const);
  return new Map(states.filter((entry): entry is [string, Stream] => entry[1] instanceof Stream));
}

/** Whether an annotation says the same under the pointer and under the finger as it does at rest. */
export function hasOneLook(c: Comparison, annotation: Dict): boolean {
  const { newer, marks } = c;
  const looks = newer.get(annotation, 'AP');
  if (looks === null) return true;
  if (!(looks instanceof Dict) || looks.repeatedKeys.length > 0) return false;
  if ([...looks.entries.keys()].some((key) => !['N', 'R', 'D'].includes(key))) return false;
  const normal = statesOf(newer, annotation, 'N');
  return (['R', 'D'] as const).every((kind) => {
    for (const [state, look] of statesOf(newer, annotation, kind)) {
      const rest = normal.get(state) ?? normal.get('');
      const [other, own] = [marks.ofForm(newer, look), rest && marks.ofForm(newer, rest)];
      // Without a look at rest it may be a shade, and no text.
      const words = own ? own.text : NO_TEXT;
      const images = own ? own.marks.length : 0;
      if (!other || other.text !== words || other.marks.length > images) return false;
    }
    return true;
  });
}

/** Whether a new look of an old value has the same text and paints no more. Readers draw fields anew of their own accord. */
export function isLookAlike(c: Comparison, before: Dict, now: Dict): boolean {
  const form = formOf(c.older);
  const isAsked = form ? c.older.get(form, 'NeedAppearances') === true : false;
  const look = normalAppearance(c.older, before);
  if (isAsked || !look) return saysValue(c, now, inheritedField(c.newer, now, 'V'), isAsked);
  const [old, drawn] = [c.marks.ofForm(c.older, look), c.marks.ofAppearance(c.newer, now)];
  if (!old || !drawn) return false;
  const isSameText = old.words === undefined ? old.text === drawn.text : old.words === drawn.words;
  return isSameText && (old.paints || !drawn.paints) && drawn.shapes <= old.shapes + EXTRA_SHAPES;
}

/** A frame and a ground. */
const EXTRA_SHAPES = 2;

/** Whether each state of a button still looks as it did. */
export function areStatesAlike(c: Comparison, before: Dict, now: Dict): boolean {
  const states = statesOf(c.newer, now, 'N');
  for (const [state, look] of statesOf(c.older, before, 'N')) {
    const other = states.get(state);
    if (!other) return false;
    if (isSameMeaning(c, look, other)) continue;
    const [old, drawn] = [c.marks.ofForm(c.older, look), c.marks.ofForm(c.newer, other)];
    if (!old || !drawn || old.text !== drawn.text || old.shapes !== drawn.shapes) return false;
  }
  return true;
}

/** Whether a widget of the newer revision shows the value of its field. `isAsked`: readers draw all fields anew. */
export function saysValue(c: Comparison, widget: Dict, value: PdfValue, isAsked: boolean): boolean {
  const resolved = c.newer.resolve(value);
  const type = fieldType(c.newer, widget);
  if (type === 'Btn') return isInState(c, widget, resolved);
  const look = normalAppearance(c.newer, widget);
  if (!look || isAsked) return true;
  const drawn = c.marks.ofForm(c.newer, look);
  if (!drawn) return false;
  if (drawn.words === undefined) return drawn.undecoded.every((font) => !isNewer(c, font));
  const shown = plain(drawn.words);
  if (type === 'Ch') return saysChoice(c, widget, resolved, shown);
  if ((flagsOf(c.newer, widget) & PASSWORD) !== 0) return true;
  return isSaid(plain(textOf(resolved)), shown, isFormatted(c, widget));
}

const isNewer = (c: Comparison, font: Dict): boolean =>
  c.newer.holds(font) && font.start >= c.older.bytes.length;

/** Whether a program of the form decides how the value is shown (ISO 32000-2, table 199). */
function isFormatted(c: Comparison, widget: Dict): boolean {
  const actions = inheritedField(c.older, widget, 'AA');
  return actions instanceof Dict && c.older.get(actions, 'F') !== null;
}

function isSaid(value: string, shown: string, isFormatted: boolean): boolean {
  if (value === shown) return true;
  if (RIGHT_TO_LEFT.test(value)) return sorted(value) === sorted(shown);
  if (!isFormatted) return false;
  const [digits, seen] = [value, shown].map((text) => text.replace(/\D/g, '')) as [string, string];
  if (digits === '') return seen === '';
  // A number may be shown with other decimals and signs, a date in another order.
  return (
    seen !== '' && (seen.startsWith(digits) || digits.startsWith(seen) || sorted(digits) === sorted(seen))
  );
}

const sorted = (text: string): string => [...text].sort().join('');

/** A button is on in the state of its value, and otherwise off (ISO 32000-2, 12.7.5.2.3). */
function isInState(c: Comparison, widget: Dict, value: PdfValue): boolean {
  const states = statesOf(c.newer, widget, 'N');
  if (states.size === 0) return true;
  const wanted = value instanceof Name && states.has(value.text) ? value.text : 'Off';
  const state = c.newer.get(widget, 'AS');
  return isName(state, wanted) || (state === null && wanted === 'Off');
}

function saysChoice(c: Comparison, widget: Dict, value: PdfValue, shown: string): boolean {
  const options = inheritedField(c.newer, widget, 'Opt');
  const labels = new Map<string, string>();
  for (const option of (Array.isArray(options) ? options : []).slice(0, OPTIONS_MAX)) {
    const item = c.newer.resolve(option);
    const [code, label] = Array.isArray(item) ? item.map((text) => c.newer.resolve(text)) : [item, item];
    labels.set(plain(textOf(code ?? null)), plain(textOf(label ?? null)));
  }
  const values = (Array.isArray(value) ? value.map((item) => c.newer.resolve(item)) : [value]).map((item) =>
    plain(textOf(item)),
  );
  const said = values.map((item) => labels.get(item) ?? item);
  // A list shows all that can be chosen, of which some is in view.
  const isList = (flagsOf(c.newer, widget) & COMBO) === 0;
  if (isList) return said.some((label) => shown.includes(label));
  return said.length === 1 && [said[0], values[0]].includes(shown);
}
