import { Dict, Stream } from '../read/values.ts';
import { hasRepeatedKeys } from './changed-objects.ts';
import type { Comparison } from './comparison.ts';
import { isFieldOrWidget } from './field.ts';
import { forbid } from './forbidden.ts';
import type { Part } from './object-parts.ts';
import type { Use } from './object-usage.ts';
import { altered, type Subject, type SubjectKind, whole } from './subject.ts';

/** How far from its field an object of an appearance or a value may lie. */
const OWNER_DEPTH_MAX = 4;
const OWNERS_MAX = 1_000;

type Belonging = 'appearance' | 'value' | 'fieldDetail';
const KEY_OF: Readonly<Record<Belonging, string>> = { appearance: 'AP', value: 'V', fieldDetail: 'detail' };

/** What the changed objects of one revision belong to. */
export class Affected {
  catalog = false;
  form = false;
  readonly pages = new Set<number>();
  /** Pages whose list of annotations is an object of its own that changed. */
  readonly lists = new Set<number>();
  /** Fields and annotations, and the keys of which an object of its own changed. */
  readonly fields = new Map<number, Set<string>>();
  /** Objects that are judged as a whole. */
  readonly others: Subject[] = [];

  field(num: number, key?: string): void {
    const keys = this.fields.get(num) ?? new Set();
    if (key !== undefined) keys.add(key);
    this.fields.set(num, keys);
  }
}

/** Sorts a changed object by its uses in both revisions. Reports it where these do not go together. */
export function sort(c: Comparison, num: number, affected: Affected): void {
  // The objects of a stream are others when it is read otherwise.
  if (c.older.isForPacking(num)) c.report('STRUCTURE', 'forbidden', num);
  const uses = c.roles.usesOf(num);
  if (!uses) {
    c.report('SHARED_OBJECT', 'forbidden', num);
    return;
  }
  // In new objects too: one may take the place of the catalog or the form.
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

/** Objects with several uses may only change where no use minds. */
function judgeShared(c: Comparison, num: number, parts: ReadonlySet<Part>, affected: Affected): void {
  const isNotShown = [...parts].every((part) => part === 'metadata' || part === 'info');
  if (isNotShown) affected.others.push(whole({ kind: 'metadata', num, ...c.pair(num) }));
  else if (isOneKind(parts)) forbid(c, whole({ kind: 'resource', num }));
  else c.report('SHARED_OBJECT', 'forbidden', num);
}

/** Whether all uses of an object draw with it, so that one name is right for its change. */
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

/** Of names, keys are judged one by one; what is neither an object nor gone may be nothing. */
function documentPart(c: Comparison, num: number, part: Exclude<Part, 'fields' | 'annots'>): Subject {
  const { before, now } = c.pair(num);
  const kind = part as SubjectKind;
  if (part === 'names' && before instanceof Dict && now instanceof Dict)
    return altered(c, { kind, num, before, now });
  const isMetadata = part === 'metadata' && !(now instanceof Stream || now === null);
  return whole({ kind: isMetadata ? 'property' : kind, num, before, now });
}

/** An object of its own that belongs to fields or annotations was replaced where it is: these are judged. */
function sortBelonging(c: Comparison, num: number, part: Belonging, affected: Affected): void {
  const owners = ownersOf(c, num, part);
  if (!owners) c.report('SHARED_OBJECT', 'forbidden', num);
  else if (owners.size === 0)
    c.report(part === 'value' ? 'SIGNATURE_REPLACED' : 'FIELD_CHANGED', 'forbidden', num);
  for (const owner of owners ?? []) {
    const { before } = c.dicts(owner);
    const isNote = part === 'fieldDetail' && before !== undefined && !isFieldOrWidget(c.older, before);
    // What an annotation looks like is in its details too.
    affected.field(owner, isNote ? 'AP' : KEY_OF[part]);
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
