import { Dict, isName, Name, PdfString, Ref } from '../../read/values.ts';
import type { Comparison } from '../comparison.ts';
import { areApart, covers, uncovers } from '../cover.ts';
import { isFieldOrWidget } from '../field.ts';
import { hasOneLook } from '../field-look.ts';
import { linkBoxes, seenBox } from '../shown-annotations.ts';
import { type Rule, type Subject, take, takes } from '../subject.ts';

/** Keys of all annotations and of markup annotations (ISO 32000-2, tables 166 and 172). */
const COMMON = [
  ...['Type', 'Subtype', 'Rect', 'Contents', 'P', 'NM', 'M', 'F', 'AS', 'Border', 'C', 'StructParent'],
  ...['ca', 'CA', 'BM', 'Lang', 'T', 'Popup', 'RC', 'CreationDate', 'IRT', 'Subj', 'RT', 'IT', 'Rotate'],
];
const LINE = ['BS', 'BE', 'IC', 'LE', 'RD'];
const QUADS = ['QuadPoints'];

/**
 * The annotation kinds for comments, and their keys (ISO 32000-2, 12.5.6). Other kinds play media, attach files,
 * hide or replace content, or link elsewhere.
 */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  Text: ['Open', 'Name', 'State', 'StateModel'],
  Link: ['Dest', 'H', 'BS', ...QUADS],
  FreeText: ['DA', 'Q', 'DS', 'CL', ...LINE],
  Line: ['L', 'LL', 'LLE', 'LLO', 'Cap', 'CP', 'CO', ...LINE],
  Square: LINE,
  Circle: LINE,
  Polygon: ['Vertices', ...LINE],
  PolyLine: ['Vertices', ...LINE],
  Highlight: QUADS,
  Underline: QUADS,
  Squiggly: QUADS,
  StrikeOut: QUADS,
  Caret: ['RD', 'Sy'],
  Stamp: ['Name'],
  Ink: ['InkList', ...LINE],
  Popup: ['Parent', 'Open'],
};
/** Private keys of one program, which others ignore (ISO 32000-2, annex E.2). */
const PRIVATE = /^[A-Z0-9]{4}[:_]/;
/** Keys that do not affect content or looks. */
const NOTES = ['M', 'Open', 'Popup', 'Type'];

/** Permits comment annotations. Files, media, scripts and external links are not comments. */
export const annotations: Rule = {
  name: 'annotations',
  claim(c, subject) {
    const { kind, num, before, now } = subject;
    if (kind === 'addedAnnotation' && now instanceof Dict) claimAdded(c, subject, now);
    else if (kind === 'annotation' && before instanceof Dict && now instanceof Dict)
      claimChanged(c, subject, before, now);
    else if (kind === 'removedAnnotation' && before instanceof Dict) claimRemoved(c, subject, before);
    else if (kind === 'annotationOrder' && takes(subject, ''))
      c.report('ANNOTATION_CHANGED', 'doubtful', num, { at: '/Annots', least: 3 });
    else if (kind === 'names' && now instanceof Dict && takes(subject, 'AP'))
      // Writers list named looks when they copy one into an annotation.
      c.report('ANNOTATION_CHANGED', 'permitted', num, { at: `${subject.at}/AP`, least: 3, isMinor: true });
  },
};

function keysOf(c: Comparison, annotation: Dict): readonly string[] | undefined {
  const kind = c.newer.get(annotation, 'Subtype');
  if (!(kind instanceof Name) || !Object.hasOwn(KINDS, kind.text)) return undefined;
  const own = [...annotation.entries.keys()].filter((key) => PRIVATE.test(key));
  return [...COMMON, ...own, ...(KINDS[kind.text] ?? [])];
}

