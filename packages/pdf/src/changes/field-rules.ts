import { type Dict, isName, Name, type PdfValue, Stream } from '../read/values.ts';
import type { Level } from './change.ts';
import type { Comparison } from './comparison.ts';
import { fillingCovers } from './cover.ts';
import { changedKeys, isDeepEqual } from './deep-equal.ts';
import {
  fieldName,
  fieldType,
  flagsOf,
  inheritedRaw,
  isFillable,
  looksSigned,
  READ_ONLY,
  signatureOf,
} from './field.ts';
import { normalAppearance } from './page-marks.ts';
import { signatureCode } from './signature-code.ts';

/** What became of objects of their own that belong to a field. */
export interface Belongings {
  value: boolean;
  appearance: boolean;
  kids: boolean;
}

/** A field or widget before and after, and what is in its own dictionary that differs. */
interface FieldChange {
  num: number;
  before: Dict;
  now: Dict;
  name: string;
  keys: string[];
  belongings: Belongings;
  /** The page that shows it; undefined for what no page shows. */
  page: number | undefined;
}

const VALUES = ['V', 'AS', 'I', 'RV', 'TI'];
const ACTIONS = ['A', 'AA', 'PA'];
/** When it was changed, and its name among annotations: nothing that is seen. */
const NOTES = ['M', 'NM', 'Type'];
/** How a value is shown; some writers say so first when a field is filled in. */
const STYLES = ['DA', 'Q', 'DS', 'MK'];
/** Print (which signatures get), ReadOnly, Locked, LockedContents (ISO 32000-2, table 167). */
const PRINT = 4;
const LOCKS = 64 | 128 | 512;

const numberOf = (value: PdfValue): number => (typeof value === 'number' ? value : 0);

/** Only some bits may be added, and none taken away. */
function judgeBits(
  c: Comparison,
  num: number,
  name: string,
  at: string,
  before: number,
  now: number,
  bits: number,
): void {
  if (before === now) return;
  const isTighter = (before & ~now) === 0 && (now & ~before & ~bits) === 0;
  c.report('FIELD_CHANGED', isTighter ? 'permitted' : 'forbidden', num, at, name);
}

/** Judges a change of a field or widget that the document had. */
export function judgeField(
  c: Comparison,
  num: number,
  before: Dict,
  now: Dict,
  belongings: Belongings,
  page: number | undefined,
): void {
  const name = fieldName(c.older, before);
  const keys = changedKeys(c.older, before, c.newer, now);
  const change = { num, before, now, name, keys, belongings, page };
  if (fieldType(c.older, before) !== fieldType(c.newer, now)) {
    c.report('FIELD_CHANGED', 'forbidden', num, '/FT', name);
  } else if (fieldType(c.older, before) === 'Sig') judgeSignatureField(c, change);
  else judgeValueField(c, change);
}

/** What of a field may not change, whatever it is: answers with the keys that are left to be judged. */
function judgeKeys(c: Comparison, { num, before, now, name, keys, belongings }: FieldChange): string[] {
  if (belongings.kids) c.report('FIELD_CHANGED', 'forbidden', num, '/Kids', name);
  return keys.filter((key) => {
    if (NOTES.includes(key)) return false;
    if (ACTIONS.includes(key)) c.report('ACTION', 'forbidden', num, `/${key}`, name);
    else if (key === 'Ff') {
      judgeBits(c, num, name, '/Ff', flagsOf(c.older, before), flagsOf(c.newer, now), READ_ONLY);
    } else return true;
    return false;
  });
}

function judgeFlags(c: Comparison, { num, before, now, name }: FieldChange, bits: number): void {
  const [old, flags] = [numberOf(c.older.get(before, 'F')), numberOf(c.newer.get(now, 'F'))];
  judgeBits(c, num, name, '/F', old, flags, bits);
}

const hasNewValue = (c: Comparison, { before, now, belongings }: FieldChange): boolean =>
  belongings.value ||
  !isDeepEqual(c.older, inheritedRaw(c.older, before, 'V'), c.newer, inheritedRaw(c.newer, now, 'V'));

