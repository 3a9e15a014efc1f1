import { malformed, tooComplex } from '../pdf-error.ts';
import { BOUNDS } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import { Dict, PdfString, type PdfValue } from '../read/values.ts';
import type { NewFile } from '../write/new-file.ts';
import { stringToken } from './template.ts';

const ITEMS_MAX = 500_000;
const NODE_ITEMS_MAX = 64;

/** A number, or the bytes of a string as latin1. */
export type TreeKey = number | string;

function keyOf(value: PdfValue): TreeKey | undefined {
  if (value instanceof PdfString) return value.bytes.toString('latin1');
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/**
 * Reads a name or number tree (ISO 32000-2, 7.9.6 and 7.9.7) in the order of its leaves; the first of equal keys counts.
 * Throws PdfError if it is circular or too large.
 */
export function readTree(
  document: PdfDocument,
  root: PdfValue,
  leaf: 'Names' | 'Nums',
): Map<TreeKey, PdfValue> {
  const entries = new Map<TreeKey, PdfValue>();
  const seen = new Set<Dict>();
  const stack: { value: PdfValue; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { depth } = next;
    const node = document.resolve(next.value);
    if (!(node instanceof Dict)) continue;
    if (seen.has(node) || depth > BOUNDS.depthMax) throw malformed('a tree of names or numbers is circular');
    seen.add(node);
    const kids = document.get(node, 'Kids');
    if (Array.isArray(kids))
      for (const kid of kids.toReversed()) stack.push({ value: kid, depth: depth + 1 });
    const items = document.get(node, leaf);
    for (let at = 0; Array.isArray(items) && at + 1 < items.length; at += 2) {
      const key = keyOf(document.resolve(items[at] ?? null));
      if (key !== undefined && !entries.has(key)) entries.set(key, items[at + 1] ?? null);
    }
    if (entries.size + stack.length > ITEMS_MAX) throw tooComplex('a tree of too many names or numbers');
  }
  return entries;
}

const keyText = (key: TreeKey): string => (typeof key === 'number' ? String(key) : stringToken(key));

const byKey = ([a]: readonly [TreeKey, string], [b]: readonly [TreeKey, string]): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : a < b ? -1 : a > b ? 1 : 0;

/** Writes a name or number tree of unique keys, and returns the dictionary of its root. Values are texts. */
export function writeTree(
  file: NewFile,
  entries: Iterable<readonly [TreeKey, string]>,
  leaf: 'Names' | 'Nums',
): string {
  const sorted = [...entries].sort(byKey);
  const text = (items: typeof sorted) =>
    `/${leaf}[${items.map(([key, value]) => `${keyText(key)} ${value}`).join(' ')}]`;
  if (sorted.length <= NODE_ITEMS_MAX) return `<<${text(sorted)}>>`;
  let nodes = chunks(sorted).map((items) =>
    limited(file, text(items), items[0]?.[0] ?? 0, items.at(-1)?.[0] ?? 0),
  );
  while (nodes.length > NODE_ITEMS_MAX) {
    nodes = chunks(nodes).map((kids) => {
      return limited(file, kidsText(kids), kids[0]?.first ?? 0, kids.at(-1)?.last ?? 0);
    });
  }
  return `<<${kidsText(nodes)}>>`;
}

interface Node {
  num: number;
  first: TreeKey;
  last: TreeKey;
}

const kidsText = (kids: readonly Node[]): string => `/Kids[${kids.map(({ num }) => `${num} 0 R`).join(' ')}]`;

function limited(file: NewFile, items: string, first: TreeKey, last: TreeKey): Node {
  return { num: file.add(`<</Limits[${keyText(first)} ${keyText(last)}]${items}>>`), first, last };
}

export function chunks<T>(items: readonly T[], size = NODE_ITEMS_MAX): T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size));
  return parts;
}