/** Takes the keys that this kind of annotation may have in the newer revision. */
function takeKeys(c: Comparison, subject: Subject, annotation: Dict, keys: readonly string[]): void {
  const isPopup = isName(c.newer.get(annotation, 'Subtype'), 'Popup');
  const parent = isPopup ? c.newer.get(annotation, 'Parent') : null;
  const isOfField = parent instanceof Dict && isFieldOrWidget(c.newer, parent);
  take(
    subject,
    keys.filter((key) => !(key === 'Parent' && isOfField)),
  );
  if (hasOneLook(c, annotation)) takes(subject, 'AP');
  if (leadsWithin(c, annotation)) takes(subject, 'A');
}

/** Whether a link only leads to another place in the document. */
function leadsWithin(c: Comparison, annotation: Dict): boolean {
  const action = c.newer.get(annotation, 'A');
  const isLink = isName(c.newer.get(annotation, 'Subtype'), 'Link');
  if (!isLink || !(action instanceof Dict) || !isName(c.newer.get(action, 'S'), 'GoTo')) return false;
  const place = c.newer.get(action, 'D');
  const isPlace = Array.isArray(place) || place instanceof Name || place instanceof PdfString;
  return isPlace && [...action.entries.keys()].every((key) => ['Type', 'S', 'D', 'SD'].includes(key));
}

function claimAdded(c: Comparison, subject: Subject, annotation: Dict): void {
  const { num, page = 0 } = subject;
  const keys = isFieldOrWidget(c.newer, annotation) ? undefined : keysOf(c, annotation);
  if (!keys) return;
  takeKeys(c, subject, annotation, keys);
  // An annotation that existed before is signed content, even if it moved to another page.
  if (c.roles.isOnce(num, 'annotation')) c.report('ANNOTATION_CHANGED', 'doubtful', num, { least: 3 });
  else c.bear(num);
  c.report('ANNOTATION_ADDED', 'permitted', num, { least: 3 });
  if (covers(c, page, num, annotation) || leadsElsewhere(c, page, annotation))
    c.report('CONTENT_COVERED', 'doubtful', num, { least: 3 });
}

/** Whether a new link lies over an earlier one, which no longer leads where it did. */
function leadsElsewhere(c: Comparison, page: number, annotation: Dict): boolean {
  const box = isName(c.newer.get(annotation, 'Subtype'), 'Link') && seenBox(c.newer, annotation);
  if (!box) return false;
  const links = linkBoxes(c.older, page);
  c.budget.spend('overlaps', links.length);
  return links.some((link) => !areApart(box, link));
}

function claimChanged(c: Comparison, subject: Subject, before: Dict, now: Dict): void {
  const { num, page } = subject;
  const isSameKind = isName(c.newer.get(now, 'Subtype'), kindOf(c, before));
  const keys = isFieldOrWidget(c.newer, now) || !isSameKind ? undefined : keysOf(c, now);
  if (!keys) return;
  const parent = now.get('P');
  if (parent instanceof Ref && parent.num === page) takes(subject, 'P');
  take(subject, NOTES);
  const details = { least: 3, bornIn: c.births.get(num) } as const;
  if (subject.pending.size === 0) {
    c.report('ANNOTATION_CHANGED', 'permitted', num, details);
    return;
  }
  takeKeys(c, subject, now, [...keys, ...[...before.entries.keys()].filter((key) => PRIVATE.test(key))]);
  const isBared = page !== undefined && uncovers(c, page, num, before);
  c.report('ANNOTATION_CHANGED', 'doubtful', num, { ...details, isGrantable: !isBared });
  if (page !== undefined && covers(c, page, num, now)) c.report('CONTENT_COVERED', 'doubtful', num, details);
}

function kindOf(c: Comparison, annotation: Dict): string {
  const kind = c.older.get(annotation, 'Subtype');
  return kind instanceof Name ? kind.text : '';
}

function claimRemoved(c: Comparison, subject: Subject, annotation: Dict): void {
  if (isFieldOrWidget(c.older, annotation)) return;
  const { num, page = 0 } = subject;
  takes(subject, '');
  const level = kindOf(c, annotation) === 'Popup' ? 'permitted' : 'doubtful';
  const isGrantable = !uncovers(c, page, num, annotation);
  c.report('ANNOTATION_REMOVED', level, num, { least: 3, bornIn: c.births.get(num), isGrantable });
}
