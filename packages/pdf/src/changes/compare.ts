import { Dict, type PdfValue } from '../read/values.ts';
import { isSameEncryption } from '../security/security.ts';
import { Affected, sort } from './affected.ts';
import type { Comparison } from './comparison.ts';
import { isDeepEqual } from './deep-equal.ts';
import { fieldName, isFieldOrWidget } from './field.ts';
import { forbid } from './forbidden.ts';
import { formOf } from './form-tree.ts';
import { addedFields, annotationSubjects } from './lists.ts';
import { objectValue } from './object-usage.ts';
import { annotations } from './rules/annotations.ts';
import { formBookkeeping } from './rules/form-bookkeeping.ts';
import { formFilling } from './rules/form-filling.ts';
import { metadata } from './rules/metadata.ts';
import { sameContent } from './rules/same-content.ts';
import { secondSignature } from './rules/second-signature.ts';
import { structureGrowth } from './rules/structure-growth.ts';
import { validationData } from './rules/validation-data.ts';
import { added, altered, type Rule, type Subject, type SubjectKind, whole } from './subject.ts';

/** The rules for permitted changes. A change that no rule claims is forbidden. */
const RULES: readonly Rule[] = [
  secondSignature,
  validationData,
  formFilling,
  annotations,
  metadata,
  formBookkeeping,
  structureGrowth,
  sameContent,
];

/** Maximum number of overrunning streams that are checked. */
const OVERRUNS_MAX = 1_000;

/**
 * Finds out what a revision changed. Every object that both revisions use and that differs is a subject. Every item
 * added to a list is a subject too. Throws INVALID_FILE_FORMAT or DOCUMENT_TOO_COMPLEX if the comparison fails.
 */
export function compare(c: Comparison): void {
  if (!isSameEncryption(c.older, c.newer)) {
    c.report('STRUCTURE', 'forbidden', 0, { at: '/Encrypt' });
    return;
  }
  judgeOverruns(c);
  const affected = new Affected();
  for (const num of c.changed) sort(c, num, affected);
  judgeTrailer(c);
  judgeCatalog(c, affected);
  for (const subject of affected.others) judge(c, subject);
  for (const page of affected.pages) judgePage(c, page);
  for (const page of affected.lists) if (!affected.pages.has(page)) judgeAnnotations(c, page);
  for (const [num, within] of affected.fields) judgeField(c, num, within);
}

/** Lets the rules claim keys of the subject. The remaining keys are forbidden. */
function judge(c: Comparison, subject: Subject): void {
  for (const rule of RULES) {
    if (subject.pending.size === 0) return;
    rule.claim(c, subject);
  }
  forbid(c, subject);
}

/** Judges /Info. All other trailer keys are judged elsewhere or change with every update. */
function judgeTrailer(c: Comparison): void {
  const [before, now] = [c.older.trailer, c.newer.trailer];
  const trailer = altered(c, { kind: 'trailer', num: 0, before, now });
  const isChanged = trailer.pending.has('Info');
  if (isChanged) judge(c, { ...trailer, pending: new Set(['Info']) });
}

/** A stream that ended with the file may continue into the appended bytes. */
function judgeOverruns(c: Comparison): void {
  const { overruns } = c.roles;
  for (const num of overruns) {
    if (c.changed.has(num)) continue;
    const { before, now } = overruns.size > OVERRUNS_MAX ? { before: null, now: true } : c.pair(num);
    if (isDeepEqual(c.older, before, c.newer, now)) continue;
    c.report('STRUCTURE', 'forbidden', num);
    if (overruns.size > OVERRUNS_MAX) return;
  }
}

/** Finds the page of an annotation. */
function pageOf(c: Comparison, num: number): number | undefined {
  const use = c.roles.usesOf(num)?.find(({ part }) => part === 'annotation');
  if (!use || c.roles.isOnce(use.from, 'node')) return use?.from;
  return c.roles.usesOf(use.from)?.find(({ part }) => part === 'annots')?.from;
}

