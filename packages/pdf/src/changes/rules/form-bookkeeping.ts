import { Dict, PdfString, type PdfValue, Ref } from '../../read/values.ts';
import type { Comparison } from '../comparison.ts';
import { isDeepEqual } from '../deep-equal.ts';
import { flagsOf, newSignatureOf, READ_ONLY, signatureOf } from '../field.ts';
import { type Rule, type Subject, take, takes, WHOLE } from '../subject.ts';

/** Invisible keys: the time of the change, and the name among annotations. */
const NOTES = ['M', 'NM', 'Type'];
/** Form defaults for drawing fields. */
const DEFAULTS = ['DA', 'Q'];
/** Print, ReadOnly, Locked, LockedContents (ISO 32000-2, table 167). */
const PRINT = 4;
const LOCKS = 64 | 128 | 512;

/** Permits what writers set besides values: flags that lock, and added resources. */
export const formBookkeeping: Rule = {
  name: 'form bookkeeping',
  claim(c, subject) {
    const { kind, before, now } = subject;
    if (kind === 'form' && now instanceof Dict) claimForm(c, subject, before, now);
    else if (kind === 'formResources' || kind === 'formResourceNames') claimResources(c, subject);
    else if (kind === 'field' && before instanceof Dict && now instanceof Dict)
      claimField(c, subject, before, now);
  },
};

function claimForm(c: Comparison, subject: Subject, before: PdfValue, now: Dict): void {
  const { num } = subject;
  const at = (key: string) => `${subject.at}/${key}`;
  const old = (key: string) => (before instanceof Dict ? c.older.get(before, key) : null);
  const value = (key: string) => c.newer.get(now, key);
  if (isGrown(old('SigFlags'), value('SigFlags'))) takes(subject, 'SigFlags');
  // A reader that need not redraw the fields any more shows their stored looks.
  if (
    value('NeedAppearances') !== true &&
    takes(subject, 'NeedAppearances') &&
    old('NeedAppearances') === true
  )
    c.report('FIELD_APPEARANCE', 'doubtful', num, { at: at('NeedAppearances') });
  for (const key of take(subject, DEFAULTS)) {
    if (old(key) !== null || c.drawsValues) c.report('FIELD_APPEARANCE', 'doubtful', num, { at: at(key) });
    else if (before !== null) c.report('FIELD_APPEARANCE', 'permitted', num, { at: at(key), isMinor: true });
  }
  const resources = value('DR');
  if (!(resources instanceof Dict) || !takes(subject, 'DR')) return;
  const known = old('DR');
  const isKept = !c.drawsValues && (!(known instanceof Dict) || keepsResources(c, known, resources));
  c.report('RESOURCE', isKept ? 'permitted' : 'doubtful', num, { at: at('DR'), isMinor: isKept });
}

const isGrown = (before: PdfValue, now: PdfValue): boolean =>
  typeof now === 'number' && ((typeof before === 'number' ? before : 0) & ~now) === 0;

function claimResources(c: Comparison, subject: Subject): void {
  const { kind, num, before, now } = subject;
  if (!(before instanceof Dict && now instanceof Dict) || !takes(subject, WHOLE)) return;
  const keeps = kind === 'formResources' ? keepsResources : keepsNames;
  const isKept = !c.drawsValues && keeps(c, before, now);
  c.report('RESOURCE', isKept ? 'permitted' : 'doubtful', num, { isMinor: isKept });
}

/**
 * Whether a form keeps its resources, whatever was added. Readers use them only to draw a field.
 */
function keepsResources(c: Comparison, before: Dict, now: Dict): boolean {
  return [...before.entries].every(([kind, { value }]) => {
    const [old, names] = [c.older.resolve(value), c.newer.get(now, kind)];
    if (old instanceof Dict && names instanceof Dict) return keepsNames(c, old, names);
    return isDeepEqual(c.older, old, c.newer, names);
  });
}

/** Whether a form keeps its resources of one kind, like `keepsResources`. */
function keepsNames(c: Comparison, before: Dict, now: Dict): boolean {
  // Writers copy the fonts that they use, so values are compared and not object numbers.
  return [...before.entries].every(([name, { value }]) =>
    isDeepEqual(c.older, c.older.resolve(value), c.newer, c.newer.get(now, name)),
  );
}

function claimField(c: Comparison, subject: Subject, before: Dict, now: Dict): void {
  take(subject, NOTES);
  const page = now.get('P');
  if (page instanceof Ref && page.num === subject.page) takes(subject, 'P');
  const description = c.newer.get(now, 'TU');
  const isEmpty = description instanceof PdfString && description.text === '';
  if (isEmpty && c.older.get(before, 'TU') === null) takes(subject, 'TU');
  claimBits(c, subject, 'Ff', flagsOf(c.older, before), flagsOf(c.newer, now), READ_ONLY);
  const numberOf = (value: PdfValue) => (typeof value === 'number' ? value : 0);
  const isSigning =
    signatureOf(c.older, before) === undefined &&
    newSignatureOf(c.newer, now, c.older.bytes.length) !== undefined;
  const bits = isSigning ? PRINT | LOCKS : LOCKS;
  claimBits(c, subject, 'F', numberOf(c.older.get(before, 'F')), numberOf(c.newer.get(now, 'F')), bits);
}

/** Takes a flags key if only permitted bits were added and none removed. */
function claimBits(
  c: Comparison,
  subject: Subject,
  key: 'F' | 'Ff',
  before: number,
  now: number,
  bits: number,
): void {
  const isTighter = (before & ~now) === 0 && (now & ~before & ~bits) === 0;
  if (!isTighter || !takes(subject, key)) return;
  const { num, field } = subject;
  if (before !== now) c.report('FIELD_CHANGED', 'permitted', num, { at: `/${key}`, field });
}
