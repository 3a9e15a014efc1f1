import { normalAppearance } from '../../read/annotations.ts';
import type { PdfDocument } from '../../read/document.ts';
import { Dict, isName, Name, type PdfValue, Ref, Stream } from '../../read/values.ts';
import { areStatesAlike } from '../button-looks.ts';
import type { Change } from '../change.ts';
import { isChosen } from '../choices.ts';
import type { Comparison } from '../comparison.ts';
import { fillingCovers } from '../cover.ts';
import { changedKeys, isDeepEqual } from '../deep-equal.ts';
import { fieldType, flagsOf, inheritedRaw, isFillable, PASSWORD } from '../field.ts';
import { hasOneLook, isLookAlike, saysValue, turnOfWidget } from '../field-look.ts';
import { statesOf } from '../look-states.ts';
import { objectValue } from '../object-usage.ts';
import { isSameMeaning } from '../same-meaning.ts';
import { type Rule, type Subject, take, takes } from '../subject.ts';
import { isLegibleStyle, isUsualStyle } from '../usual-style.ts';

/** Value keys. `RV` is `V` as rich text; `I` and `TI` are the selected and the top item of a list. */
const VALUES = ['V', 'AS', 'I', 'RV', 'TI'];
/** Style keys. Some writers add them when they fill in a field. */
const STYLES = ['DA', 'Q', 'DS', 'MK', 'BS'];

/** Permits a new value of a fillable field, with a look that shows it. */
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

/** Returns whether the field, or the one that it inherits from, got another value. */
function claimValue(c: Comparison, subject: Subject, before: Dict, now: Dict): boolean {
  const { num, field, within } = subject;
  const values = (dict: Dict, which: 'older' | 'newer') => inheritedRaw(c[which], dict, 'V');
  const [old, value] = [values(before, 'older'), values(now, 'newer')];
  const isFilled = within.has('V') || !isDeepEqual(c.older, old, c.newer, value);
  if (!isFillable(c.older, before)) return isFilled;
  // Rich text must match the value, whether or not the value changed.
  if (subject.pending.has('RV') && !isRichTextOf(c, now, value)) return isFilled;
  const [own] = take(subject, VALUES);
  if (own === undefined) return isFilled;
  c.report('FIELD_VALUE', 'permitted', num, { at: `/${own}`, field, ...valuesOf(c, now, old, value) });
  if (!agrees(c, num, now, value) || !isChosen(c, now, value))
    c.report('FIELD_APPEARANCE', 'doubtful', num, { at: `/${own}`, field });
  return isFilled;
}

const VALUE_CHARS_MAX = 200;

/** Both values as text. Those of a password remain unsaid. */
function valuesOf(c: Comparison, field: Dict, old: PdfValue, value: PdfValue): Pick<Change, 'values'> {
  if ((flagsOf(c.newer, field) & PASSWORD) !== 0) return {};
  const [before, after] = [shownValue(c.older, old), shownValue(c.newer, value)];
  return before === after ? {} : { values: { before, after } };
}

function shownValue(document: PdfDocument, raw: PdfValue): string {
  const value = document.resolve(raw);
  const items = Array.isArray(value) ? value.slice(0, VALUE_CHARS_MAX) : [value];
  const texts = items.map((item) => {
    const one = document.resolve(item);
    return one instanceof Name ? one.text : (textOf(one) ?? '');
  });
  return texts.join(', ').slice(0, VALUE_CHARS_MAX);
}

/** Whether all widgets of a field show its value in the newer revision. */
function agrees(c: Comparison, num: number, field: Dict, value: PdfValue): boolean {
  const all = widgetsOf(c, num, field);
  const resolved = c.newer.resolve(value);
  // The value of a button is the state of one of its widgets.
  const isState = all.some(
    (widget) => resolved instanceof Name && statesOf(c.newer, widget, 'N').has(resolved.text),
  );
  const hasStates = all.some((widget) => statesOf(c.newer, widget, 'N').size > 0);
  const isOwn = field.entries.has('V') && fieldType(c.newer, field) === 'Btn';
  if (isOwn && hasStates && !isState && !isOff(resolved)) return false;
  return all.every((widget) => saysValue(c, widget, value));
}

const isOff = (value: PdfValue): boolean => value === null || isName(value, 'Off');

/** The widgets that the field lists, and those that refer to it. Not all readers check both. */
function widgetsOf(c: Comparison, num: number, field: Dict): Dict[] {
  const kids = c.newer.get(field, 'Kids');
  const listed = (Array.isArray(kids) ? kids : []).map((kid) => c.newer.resolve(kid));
  const users = (c.roles.usesOf(num) ?? []).filter(({ part }) => part === 'field');
  const naming = users.map(({ from }) => objectValue(c.newer, from)).filter((user) => isKidOf(user, num));
  const all = new Set([...listed, ...naming].filter((widget) => widget instanceof Dict));
  // A named kid is a separate field with its own widgets.
  const widgets = [...all].filter((widget) => c.newer.get(widget, 'T') === null);
  const isWidget = isName(c.newer.get(field, 'Subtype'), 'Widget');
  return isWidget || widgets.length === 0 ? [field, ...widgets] : widgets;
}