/** Judges the catalog, with the form and the names, which may be indirect objects. */
function judgeCatalog(c: Comparison, affected: Affected): void {
  const [older, newer] = [c.older.catalog, c.newer.catalog];
  const isMoved = older.num !== newer.num || older.gen !== newer.gen;
  if (!isMoved && !affected.catalog && !affected.form) return;
  const { num } = newer;
  const catalog = altered(c, { kind: 'catalog', num, before: older.value, now: newer.value }, { isMoved });
  const names = nested(c, catalog, 'Names', 'names', isMoved);
  if (affected.form) catalog.pending.add('AcroForm');
  if (catalog.pending.delete('AcroForm')) judgeForm(c, num);
  judge(c, catalog);
  if (names) judge(c, names);
}

/** Makes the subject of a nested dictionary; undefined if the outer one covers it. */
function nested(
  c: Comparison,
  outer: Subject,
  key: string,
  kind: SubjectKind,
  isMoved: boolean,
): Subject | undefined {
  if (!outer.pending.has(key)) return undefined;
  const { num } = outer;
  const [before, now] = [c.older.get(outer.before as Dict, key), c.newer.get(outer.now as Dict, key)];
  if (!(now instanceof Dict) || !(before === null || before instanceof Dict)) return undefined;
  outer.pending.delete(key);
  const at = `/${key}`;
  return before ? altered(c, { kind, num, at, before, now }, { isMoved }) : added(c, { kind, num, at, now });
}

function judgeForm(c: Comparison, num: number): void {
  const [before, now] = [formOf(c.older), formOf(c.newer)];
  const at = '/AcroForm';
  if (!now) {
    if (before) forbid(c, whole({ kind: 'form', num, at }));
    return;
  }
  const form = before
    ? altered(c, { kind: 'form', num, at, before, now }, { isMoved: true })
    : added(c, { kind: 'form', num, at, now });
  form.pending.delete('Fields');
  for (const subject of addedFields(c, before, now, 'Fields', { num, at })) judge(c, subject);
  judge(c, form);
}

function judgePage(c: Comparison, num: number): void {
  const { before, now } = c.dicts(num);
  if (!before || !now) {
    c.report('PAGE_TREE', 'forbidden', num);
    return;
  }
  const page = altered(c, { kind: 'page', num, before, now });
  page.pending.delete('Annots');
  judge(c, page);
  judgeAnnotations(c, num);
}

function judgeAnnotations(c: Comparison, page: number): void {
  for (const subject of annotationSubjects(c, page)) judge(c, subject);
}

/** Judges a field or annotation that both revisions have. */
function judgeField(c: Comparison, num: number, within: ReadonlySet<string>): void {
  const { before, now } = c.dicts(num);
  const isField = before !== undefined && (isFieldOrWidget(c.older, before) || isListedField(c, num));
  if (!before || !now) {
    const kind = isField || !before ? 'field' : 'removedAnnotation';
    const field = before && fieldName(c.older, before);
    forbid(c, whole({ kind, num, before: before ?? null, field: isField ? field : undefined }));
    return;
  }
  const page = pageOf(c, num);
  const basics = { num, page, before, now };
  if (!isField) {
    judge(c, altered(c, { kind: 'annotation', ...basics }, { within }));
    return;
  }
  const field = altered(c, { kind: 'field', ...basics, field: fieldName(c.older, before) }, { within });
  if (field.pending.delete('Kids')) {
    for (const subject of addedFields(c, before, now, 'Kids', field)) judge(c, subject);
  }
  judge(c, field);
}

/** Whether a form or a field lists an object as a field, whatever its own keys say. */
function isListedField(c: Comparison, num: number): boolean {
  const uses = c.roles.usesOf(num) ?? [];
  return uses.some(({ from, part }) => part === 'field' && !isAnnotation(c, objectValue(c.older, from)));
}

/** A pop-up refers to its annotation by /Parent, as fields do. */
const isAnnotation = (c: Comparison, value: PdfValue): boolean =>
  value instanceof Dict && !isFieldOrWidget(c.older, value) && value.get('Kids') === null;
