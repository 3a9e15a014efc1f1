import { Dict, isName, type PdfValue, Stream } from '../../read/values.ts';
import type { Comparison } from '../comparison.ts';
import { fillingCovers } from '../cover.ts';
import { isDeepEqual } from '../deep-equal.ts';
import { fieldType, inheritedRaw, isFillable } from '../field.ts';
import { areStatesAlike, hasOneLook, isLookAlike, saysValue } from '../field-look.ts';
import { formOf } from '../form-tree.ts';
import { normalAppearance } from '../page-marks.ts';
import { isSameMeaning } from '../same-meaning.ts';
import { type Rule, type Subject, take, takes } from '../subject.ts';

/** What a field holds; `RV` is `V` with styles, `I` and `TI` are what of a list is chosen and on top. */
const VALUES = ['V', 'AS', 'I', 'RV', 'TI'];
/** How a value is shown; some writers say so first when a field is filled in. */
const STYLES = ['DA', 'Q', 'DS', 'MK'];

/** A field that users may fill in gets a value, and a look that says the same. */
export const formFilling: Rule = {
  name: 'form filling',
  claim(c, subject) {
    const { kind, before, now } = subject;
    if (kind !== 'field' || !(before instanceof Dict && now instanceof Dict)) return;
    const type = fieldType(c.older, before);
    if (type === 'Sig' || type === '' || type !== fieldType(c.newer, now)) return;
    const isFilled = claimValue(c, subject, before, now);
    claimStyles(c, subject, before, now, isFilled);
    claimLook(c, subject, before, now, isFilled);
  },
};

/** Whether the field, or the one that it inherits from, got another value. */
function claimValue(c: Comparison, subject: Subject, before: Dict, now: Dict): boolean {
  const { num, field, within } = subject;
  const values = (dict: Dict, which: 'older' | 'newer') => inheritedRaw(c[which], dict, 'V');
  const [old, value] = [values(before, 'older'), values(now, 'newer')];
  const isFilled = within.has('V') || !isDeepEqual(c.older, old, c.newer, value);
  if (!isFillable(c.older, before)) return isFilled;
  // A rich text may not say something else, with or without a new value.
  if (subject.pending.has('RV') && !isRichTextOf(c, now, value)) return isFilled;
  const [own] = take(subject, VALUES);
  if (own === undefined) return isFilled;
  c.report('FIELD_VALUE', 'permitted', num, { at: `/${own}`, field });
  if (!agrees(c, now, value)) c.report('FIELD_APPEARANCE', 'doubtful', num, { at: `/${own}`, field });
  return isFilled;
}

/** Whether all widgets of a field in the newer revision show its value. */
function agrees(c: Comparison, field: Dict, value: PdfValue): boolean {
  const kids = c.newer.get(field, 'Kids');
  const widgets = (Array.isArray(kids) ? kids : []).map((kid) => c.newer.resolve(kid));
  const all = isName(c.newer.get(field, 'Subtype'), 'Widget') || widgets.length === 0 ? [field] : widgets;
  const form = formOf(c.older);
  const isAsked = form !== undefined && c.older.get(form, 'NeedAppearances') === true;
  return all.every((widget) => !(widget instanceof Dict) || saysValue(c, widget, value, isAsked));
}

/** Whether the rich text of a field, without its marks, is its value (ISO 32000-2, annex E.4). */
function isRichTextOf(c: Comparison, field: Dict, value: PdfValue): boolean {
  const rich = textOf(c.newer.get(field, 'RV'));
  const plain = textOf(c.newer.resolve(value));
  if (rich === undefined) return c.newer.get(field, 'RV') === null;
  const said = rich
    .replace(/<[^<>]*>/g, '')
    .replace(/&#(x?)([0-9a-f]{1,6});/gi, (_, hex: string, digits: string) => {
      const code = Number.parseInt(digits, hex ? 16 : 10);
      return code <= 0x10ffff ? String.fromCodePoint(code) : '';
    })
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] ?? '');
  return said.replace(/\s+/g, '') === (plain ?? '').replace(/\s+/g, '');
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function textOf(value: PdfValue): string | undefined {
  if (value instanceof Stream) return value.data.toString('utf8');
  return value !== null && typeof value === 'object' && 'bytes' in value ? value.text : undefined;
}

/** A style is how a value is written, where a reader draws it anew. */
function claimStyles(c: Comparison, subject: Subject, before: Dict, now: Dict, isFilled: boolean): void {
  const { num, field } = subject;
  for (const key of take(subject, STYLES)) {
    const isAdded = c.older.get(before, key) === null;
    // What has a look of its own is shown by that; MK is drawn by readers all the same.
    const isShown = normalAppearance(c.newer, now) instanceof Stream && key !== 'MK';
    if (!(isAdded && (isFilled || isShown)))
      c.report('FIELD_APPEARANCE', 'doubtful', num, { at: `/${key}`, field });
    else c.report('FIELD_APPEARANCE', 'permitted', num, { at: `/${key}`, field, isMinor: true });
  }
}

function claimLook(c: Comparison, subject: Subject, before: Dict, now: Dict, isFilled: boolean): void {
  const { num, field, page, within } = subject;
  if (!subject.pending.has('AP')) return;
  const details = { at: '/AP', field };
  if (!within.has('AP') && isSameMeaning(c, before.get('AP'), now.get('AP'))) {
    takes(subject, 'AP');
    return;
  }
  if (!hasOneLook(c, now)) return;
  if (fieldType(c.older, before) === 'Btn') {
    takes(subject, 'AP');
    if (!areStatesAlike(c, before, now)) c.report('FIELD_APPEARANCE', 'doubtful', num, details);
  } else if (isFilled) takes(subject, 'AP');
  else if (isLookAlike(c, before, now)) {
    takes(subject, 'AP');
    c.report('FIELD_APPEARANCE', 'doubtful', num, details);
  } else return;
  if (page !== undefined && fillingCovers(c, page, before, now))
    c.report('CONTENT_COVERED', 'doubtful', num, details);
}
