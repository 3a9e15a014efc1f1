import { Dict, Name, type PdfValue, Stream } from '../read/values.ts';
import { isSameEncryption } from '../security/security.ts';
import type { ChangeCode } from './change.ts';
import type { Comparison } from './comparison.ts';
import { changedKeys, isDeepEqual } from './deep-equal.ts';

const CODES: Readonly<Record<string, ChangeCode>> = {
  Pages: 'PAGE_TREE',
  OpenAction: 'ACTION',
  AA: 'ACTION',
  AF: 'ATTACHMENT',
  Collection: 'ATTACHMENT',
};

const NAME_CODES: Readonly<Record<string, ChangeCode>> = {
  EmbeddedFiles: 'ATTACHMENT',
  JavaScript: 'ACTION',
};

/** Judges what the trailer leads to. Answers whether the catalog is the one that it was: all else starts there. */
export function judgeTrailer(c: Comparison): boolean {
  if (!isSameEncryption(c.older, c.newer)) {
    c.report('STRUCTURE', 'forbidden', 0, '/Encrypt');
    return false;
  }
  const [before, now] = [c.older.trailer, c.newer.trailer];
  if (!isDeepEqual(c.older, before.get('Info'), c.newer, now.get('Info'))) {
    const info = c.newer.get(now, 'Info');
    if (info === null || info instanceof Dict) c.reportOnce('METADATA', 0, '/Info');
    else c.report('STRUCTURE', 'forbidden', 0, '/Info');
  }
  const { num, gen } = c.older.catalog;
  const root = c.newer.catalog;
  if (root.num === num && root.gen === gen) return true;
  c.report('CATALOG', 'forbidden', 0, '/Root');
  return false;
}

/** Judges the keys of the catalog. The form is judged by itself. */
export function judgeCatalog(c: Comparison): void {
  const [before, now] = [c.older.catalog.value, c.newer.catalog.value];
  for (const key of changedKeys(c.older, before, c.newer, now)) {
    judgeKey(c, key, c.older.get(before, key), c.newer.get(now, key));
  }
}

function judgeKey(c: Comparison, key: string, before: PdfValue, now: PdfValue): void {
  const { num } = c.newer.catalog;
  const at = `/${key}`;
  if (key === 'AcroForm') return;
  if (key === 'DSS' && now instanceof Dict) c.reportOnce('VALIDATION_DATA', num, at);
  else if (key === 'Metadata' && now instanceof Stream) c.reportOnce('METADATA', num, at);
  else if (key === 'Extensions' && areKept(before, now)) c.reportOnce('METADATA', num, at);
  else if (key === 'Version' && isRaised(before, now)) c.reportOnce('METADATA', num, at);
  else if (key === 'MarkInfo' && now instanceof Dict) c.reportOnce('METADATA', num, at);
  else if (key === 'StructTreeRoot' && before !== null && isGrown(c, before, now))
    c.report('OTHER', 'permitted', num, at);
  else if (key === 'Names') judgeNames(c, num, before, now, at);
  else c.report(CODES[key] ?? 'CATALOG', 'forbidden', num, at);
}

/** Whether all developers whose extensions were declared still have some (ISO 32000-2, 7.12). */
function areKept(before: PdfValue, now: PdfValue): boolean {
  if (!(now instanceof Dict)) return false;
  return (
    before === null ||
    (before instanceof Dict && [...before.entries.keys()].every((key) => now.entries.has(key)))
  );
}

const isRaised = (before: PdfValue, now: PdfValue): boolean =>
  now instanceof Name && /^\d\.\d$/.test(now.text) && (!(before instanceof Name) || now.text >= before.text);

/** Judges the name dictionary, `num` being the object that holds it. */
export function judgeNames(c: Comparison, num: number, before: PdfValue, now: PdfValue, at = ''): void {
  if ((before !== null && !(before instanceof Dict)) || !(now instanceof Dict)) {
    c.report('CATALOG', 'forbidden', num, at);
    return;
  }
  const keys = before ? changedKeys(c.older, before, c.newer, now) : [...now.entries.keys()];
  for (const key of keys) c.report(NAME_CODES[key] ?? 'CATALOG', 'forbidden', num, `${at}/${key}`);
}

/**
 * Whether a value of the structure tree only got more: keys, items, or siblings beside it, as writers that tag what
 * they add leave it (ISO 32000-2, 14.7).
 */
export function isGrown(c: Comparison, before: PdfValue, now: PdfValue): boolean {
  if (isDeepEqual(c.older, before, c.newer, now) || before === null) return true;
  if (typeof before === 'number') return typeof now === 'number' && now > before;
  if (before instanceof Dict && now instanceof Dict) {
    return [...before.entries].every(([key, { value }]) =>
      value !== null &&
      ['K', 'Nums', 'Kids', 'Limits', 'ParentTreeNextKey', 'IDTree', 'ParentTree'].includes(key)
        ? isGrown(c, value, now.get(key))
        : isDeepEqual(c.older, value, c.newer, now.get(key)),
    );
  }
  if (!Array.isArray(now)) return false;
  const items = Array.isArray(before) ? before : [before];
  let next = 0;
  for (const item of now) {
    if (next < items.length && isDeepEqual(c.older, items[next] ?? null, c.newer, item)) next++;
  }
  return next === items.length;
}
