import { Dict, Stream } from '../read/values.ts';
import { hasRepeatedKeys } from './changed-objects.ts';
import type { Comparison } from './comparison.ts';
import { isFieldOrWidget } from './field.ts';
import { forbid } from './forbidden.ts';
import type { Part } from './object-parts.ts';
import type { Use } from './object-usage.ts';
import { altered, type Subject, type SubjectKind, whole } from './subject.ts';

/** Maximum number of references between a field and an object of its appearance or value. */
const OWNER_DEPTH_MAX = 4;
const OWNERS_MAX = 1_000;

type Belonging = 'appearance' | 'value' | 'fieldDetail';
const KEY_OF: Readonly<Record<Belonging, string>> = { appearance: 'AP', value: 'V', fieldDetail: 'detail' };

/** The pages, fields and other subjects that the changed objects of one revision belong to. */
export class Affected {
  catalog = false;
  form = false;
  readonly pages = new Set<number>();
  /** Pages whose annotation list is an indirect object that changed. */
  readonly lists = new Set<number>();
  /** Fields and annotations, each with the keys whose indirect object changed. */
  readonly fields = new Map<number, Set<string>>();
  /** Objects that the rules judge as a whole. */
  readonly others: Subject[] = [];

  field(num: number, key?: string): void {
    const keys = this.fields.get(num) ?? new Set();
    if (key !== undefined) keys.add(key);
    this.fields.set(num, keys);
  }
}

/** Sorts a changed object by its uses in both revisions. Reports it if the uses contradict each other. */
export function sort(c: Comparison, num: number, affected: Affected): void {
  // A changed object stream may yield different objects.
  if (c.older.isForPacking(num)) c.report('STRUCTURE', 'forbidden', num);
  const uses = c.roles.usesOf(num);
  if (!uses) {
    c.report('SHARED_OBJECT', 'forbidden', num);
    return;
  }
  // New objects are checked too: one may replace the catalog or the form.
  if (hasRepeatedKeys(c.newer, num)) c.report('STRUCTURE', 'forbidden', num);
  const parts = new Set(uses.map(({ part }) => part));
  const [part] = parts;
  if (part === undefined) return;
  if (parts.has('field') || parts.has('annotation')) {
    if ([...parts].some((other) => other !== 'field' && other !== 'annotation'))
      c.report('SHARED_OBJECT', 'forbidden', num);
    affected.field(num);
  } else if (parts.size > 1) judgeShared(c, num, parts, affected);
  else sortUse(c, num, part, uses, affected);
}

/** An object with several uses may change only if every use permits it. */
function judgeShared(c: Comparison, num: number, parts: ReadonlySet<Part>, affected: Affected): void {
  const isNotShown = [...parts].every((part) => part === 'metadata' || part === 'info');
  if (isNotShown) affected.others.push(whole({ kind: 'metadata', num, ...c.pair(num) }));
  else if (isOneKind(parts)) forbid(c, whole({ kind: 'resource', num }));
  else c.report('SHARED_OBJECT', 'forbidden', num);
}

/** Whether all uses of an object draw with it. One change code then fits all of them. */
const isOneKind = (parts: ReadonlySet<Part>): boolean =>
  [...parts].every((part) => part === 'resource' || part === 'appearanceResource');

function sortUse(c: Comparison, num: number, part: Part, uses: readonly Use[], affected: Affected): void {
  const [{ from } = { from: 0 }] = uses;
  if (part === 'catalog') affected.catalog = true;
  else if (part === 'form') affected.form = true;
  else if (part === 'node') affected.pages.add(num);
  else if (part === 'annots') {
    if (uses.length > 1) c.report('SHARED_OBJECT', 'forbidden', num);
    for (const use of uses) affected.lists.add(use.from);
  } else if (part === 'fields') {
    const isKids = c.roles.isOnce(from, 'field') || c.roles.isOnce(from, 'annotation');
    if (isKids) affected.field(from, 'Kids');
    else affected.form = true;
  } else if (part === 'appearance' || part === 'value' || part === 'fieldDetail')
    sortBelonging(c, num, part, affected);
  else affected.others.push(documentPart(c, num, part));
}

/** Name dictionaries are judged key by key. Metadata that is neither a stream nor null counts as a property. */
function documentPart(c: Comparison, num: number, part: Exclude<Part, 'fields' | 'annots'>): Subject {
  const { before, now } = c.pair(num);
  const kind = part as SubjectKind;
  if (part === 'names' && before instanceof Dict && now instanceof Dict)
    return altered(c, { kind, num, before, now });
  const isMetadata = part === 'metadata' && !(now instanceof Stream || now === null);
  return whole({ kind: isMetadata ? 'property' : kind, num, before, now });
}

/** An indirect object of fields or annotations was replaced in place: the rules judge its owners. */
function sortBelonging(c: Comparison, num: number, part: Belonging, affected: Affected): void {
  const owners = ownersOf(c, num, part);
  if (!owners) c.report('SHARED_OBJECT', 'forbidden', num);
  else if (owners.size === 0)
    c.report(part === 'value' ? 'SIGNATURE_REPLACED' : 'FIELD_CHANGED', 'forbidden', num);
  for (const owner of owners ?? []) {
    const { before } = c.dicts(owner);
    const isNote = part === 'fieldDetail' && before !== undefined && !isFieldOrWidget(c.older, before);
    // The details of an annotation also affect its look.
    affected.field(owner, isNote ? 'AP' : KEY_OF[part]);
  }
}

/** Finds the fields and annotations that own an object of an appearance or value; undefined if unknown. */
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
