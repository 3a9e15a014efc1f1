import { tooComplex } from '@scriptorium/pdf/error';
import {
  type Box,
  Dict,
  inheritedFrom,
  isName,
  type PdfDocument,
  type PdfValue,
  Ref,
  readBox,
} from '@scriptorium/pdf/read';
import type { ReadRevision } from '@scriptorium/pdf/revisions';
import type { PageComparison } from '@scriptorium/rendering/compare-revisions';
import { drawnArea } from './drawn-area.ts';
import { TouchedObjects } from './touched-objects.ts';

/** A page that updates may have changed. */
export interface TouchedPage extends PageComparison {
  /** Entries of /Annots that Poppler does not count, before and now: see `isUncounted`. */
  uncounted: { before: readonly number[]; now: readonly number[] };
}

const PAGES_MAX = 20_000;
const RECT_NUMBERS = 4;
/** Flags of annotations (ISO 32000-2, table 167). */
const PRINT = 4;
const SHOWN_ON_PAPER_ONLY = 32 | 256;

interface Leaf {
  num: number;
  dict: Dict;
  /** Nodes of the page tree above it. */
  above: readonly Ref[];
}

/** The pages in their order, with those that are there twice. Throws DOCUMENT_TOO_COMPLEX. */
function pagesOf(document: PdfDocument): Leaf[] {
  const pages: Leaf[] = [];
  const seen = new Set<number>();
  const stack: { ref: PdfValue; above: readonly Ref[] }[] = [
    { ref: document.catalog.value.get('Pages'), above: [] },
  ];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { ref, above } = node;
    const dict = ref instanceof Ref ? document.object(ref)?.value : undefined;
    if (!(ref instanceof Ref) || !(dict instanceof Dict)) continue;
    const kids = document.get(dict, 'Kids');
    if (pages.length + seen.size > PAGES_MAX) throw tooComplex(`more than ${PAGES_MAX} pages`);
    if (!Array.isArray(kids)) pages.push({ num: ref.num, dict, above });
    else if (!seen.has(ref.num)) {
      seen.add(ref.num);
      for (const kid of [...kids].reverse()) stack.push({ ref: kid, above: [...above, ref] });
    }
  }
  return pages;
}

/**
 * Lists the pages whose look updates may have changed, with what became of their annotations. Throws PdfError if that cannot
 * be found.
 */
export function touchedPages(
  older: ReadRevision,
  newer: ReadRevision,
  updates: readonly ReadRevision[],
): TouchedPage[] {
  const [before, now] = [older.document, newer.document];
  const touched = new TouchedObjects(before, now, updates);
  const [oldPages, newPages] = [pagesOf(before), pagesOf(now)];
  const nodes = new Set(oldPages.flatMap(({ num, above }) => [num, ...above.map((ref) => ref.num)]));
  const isEveryPage = oldPages.length !== newPages.length || areAllTouched(before, now, touched, nodes);
  const found: TouchedPage[] = [];
  for (const [page, leaf] of oldPages.entries()) {
    const current = newPages[page];
    if (!current) break;
    const isTouched =
      current.num !== leaf.num || touched.has(leaf.num) || isPageTouched(touched, leaf, before, nodes);
    if (!isTouched && !isEveryPage) continue;
    const annotations = annotationsOf(leaf.dict, current.dict, { before, now, touched, nodes });
    const isOtherwise =
      isEveryPage || current.num !== leaf.num || isPageTouched(touched, leaf, before, nodes);
    const isSeen = isOtherwise || !isSameButAnnotations(leaf.dict, current.dict);
    if (isSeen || !areAllUnseen(now, current.dict, annotations)) found.push({ page, ...annotations });
  }
  return found;
}

/** Keys of a page that change no look: the annotations are compared by themselves. */
const UNSEEN_KEYS: ReadonlySet<string> = new Set(['Annots', 'LastModified', 'Tabs']);

function isSameButAnnotations(before: Dict, now: Dict): boolean {
  const keys = new Set([...before.entries.keys(), ...now.entries.keys()]);
  return [...keys].every((key) => UNSEEN_KEYS.has(key) || isSame(before.get(key), now.get(key)));
}

/** Whether only widgets without an area and an appearance were added: invisible signatures and time-stamps. */
function areAllUnseen(
  document: PdfDocument,
  page: Dict,
  { fields, annotations, added }: Pick<PageComparison, 'fields' | 'annotations' | 'added'>,
): boolean {
  if (fields.length + annotations.length > 0) return false;
  const items = itemsOf(document, page);
  return added.every((index) => {
    const annotation = document.resolve(items[index] ?? null);
    if (!isWidget(document, annotation) || !(annotation instanceof Dict)) return false;
    const hasArea = readBox(document.get(annotation, 'Rect'), document) !== undefined;
    return !hasArea && document.get(annotation, 'AP') === null;
  });
}

/** Whether the look of all pages may have changed: layers, and fields that readers must redraw. */
function areAllTouched(
  before: PdfDocument,
  now: PdfDocument,
  touched: TouchedObjects,
  nodes: ReadonlySet<number>,
): boolean {
  const layers = (document: PdfDocument) => document.catalog.value.get('OCProperties');
  if (!isSame(layers(before), layers(now)) || touched.reaches(layers(before), 'any', nodes)) return true;
  const isRedrawn = (document: PdfDocument) => {
    const form = document.dict(document.catalog.value, 'AcroForm');
    return form !== undefined && document.get(form, 'NeedAppearances') === true;
  };
  return isRedrawn(before) !== isRedrawn(now);
}