const isKidOf = (value: PdfValue, num: number): boolean => {
  const parent = value instanceof Dict ? value.get('Parent') : null;
  return parent instanceof Ref && parent.num === num;
};

/** Whether the rich text of a field, without its marks, is its value (ISO 32000-2, annex E.4). */
function isRichTextOf(c: Comparison, field: Dict, value: PdfValue): boolean {
  const rich = textOf(c.newer.get(field, 'RV'));
  const plain = textOf(c.newer.resolve(value));
  // Some readers show comments and other markup as text.
  if (rich?.includes('<!')) return false;
  if (rich === undefined) return c.newer.get(field, 'RV') === null;
  const unmarked = rich
    .replace(/<[^<>]*>/g, '')
    .replace(/&#(x?)([0-9a-f]{1,6});/gi, (_, hex: string, digits: string) => {
      const code = Number.parseInt(digits, hex ? 16 : 10);
      return code <= 0x10ffff ? String.fromCodePoint(code) : '';
    })
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] ?? '');
  return unmarked.replace(/\s+/g, '') === (plain ?? '').replace(/\s+/g, '');
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function textOf(value: PdfValue): string | undefined {
  if (value instanceof Stream) return value.data.toString('utf8');
  return value !== null && typeof value === 'object' && 'bytes' in value ? value.text : undefined;
}

/** Claims style keys, which matter only if a reader redraws the value. */
function claimStyles(c: Comparison, subject: Subject, before: Dict, now: Dict, isFilled: boolean): void {
  const { num, field } = subject;
  if (isSameBorder(c, before, now)) takes(subject, 'BS');
  for (const key of take(subject, STYLES)) {
    const isAdded = c.older.get(before, key) === null;
    // A stored look overrides styles, but readers draw MK in any case.
    const isShown = normalAppearance(c.newer, now) instanceof Stream && !c.redrawsFields;
    const isUsual = isShown ? isLegibleStyle(c, now, key) : isUsualStyle(c, now, key);
    const isOverridden = isShown && key !== 'MK';
    if (
      !(isAdded && isUsual && (isFilled || isOverridden)) ||
      (key === 'MK' && turnOfWidget(c, now) !== null)
    )
      c.report('FIELD_APPEARANCE', 'doubtful', num, { at: `/${key}`, field });
    else c.report('FIELD_APPEARANCE', 'permitted', num, { at: `/${key}`, field, isMinor: true });
  }
}

/** Whether a border style says the same, with defaults that MuPDF writes (ISO 32000-2, table 168). */
function isSameBorder(c: Comparison, before: Dict, now: Dict): boolean {
  const [old, style] = [c.older.dict(before, 'BS'), c.newer.dict(now, 'BS')];
  if (!old || !style || style.repeatedKeys.length > 0) return false;
  const isDefault = (key: string, value: PdfValue) => (key === 'S' ? isName(value, 'S') : value === 1);
  return changedKeys(c.older, old, c.newer, style).every(
    (key) =>
      ['S', 'W'].includes(key) && c.older.get(old, key) === null && isDefault(key, c.newer.get(style, key)),
  );
}

function claimLook(c: Comparison, subject: Subject, before: Dict, now: Dict, isFilled: boolean): void {
  const { num, field, page, within } = subject;
  if (!subject.pending.has('AP')) return;
  const details = { at: '/AP', field };
  if (!within.has('AP') && isSameMeaning(c, before.get('AP'), now.get('AP'))) {
    takes(subject, 'AP');
    return;
  }
  const isButton = fieldType(c.older, before) === 'Btn';
  if (!hasOneLook(c, now, isButton ? before : undefined)) return;
  if (isButton) {
    takes(subject, 'AP');
    if (!areStatesAlike(c, before, now, isFilled)) c.report('FIELD_APPEARANCE', 'doubtful', num, details);
  } else if (isFilled) {
    takes(subject, 'AP');
    const value = inheritedRaw(c.newer, now, 'V');
    if (!saysValue(c, now, value)) c.report('FIELD_APPEARANCE', 'doubtful', num, details);
  } else if (isLookAlike(c, before, now)) {
    takes(subject, 'AP');
    c.report('FIELD_APPEARANCE', 'doubtful', num, details);
  } else return;
  if (page !== undefined && fillingCovers(c, page, num, before, now))
    c.report('CONTENT_COVERED', 'doubtful', num, details);
}