function judgeSignatureField(c: Comparison, change: FieldChange): void {
  const { num, before, now, name, keys, belongings, page } = change;
  const signature = signatureOf(c.newer, now);
  if (signatureOf(c.older, before)) {
    if (hasNewValue(c, change)) c.report('SIGNATURE_REPLACED', 'forbidden', num, '/V', name);
    for (const key of judgeKeys(c, change)) {
      if (key === 'F') judgeFlags(c, change, LOCKS);
      else if (key === 'AP') c.report('FIELD_APPEARANCE', 'forbidden', num, '/AP', name);
      else if (key !== 'V') c.report('SIGNATURE_FIELD_CHANGED', 'forbidden', num, `/${key}`, name);
    }
    if (belongings.appearance) c.report('FIELD_APPEARANCE', 'forbidden', num, '/AP', name);
    return;
  }
  if (keys.includes('V')) {
    if (signature && looksSigned(c.newer, signature, c.older.bytes.length)) {
      c.report(signatureCode(c.newer, signature), 'permitted', num, '/V', name);
    } else c.report('FIELD_CHANGED', 'forbidden', num, '/V', name);
  }
  for (const key of judgeKeys(c, change)) judgeSigningKey(c, change, key, signature !== undefined);
  const looksNew = keys.includes('AP') || belongings.appearance;
  if (!looksNew) return;
  if (!signature) c.report('FIELD_APPEARANCE', 'doubtful', num, '/AP', name);
  if (page !== undefined && fillingCovers(c, page, before, now)) {
    c.report('CONTENT_COVERED', 'doubtful', num, '/AP', name);
  }
}

function judgeSigningKey(c: Comparison, change: FieldChange, key: string, isSigned: boolean): void {
  const { num, name, before } = change;
  if (key === 'V' || key === 'AP') return;
  if (key === 'F') judgeFlags(c, change, isSigned ? PRINT | LOCKS : LOCKS);
  else if (isSigned && (STYLES.includes(key) || key === 'AS')) return;
  else if (isSigned && key === 'Lock' && c.older.get(before, 'Lock') === null) return;
  else c.report('FIELD_CHANGED', 'forbidden', num, `/${key}`, name);
}

function judgeValueField(c: Comparison, change: FieldChange): void {
  const { num, before, now, name, keys, belongings, page } = change;
  const isFilled = hasNewValue(c, change);
  const own = VALUES.find((key) => keys.includes(key));
  if (own !== undefined || belongings.value) {
    const level = isFillable(c.older, before) ? 'permitted' : 'forbidden';
    c.report(level === 'permitted' ? 'FIELD_VALUE' : 'FIELD_CHANGED', level, num, `/${own ?? 'V'}`, name);
  }
  if (keys.includes('AS') && !showsItsValue(c, now))
    c.report('FIELD_APPEARANCE', 'doubtful', num, '/AS', name);
  for (const key of judgeKeys(c, change)) {
    if (VALUES.includes(key) || key === 'AP') continue;
    if (key === 'F') judgeFlags(c, change, LOCKS);
    else if (STYLES.includes(key)) judgeStyle(c, change, key, isFilled);
    else c.report('FIELD_CHANGED', 'forbidden', num, `/${key}`, name);
  }
  if (!keys.includes('AP') && !belongings.appearance) return;
  if (!isFilled) c.report('FIELD_APPEARANCE', likeness(c, change), num, '/AP', name);
  if (page !== undefined && fillingCovers(c, page, before, now)) {
    c.report('CONTENT_COVERED', 'doubtful', num, '/AP', name);
  }
}

/** A style that is added with a value is how that value is written; another one may make it unreadable. */
function judgeStyle(c: Comparison, { num, before, name }: FieldChange, key: string, isFilled: boolean): void {
  const isAdded = c.older.get(before, key) === null;
  if (!isFilled || !isAdded) c.report('FIELD_APPEARANCE', 'doubtful', num, `/${key}`, name);
}

/** Whether a button's state is off or the value of its field. */
function showsItsValue(c: Comparison, now: Dict): boolean {
  const state = c.newer.get(now, 'AS');
  if (!(state instanceof Name) || state.text === 'Off') return true;
  const value = c.newer.resolve(inheritedRaw(c.newer, now, 'V'));
  return isName(value, state.text);
}

/**
 * How a new look of an old value is to be taken. Readers draw fields anew, of their own accord or because the form asks
 * them to: the same text in it is doubtful, another one forbidden.
 */
function likeness(c: Comparison, { before, now }: FieldChange): Level {
  const form = c.older.dict(c.older.catalog.value, 'AcroForm');
  const isAsked = form ? c.older.get(form, 'NeedAppearances') === true : false;
  if (isAsked || !(normalAppearance(c.older, before) instanceof Stream)) return 'doubtful';
  const old = c.marks.ofAppearance(c.older, before);
  const drawn = c.marks.ofAppearance(c.newer, now);
  const isAlike = old && drawn && old.text === drawn.text && (old.paints || !drawn.paints);
  return isAlike ? 'doubtful' : 'forbidden';
}