/** Whether two values are written alike; references are the same, whatever they refer to. */
function isSame(a: PdfValue, b: PdfValue): boolean {
  if (a instanceof Ref && b instanceof Ref) return a.num === b.num && a.gen === b.gen;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSame(item, b[index] ?? null));
  if (a instanceof Dict && b instanceof Dict) {
    const keys = [...a.entries.keys()];
    return keys.length === b.entries.size && keys.every((key) => isSame(a.get(key), b.get(key)));
  }
  if (
    typeof a === 'object' &&
    a !== null &&
    typeof b === 'object' &&
    b !== null &&
    'text' in a &&
    'text' in b
  )
    return a.text === b.text;
  return a === b;
}

function isPageTouched(
  touched: TouchedObjects,
  { dict, above }: Leaf,
  before: PdfDocument,
  nodes: ReadonlySet<number>,
): boolean {
  if (touched.reaches(dict, 'page', nodes)) return true;
  return above.some((ref) => {
    const node = before.object(ref)?.value;
    return touched.has(ref.num) || (node instanceof Dict && touched.reaches(node, 'page', nodes));
  });
}

interface Revisions {
  before: PdfDocument;
  now: PdfDocument;
  touched: TouchedObjects;
  nodes: ReadonlySet<number>;
}

function annotationsOf(
  page: Dict,
  current: Dict,
  { before, now, touched, nodes }: Revisions,
): Omit<TouchedPage, 'page'> {
  const [oldItems, newItems] = [itemsOf(before, page), itemsOf(now, current)];
  const isKept = (item: PdfValue) => item instanceof Ref && !touched.reaches(item, 'field', nodes);
  const keyOf = (item: PdfValue) => (item instanceof Ref ? `${item}` : 'direct');
  const [known, left] = [new Set(oldItems.map(keyOf)), new Set(newItems.map(keyOf))];
  const fields: number[] = [];
  const annotations: number[] = [];
  const added: number[] = [];
  const unsure: Box[] = [];
  let isPrintedToo = false;
  for (const [index, item] of oldItems.entries()) {
    if (isKept(item) && left.has(keyOf(item))) continue;
    const [old, present] = [before.resolve(item), now.resolve(item)];
    if (!(old instanceof Dict)) continue;
    const mayChange =
      item instanceof Ref && left.has(keyOf(item)) && isFillable(before, old) && isWidget(now, present);
    (mayChange ? fields : annotations).push(index);
    const isPrintChanged = ((flagsOf(before, old) ^ flagsOf(now, present)) & PRINT) !== 0;
    isPrintedToo ||= isPrintChanged || isForPaper(before, old);
  }
  for (const [index, item] of newItems.entries()) {
    if (isKept(item) && known.has(keyOf(item))) continue;
    added.push(index);
    const annotation = now.resolve(item);
    isPrintedToo ||= isForPaper(now, annotation);
    const area = drawnArea(now, annotation);
    if (area) unsure.push(area);
  }
  const uncounted = { before: uncountedIn(before, oldItems), now: uncountedIn(now, newItems) };
  return { fields, annotations, added, unsure, isPrintedToo, uncounted };
}

const uncountedIn = (document: PdfDocument, items: readonly PdfValue[]): number[] =>
  [...items.keys()].filter((index) => isUncounted(document, document.resolve(items[index] ?? null)));

/** Poppler has a pop-up with its comment, and drops what has no type or no rectangle. */
function isUncounted(document: PdfDocument, annotation: PdfValue): boolean {
  if (!(annotation instanceof Dict)) return true;
  const [type, rect] = [document.get(annotation, 'Subtype'), document.get(annotation, 'Rect')];
  if (isName(type, 'Popup') && document.get(annotation, 'Parent') !== null) return true;
  return type === null || !Array.isArray(rect) || rect.length !== RECT_NUMBERS;
}

function itemsOf(document: PdfDocument, page: Dict): PdfValue[] {
  const items = document.get(page, 'Annots');
  return Array.isArray(items) ? items : [];
}

const isWidget = (document: PdfDocument, annotation: PdfValue): boolean =>
  annotation instanceof Dict && isName(document.get(annotation, 'Subtype'), 'Widget');

/** Whether it is a field that may get a value: any but a signed signature. */
function isFillable(document: PdfDocument, annotation: Dict): boolean {
  if (!isWidget(document, annotation)) return false;
  const isSignature = isName(inheritedFrom(document, annotation, 'FT'), 'Sig');
  return !isSignature || inheritedFrom(document, annotation, 'V') === null;
}

function flagsOf(document: PdfDocument, annotation: PdfValue): number {
  const flags = annotation instanceof Dict ? document.get(annotation, 'F') : null;
  return typeof flags === 'number' ? flags : 0;
}

/** Whether it may be seen only when the page is printed: by its flags, or by its layer. */
const isForPaper = (document: PdfDocument, annotation: PdfValue): boolean =>
  annotation instanceof Dict &&
  ((flagsOf(document, annotation) & SHOWN_ON_PAPER_ONLY) !== 0 || document.get(annotation, 'OC') !== null);
