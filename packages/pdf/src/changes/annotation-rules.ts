import { Dict, isName, Name, type PdfValue, Ref } from '../read/values.ts';
import { hasRepeatedKeys } from './changed-objects.ts';
import type { Comparison } from './comparison.ts';
import { covers, uncovers } from './cover.ts';
import { changedKeys } from './deep-equal.ts';
import { fieldName, fieldType, isFieldOrWidget, signatureOf } from './field.ts';
import type { FormChange } from './form-rules.ts';

const ACTIONS = ['A', 'AA', 'PA'];
/** What links may do that are added. */
const LINK_ACTIONS = ['URI', 'GoTo'];
/** What is known of an annotation, and not seen at its place; all else decides whether, where and how it is seen. */
const NOTES = [
  'M',
  'NM',
  'T',
  'Subj',
  'CreationDate',
  'P',
  'Popup',
  'Open',
  'State',
  'StateModel',
  'IRT',
  'RT',
  'Type',
  'StructParent',
  'Lang',
];

/** Whether it is a link that leads somewhere, and no more. */
function isPlainLink(c: Comparison, annotation: Dict): boolean {
  const action = c.newer.get(annotation, 'A');
  if (!isName(c.newer.get(annotation, 'Subtype'), 'Link') || !(action instanceof Dict)) return false;
  const kind = c.newer.get(action, 'S');
  return kind instanceof Name && LINK_ACTIONS.includes(kind.text) && !action.entries.has('Next');
}

function judgeActions(c: Comparison, num: number, annotation: Dict): void {
  for (const key of ACTIONS) {
    if (c.newer.get(annotation, key) === null || (key === 'A' && isPlainLink(c, annotation))) continue;
    c.report('ACTION', 'forbidden', num, `/${key}`);
  }
}

/** Judges what a revision put on a page. `item` is an item of its /Annots. */
export function judgeAddedAnnotation(c: Comparison, page: number, item: PdfValue, form: FormChange): void {
  const annotation = c.newer.resolve(item);
  const num = item instanceof Ref ? item.num : page;
  if (!(annotation instanceof Dict)) {
    if (annotation !== null) c.report('OTHER', 'forbidden', num);
    return;
  }
  if (item instanceof Ref && hasRepeatedKeys(c.newer, num)) c.report('STRUCTURE', 'forbidden', num);
  if (isFieldOrWidget(c.newer, annotation)) {
    if (!form.isNewSignature(num, annotation)) {
      c.report('FIELD_CHANGED', 'forbidden', num, '', fieldName(c.newer, annotation));
    }
  } else c.report('ANNOTATION_ADDED', 'permitted', num);
  judgeActions(c, num, annotation);
  if (covers(c, page, num, annotation)) c.report('CONTENT_COVERED', 'doubtful', num);
}

/** Judges what a revision took from a page. */
export function judgeRemovedAnnotation(c: Comparison, page: number, item: PdfValue): void {
  const annotation = c.older.resolve(item);
  const num = item instanceof Ref ? item.num : page;
  if (!(annotation instanceof Dict)) return;
  if (!isFieldOrWidget(c.older, annotation)) {
    const isDoubtful = uncovers(c, page, num, annotation);
    c.report('ANNOTATION_REMOVED', isDoubtful ? 'doubtful' : 'permitted', num);
    return;
  }
  const isSigned = signatureOf(c.older, annotation) !== undefined && fieldType(c.older, annotation) === 'Sig';
  const code = isSigned ? 'SIGNATURE_REPLACED' : 'FIELD_CHANGED';
  c.report(code, 'forbidden', num, '', fieldName(c.older, annotation));
}

/** Judges a change of an annotation that is no field. `hasNewLook`: its appearance is an object of its own, and changed. */
export function judgeAnnotation(
  c: Comparison,
  num: number,
  before: Dict,
  now: Dict,
  hasNewLook: boolean,
  page: number | undefined,
): void {
  const keys = changedKeys(c.older, before, c.newer, now);
  for (const key of keys) {
    if (ACTIONS.includes(key) || key === 'Dest') c.report('ACTION', 'forbidden', num, `/${key}`);
    if (key === 'FS') c.report('ATTACHMENT', 'forbidden', num, '/FS');
  }
  if (isFieldOrWidget(c.newer, now)) {
    c.report('FIELD_CHANGED', 'forbidden', num);
    return;
  }
  const looksNew = hasNewLook || keys.some((key) => !NOTES.includes(key));
  const isBared = looksNew && page !== undefined && uncovers(c, page, num, before);
  c.report('ANNOTATION_CHANGED', isBared ? 'doubtful' : 'permitted', num);
  if (looksNew && page !== undefined && covers(c, page, num, now))
    c.report('CONTENT_COVERED', 'doubtful', num);
}
