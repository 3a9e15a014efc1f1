import { malformed } from '../pdf-error.ts';
import type { PdfDocument } from '../read/document.ts';
import { headerAt } from '../read/object-header.ts';
import { Dict, type PdfValue, Ref, Stream } from '../read/values.ts';
import { isFree, isSameEntry, type XrefEntry, type XrefSection } from '../read/xref-entry.ts';
import type { Budget } from './budget.ts';
import { isDeepEqual } from './deep-equal.ts';
import { objectValue } from './object-usage.ts';

/** All objects are compared if the xref sections do not continue those of the previous revision. */
const ALL_MAX = 500_000;

/** The xref sections that the newer revision adds; undefined if it does not continue the older one. */
function ownSections(older: PdfDocument, newer: PdfDocument): XrefSection[] | undefined {
  const before = older.xref.sections;
  const { sections } = newer.xref;
  const own = sections.length - before.length;
  const isContinued =
    own > 0 && before.every((section, index) => sections[own + index]?.offset === section.offset);
  return isContinued ? sections.slice(0, own) : undefined;
}

/** The object numbers that the added xref sections name. */
function* namedNumbers(
  older: PdfDocument,
  newer: PdfDocument,
  own: readonly XrefSection[] | undefined,
): Generator<number> {
  if (!own) {
    const max = Math.max(older.xref.numMax, newer.xref.numMax);
    if (max > ALL_MAX) throw malformed('an update does not say what it updates');
    for (let num = 1; num <= max; num++) yield num;
    return;
  }
  for (const { runs } of own) {
    for (const { first, count } of runs) for (let item = 0; item < count; item++) yield first + item;
  }
}

/** The objects in an object stream whose value differs in the newer revision. */
function repackedNumbers(older: PdfDocument, num: number): Iterable<number> {
  const stream = objectValue(older, num);
  // Readers do not check its /Type.
  const isPack = stream instanceof Stream && ['N', 'First'].every((key) => stream.dict.entries.has(key));
  if (!isPack) return [];
  return [...older.packed(num).keys()].filter((packed) => {
    const entry = older.xref.find(packed);
    return entry?.kind === 'packed' && entry.stream === num;
  });
}

/** Looks up the places of objects in object streams. Each stream is listed once. */
class Places {
  readonly #document: PdfDocument;
  readonly #numbers = new Map<number, number[]>();

  constructor(document: PdfDocument) {
    this.#document = document;
  }

  /** Whether the object stream has this object at the entry's index. Some readers use the index, others the number. */
  hold(num: number, entry: XrefEntry | undefined): boolean {
    if (entry?.kind !== 'packed') return true;
    const known = this.#numbers.get(entry.stream) ?? [...this.#document.packed(entry.stream).keys()];
    this.#numbers.set(entry.stream, known);
    return known[entry.index] === num;
  }
}

/** Whether one section of an update frees an object that another section keeps. Not all readers see that section. */
const isFreedToo = (own: readonly XrefSection[] | undefined, num: number, before: XrefEntry | undefined) =>
  before?.kind === 'plain' && own?.some((section) => section.find(num)?.kind === 'free') === true;

const generationOf = (entry: XrefEntry | undefined): number | undefined =>
  entry?.kind === 'plain' ? entry.gen : entry?.kind === 'packed' ? 0 : undefined;

/** Reads an object and its bytes, without the data of a stream. */
function read(
  document: PdfDocument,
  num: number,
  gen: number | undefined,
): { value: PdfValue; size: number } {
  const object = gen === undefined ? undefined : document.object(new Ref(num, gen));
  if (!object) return { value: null, size: 0 };
  const end = object.value instanceof Stream ? object.value.dict.end : object.end;
  return { value: object.value, size: end - object.start };
}

/**
 * Lists the numbers of all objects that differ from the previous revision. They were added, freed, given another value
 * or generation, or packed in a replaced object stream. Throws INVALID_FILE_FORMAT if the revisions cannot be compared,
 * and DOCUMENT_TOO_COMPLEX.
 */
export function changedNumbers(older: PdfDocument, newer: PdfDocument, budget: Budget): Set<number> {
  if (older.base !== newer.base) throw malformed('an update counts from another place');
  if (newer.xref.startxref === undefined || older.xref.startxref === undefined) {
    throw malformed('an update has no cross-reference data that hold');
  }
  const candidates = new Set<number>();
  const own = ownSections(older, newer);
  const places = new Places(newer);
  for (const num of namedNumbers(older, newer, own)) {
    budget.spend('named', 1);
    const [before, now] = [older.xref.find(num), newer.xref.find(num)];
    // PDFBox writes this if it saves without changes.
    if (num === 0 && now?.kind === 'plain' && now.offset === 0) continue;
    if (!isFree(now) && isFreedToo(own, num, before))
      throw malformed('an update frees an object and keeps it');
    const isUnmoved = isSameEntry(before, now);
    if (!isUnmoved && !places.hold(num, now)) throw malformed('an object stream does not have an object');
    if (isUnmoved) continue;
    candidates.add(num);
    for (const packed of repackedNumbers(older, num)) candidates.add(packed);
  }
  const isTouched = (num: number): boolean => {
    const [old, gen] = [generationOf(older.xref.find(num)), generationOf(newer.xref.find(num))];
    const before = read(older, num, old);
    const now = read(newer, num, gen);
    budget.spend('compared', before.size + now.size);
    return old !== gen || !isDeepEqual(older, before.value, newer, now.value);
  };
  return new Set([...[...candidates].filter(isTouched), ...unlistedNumbers(newer, own ?? [])]);
}

/** The numbers of cross-reference streams that are not listed. Some readers take them for what a reference leads to. */
function unlistedNumbers({ bytes, xref }: PdfDocument, own: readonly XrefSection[]): number[] {
  const streams = own.filter(({ kind }) => kind === 'stream');
  const numbers = streams.map(({ start }) => headerAt(bytes, start)?.ref.num ?? 0);
  return numbers.filter((num) => isFree(xref.find(num)));
}

/** Whether a dictionary in the value repeats a key. Readers differ in which one they use. */
export function hasRepeatedKeys(document: PdfDocument, num: number): boolean {
  const stack = [objectValue(document, num)];
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (Array.isArray(value)) for (const item of value) stack.push(item);
    const dict = value instanceof Stream ? value.dict : value;
    if (!(dict instanceof Dict)) continue;
    if (dict.repeatedKeys.length > 0) return true;
    for (const entry of dict.entries.values()) stack.push(entry.value);
  }
  return false;
}
