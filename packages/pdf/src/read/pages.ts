import { malformed, tooComplex, unlessMalformed } from '../pdf-error.ts';
import { BOUNDS } from './bounds.ts';
import type { PdfDocument, PdfObject } from './document.ts';
import { Dict, type PdfValue, Ref } from './values.ts';

/** Left, bottom, right, top in default user space. */
export type Box = readonly [number, number, number, number];

export interface Page {
  object: PdfObject & { value: Dict };
  ref: Ref;
  /** The visible area: the crop box within the media box. */
  box: Box;
  /** Clockwise rotation for display, in degrees. */
  rotation: 0 | 90 | 180 | 270;
}

const INHERITED = ['MediaBox', 'CropBox', 'Rotate'] as const;
type Inherited = Partial<Record<(typeof INHERITED)[number], PdfValue>>;
/** US Letter, the default of readers for a page without a size. */
const LETTER: Box = [0, 0, 612, 792];

/** Returns the number of pages in the root of the page tree. */
export function countPages(document: PdfDocument): number {
  const root = document.dict(document.catalog.value, 'Pages');
  const count = root && document.get(root, 'Count');
  if (!Number.isSafeInteger(count) || typeof count !== 'number' || count < 0)
    throw malformed('its page tree has no page count');
  return count;
}

/** Returns the page with this number, from 1; undefined if there is none. Uses /Count to skip whole subtrees. */
export function findPage(document: PdfDocument, number: number): Page | undefined {
  const root = document.catalog.value.get('Pages');
  if (!(root instanceof Ref)) throw malformed('its catalog has no page tree');
  const seen = new Set<number>();
  let rest = number;
  const visit = (ref: Ref, inherited: Inherited, depth: number): Page | undefined => {
    if (seen.has(ref.num) || depth > BOUNDS.depthMax) throw malformed('its page tree is circular');
    if (seen.size >= BOUNDS.pageNodesMax) throw tooComplex(`more than ${BOUNDS.pageNodesMax} pages`);
    seen.add(ref.num);
    const object = document.object(ref);
    if (!object || !(object.value instanceof Dict)) throw malformed('an object of its page tree is missing');
    const dict = object.value;
    const own = { ...inherited };
    for (const key of INHERITED) if (dict.entries.has(key)) own[key] = document.get(dict, key);
    const kids = document.get(dict, 'Kids');
    if (!Array.isArray(kids)) {
      return --rest === 0 ? pageOf({ ...object, value: dict }, ref, own, document) : undefined;
    }
    const count = document.get(dict, 'Count');
    if (depth > 0 && typeof count === 'number' && count >= 0 && count < rest) {
      rest -= count;
      return undefined;
    }
    for (const kid of kids) {
      if (!(kid instanceof Ref)) continue;
      const page = visit(kid, own, depth + 1);
      if (page) return page;
    }
    return undefined;
  };
  return visit(root, {}, 0);
}

/** Yields all readable pages, each once, in no particular order. Throws DOCUMENT_TOO_COMPLEX. */
export function* eachPage(document: PdfDocument): Generator<Dict> {
  const stack: PdfValue[] = [document.catalog.value.get('Pages')];
  const seen = new Set<PdfValue>();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const at = node;
    const dict = unlessMalformed(() => document.resolve(at));
    if (!(dict instanceof Dict) || seen.has(dict)) continue;
    seen.add(dict);
    if (seen.size > BOUNDS.pageNodesMax) throw tooComplex(`more than ${BOUNDS.pageNodesMax} pages`);
    const kids = document.get(dict, 'Kids');
    if (!Array.isArray(kids)) yield dict;
    else if (!seen.has(kids)) {
      seen.add(kids);
      for (const kid of kids) if (kid instanceof Ref) stack.push(kid);
    }
  }
}

/** Yields all pages in order, each once. Throws PdfError. */
export function* placedPages(document: PdfDocument): Generator<Page> {
  const root = document.catalog.value.get('Pages');
  const seen = new Set<number>();
  const stack: { ref: PdfValue; inherited: Inherited }[] = [{ ref: root, inherited: {} }];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { ref } = node;
    const object = ref instanceof Ref ? document.object(ref) : undefined;
    if (!(ref instanceof Ref) || !object || !(object.value instanceof Dict)) continue;
    if (seen.has(ref.num)) throw malformed('its page tree is circular');
    seen.add(ref.num);
    if (seen.size > BOUNDS.pageNodesMax) throw tooComplex(`more than ${BOUNDS.pageNodesMax} pages`);
    const dict = object.value;
    const own = { ...node.inherited };
    for (const key of INHERITED) if (dict.entries.has(key)) own[key] = document.get(dict, key);
    const kids = document.get(dict, 'Kids');
    if (!Array.isArray(kids)) yield pageOf({ ...object, value: dict }, ref, own, document);
    else for (const kid of kids.toReversed()) stack.push({ ref: kid, inherited: own });
  }
}

function pageOf(object: Page['object'], ref: Ref, inherited: Inherited, document: PdfDocument): Page {
  const media = readBox(inherited.MediaBox ?? null, document) ?? LETTER;
  const crop = readBox(inherited.CropBox ?? null, document) ?? media;
  return { object, ref, box: intersect(media, crop), rotation: turnOf(inherited.Rotate ?? null) };
}

/** Returns the corners of a rectangle in normal order; undefined if it has no area. */
export function readBox(value: PdfValue, document: PdfDocument): Box | undefined {
  if (!Array.isArray(value) || value.length !== 4) return undefined;
  const numbers = value.map((item) => document.resolve(item));
  const [a, b, c, d] = numbers;
  if (typeof a !== 'number' || typeof b !== 'number' || typeof c !== 'number' || typeof d !== 'number') {
    return undefined;
  }
  const box: Box = [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
  return box[2] > box[0] && box[3] > box[1] ? box : undefined;
}

function intersect(media: Box, crop: Box): Box {
  const box: Box = [
    Math.max(media[0], crop[0]),
    Math.max(media[1], crop[1]),
    Math.min(media[2], crop[2]),
    Math.min(media[3], crop[3]),
  ];
  return box[2] > box[0] && box[3] > box[1] ? box : media;
}

/** Returns the value of /Rotate as one of four rotations. */
export function turnOf(value: PdfValue): Page['rotation'] {
  const degrees = typeof value === 'number' ? Math.round(value / 90) * 90 : 0;
  const turn = ((degrees % 360) + 360) % 360;
  return turn === 90 || turn === 180 || turn === 270 ? turn : 0;
}

/** Returns a page attribute, own or inherited. */
export function inheritedFrom(document: PdfDocument, page: Dict, key: string): PdfValue {
  let node: PdfValue = page;
  for (let depth = 0; node instanceof Dict && depth <= BOUNDS.depthMax; depth++) {
    if (node.entries.has(key)) return document.get(node, key);
    node = document.get(node, 'Parent');
  }
  return null;
}
