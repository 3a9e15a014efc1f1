import { Dict, Stream } from '../read/values.ts';
import { judgeAnnotation } from './annotation-rules.ts';
import { isGrown, judgeCatalog, judgeNames, judgeTrailer } from './catalog-rules.ts';
import type { ChangeCode } from './change.ts';
import { hasRepeatedKeys } from './changed-objects.ts';
import type { Comparison } from './comparison.ts';
import { isDeepEqual } from './deep-equal.ts';
import { fieldName, isFieldOrWidget, signatureOf } from './field.ts';
import { type Belongings, judgeField } from './field-rules.ts';
import { formChange, judgeForm, keepsNames, keepsResources } from './form-rules.ts';
import type { Part } from './object-parts.ts';
import type { Use } from './object-usage.ts';
import { judgeAnnotations, judgePage } from './page-rules.ts';

/** How far from its field an object of an appearance or a value may lie. */
const OWNER_DEPTH_MAX = 4;
const OWNERS_MAX = 1_000;
/** Of more it is not told whether they do. */
const OVERRUNS_MAX = 1_000;

/** What objects are that may change in no way at all. */
const FIXED: Partial<Record<Part, ChangeCode>> = {
  trailer: 'STRUCTURE',
  nodes: 'PAGE_TREE',
  permissions: 'CATALOG',
  appearanceResource: 'RESOURCE',
  content: 'PAGE_CONTENT',
  resource: 'RESOURCE',
  action: 'ACTION',
  attachment: 'ATTACHMENT',
  property: 'CATALOG',
};

/** What the changed objects of one revision belong to. */
class Affected {
  catalog = false;
  form = false;
  readonly pages = new Set<number>();
  /** Pages whose list of annotations is an object of its own that changed. */
  readonly lists = new Set<number>();
  readonly fields = new Map<number, Belongings>();

  field(num: number): Belongings {
    const known = this.fields.get(num) ?? { value: false, appearance: false, kids: false };
    this.fields.set(num, known);
    return known;
  }
}

/** Finds out what a revision changed. Throws INVALID_FILE_FORMAT or DOCUMENT_TOO_COMPLEX where that cannot be told. */
export function compare(c: Comparison): void {
  if (!judgeTrailer(c)) return;
  const affected = new Affected();
  judgeOverruns(c);
  for (const num of c.changed) sort(c, num, affected);
  const form = formChange(c);
  if (affected.catalog) judgeCatalog(c);
  if (affected.catalog || affected.form) judgeForm(c);
  for (const page of affected.pages) judgePage(c, page, form);
  for (const page of affected.lists) if (!affected.pages.has(page)) judgeAnnotations(c, page, form);
  for (const [num, belongings] of affected.fields) judgeAffectedField(c, num, belongings);
}

/** Streams that ended with the file may go on in what was appended. */
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

function sort(c: Comparison, num: number, affected: Affected): void {
  // The objects of a stream are others when it is read otherwise.
  if (c.older.isForPacking(num)) c.report('STRUCTURE', 'forbidden', num);
  const uses = c.roles.usesOf(num);
  if (!uses) {
    c.report('SHARED_OBJECT', 'forbidden', num);
    return;
  }
  const parts = new Set(uses.map(({ part }) => part));
  const [part] = parts;
  if (part === undefined) return;
  if (hasRepeatedKeys(c.newer, num)) c.report('STRUCTURE', 'forbidden', num);
  if (parts.has('field') || parts.has('annotation')) {
    const others = [...parts].filter((other) => other !== 'field' && other !== 'annotation');
    if (others.length > 0) c.report('SHARED_OBJECT', 'forbidden', num);
    affected.field(num);
  } else if (parts.size > 1) judgeShared(c, num, parts);
  else judgeUse(c, num, part, uses, affected);
}

/** Objects with several uses may only change where no use minds. */
function judgeShared(c: Comparison, num: number, parts: ReadonlySet<Part>): void {
  if ([...parts].every((part) => part === 'metadata' || part === 'info')) c.reportOnce('METADATA', num);
  else {
    const codes = [...parts].map((part) => FIXED[part]);
    const [code] = codes;
    const isOneKind = code !== undefined && codes.every((other) => other === code);
    c.report(isOneKind ? code : 'SHARED_OBJECT', 'forbidden', num);
  }
}

function judgeUse(c: Comparison, num: number, part: Part, uses: readonly Use[], affected: Affected): void {
  const [{ from } = { from: 0 }] = uses;
  const fixed = FIXED[part];
  if (fixed) c.report(fixed, 'forbidden', num);
  else if (part === 'catalog') affected.catalog = true;
  else if (part === 'form') affected.form = true;
  else if (part === 'node') affected.pages.add(num);
  else if (part === 'annots') {
    if (uses.length > 1) c.report('SHARED_OBJECT', 'forbidden', num);
    for (const use of uses) affected.lists.add(use.from);
  } else if (part === 'fields') judgeFieldList(c, from, affected);
  else if (part === 'appearance' || part === 'value' || part === 'fieldDetail') {
    judgeBelonging(c, num, part, affected);
  } else judgeDocumentPart(c, num, part);
}

function judgeFieldList(c: Comparison, from: number, affected: Affected): void {
  const isKids = c.roles.isOnce(from, 'field') || c.roles.isOnce(from, 'annotation');
  if (isKids) affected.field(from).kids = true;
  else affected.form = true;
}

function judgeDocumentPart(c: Comparison, num: number, part: Part): void {
  const { before, now } = c.pair(num);
  const isDict = before instanceof Dict && now instanceof Dict;
  if (part === 'validationData' && now !== null) c.reportOnce('VALIDATION_DATA', num);
  else if (part === 'info' || part === 'extensions') c.reportOnce('METADATA', num);
  else if (part === 'metadata' && (now instanceof Stream || now === null)) c.reportOnce('METADATA', num);
  else if (part === 'names') judgeNames(c, num, before, now);
  else if (part === 'structure') c.report('OTHER', isGrown(c, before, now) ? 'permitted' : 'forbidden', num);
  else if (part === 'formResourceNames' || part === 'formResources') {
    const keeps = part === 'formResources' ? keepsResources : keepsNames;
    if (!isDict) c.report('RESOURCE', 'forbidden', num);
    else if (!keeps(c, before, now)) c.report('RESOURCE', 'doubtful', num);
  } else c.report('STRUCTURE', 'forbidden', num);
}

/** An object of its own that belongs to fields or annotations was replaced where it is: these are to be judged. */
function judgeBelonging(
  c: Comparison,
  num: number,
  part: 'appearance' | 'value' | 'fieldDetail',
  affected: Affected,
): void {
  const owners = ownersOf(c, num, part);
  if (!owners) c.report('SHARED_OBJECT', 'forbidden', num);
  else if (owners.size === 0)
    c.report(part === 'value' ? 'SIGNATURE_REPLACED' : 'FIELD_CHANGED', 'forbidden', num);
  for (const owner of owners ?? []) {
    const { before } = c.dicts(owner);
    if (part !== 'fieldDetail') affected.field(owner)[part] = true;
    else if (before && !isFieldOrWidget(c.older, before)) affected.field(owner).appearance = true;
    else c.report('FIELD_CHANGED', 'forbidden', num);
  }
}

/** The fields and annotations that an object of an appearance or value belongs to; undefined where it is not told. */
function ownersOf(c: Comparison, num: number, part: Part): Set<number> | undefined {
  const owners = new Set<number>();
  let level = new Set([num]);
  for (let depth = 0; level.size > 0; depth++) {
    if (depth > OWNER_DEPTH_MAX || owners.size + level.size > OWNERS_MAX) return undefined;
    const above = new Set<number>();
    for (const item of level) {
      const uses = c.roles.usesOf(item);
      for (const { from, part: use } of uses ?? []) {
        if (use !== part) continue;
        if (c.roles.isOnce(from, 'field') || c.roles.isOnce(from, 'annotation')) owners.add(from);
        else above.add(from);
      }
    }
    level = above;
  }
  return owners;
}

/** The page that an annotation is on. */
function pageOf(c: Comparison, num: number): number | undefined {
  const use = c.roles.usesOf(num)?.find(({ part }) => part === 'annotation');
  if (!use || c.roles.isOnce(use.from, 'node')) return use?.from;
  return c.roles.usesOf(use.from)?.find(({ part }) => part === 'annots')?.from;
}

function judgeAffectedField(c: Comparison, num: number, belongings: Belongings): void {
  const { before, now } = c.dicts(num);
  if (!before) c.report('FIELD_CHANGED', 'forbidden', num);
  else if (!now) judgeLost(c, num, before);
  else if (isFieldOrWidget(c.older, before)) judgeField(c, num, before, now, belongings, pageOf(c, num));
  else judgeAnnotation(c, num, before, now, belongings.appearance, pageOf(c, num));
}

/** A field or annotation that is still referred to, and is no more. */
function judgeLost(c: Comparison, num: number, before: Dict): void {
  if (!isFieldOrWidget(c.older, before)) c.report('ANNOTATION_REMOVED', 'forbidden', num);
  else {
    const code = signatureOf(c.older, before) ? 'SIGNATURE_REPLACED' : 'FIELD_CHANGED';
    c.report(code, 'forbidden', num, '', fieldName(c.older, before));
  }
}
