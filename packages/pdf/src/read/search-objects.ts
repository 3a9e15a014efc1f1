import { malformed, PdfError, tooComplex } from '../pdf-error.ts';
import { BOUNDS, type Costs } from './bounds.ts';
import { isDigit, isSpace } from './characters.ts';
import { PdfDocument } from './document.ts';
import { ObjectParser } from './object-parser.ts';
import { Dict, isName, Ref, Stream } from './values.ts';
import { assemble, type Xref } from './xref.ts';
import type { XrefEntry, XrefSection } from './xref-entry.ts';

interface Found {
  num: number;
  gen: number;
  offset: number;
}

/** Reads `num gen` backwards from the keyword `obj` at `keyword`. */
function headerBefore(bytes: Buffer, keyword: number): Found | undefined {
  const number = (end: number): { start: number; value: number } | undefined => {
    let at = end;
    while (at > 0 && isSpace(bytes[at - 1])) at--;
    const last = at;
    while (at > 0 && last - at < 10 && isDigit(bytes[at - 1])) at--;
    return at === last ? undefined : { start: at, value: Number(bytes.toString('latin1', at, last)) };
  };
  const gen = number(keyword);
  const num = gen && isSpace(bytes[gen.start - 1]) ? number(gen.start) : undefined;
  if (!gen || !num || num.value > BOUNDS.objectNumberMax || gen.value > BOUNDS.generationMax)
    return undefined;
  return { num: num.value, gen: gen.value, offset: num.start };
}

/** Yields all `num gen obj` of the file in file order. */
function* objectHeaders(bytes: Buffer, base: number): Generator<Found> {
  let count = 0;
  for (let at = base; ; at += 3) {
    at = bytes.indexOf('obj', at, 'latin1');
    if (at === -1) return;
    const found = headerBefore(bytes, at);
    if (!found) continue;
    if (++count > BOUNDS.searchedObjectsMax) {
      throw tooComplex(`more than ${BOUNDS.searchedObjectsMax} objects, without usable cross-reference data`);
    }
    yield found;
  }
}

/** Returns the dictionaries of all trailers, the last first. */
function trailers(bytes: Buffer, costs: Costs): Dict[] {
  const found: Dict[] = [];
  let tries = 0;
  for (let at = bytes.lastIndexOf('trailer', bytes.length, 'latin1'); at > 0; ) {
    if (++tries > BOUNDS.revisionsMax) throw tooComplex(`more than ${BOUNDS.revisionsMax} trailers`);
    try {
      const value = new ObjectParser(bytes, at + 7, costs).value();
      if (value instanceof Dict) found.push(value);
    } catch (error) {
      if (!(error instanceof PdfError) || error.code !== 'INVALID_FILE_FORMAT') throw error;
      // Some trailers may be broken, so try the next one.
    }
    at = bytes.lastIndexOf('trailer', at - 1, 'latin1');
  }
  return found;
}

function sectionOf(entries: Map<number, XrefEntry>, trailer: Dict): XrefSection {
  let numMax = 0;
  for (const num of entries.keys()) numMax = Math.max(numMax, num);
  const runs = [...entries.keys()].map((first) => ({ first, count: 1 }));
  const find = (num: number) => entries.get(num);
  return { kind: 'table', offset: 0, start: 0, end: 0, trailer, numMax, runs, find };
}

/** Returns the object streams and cross-reference streams among the objects found. */
function streamsOf(
  bytes: Buffer,
  base: number,
  entries: Map<number, XrefEntry>,
  costs: Costs,
): Map<number, Dict> {
  const empty = new Dict(bytes, 0);
  const reader = new PdfDocument(bytes, base, assemble([sectionOf(entries, empty)], undefined, false), costs);
  const streams = new Map<number, Dict>();
  for (const [num, entry] of entries) {
    if (entry.kind !== 'plain') continue;
    const at = base + entry.offset;
    const text = bytes.toString('latin1', at, at + 400);
    if (!text.includes('ObjStm') && !text.includes('XRef')) continue;
    const value = reader.object(new Ref(num, entry.gen))?.value;
    if (value instanceof Stream) streams.set(num, value.dict);
  }
  return streams;
}

/** Returns the object numbers in the index of an object stream, in order. */
function packedNumbers(document: PdfDocument, num: number): number[] {
  const numbers = [...document.packed(num).keys()];
  if (numbers.length > BOUNDS.packedObjectsMax) {
    throw tooComplex(`an object stream of more than ${BOUNDS.packedObjectsMax} objects`);
  }
  return numbers;
}

/**
 * Rebuilds cross-reference data for a file whose own are broken. The last object of each number counts; objects in object
 * streams count only without one. `unlock` decrypts the document. Throws INVALID_FILE_FORMAT if no catalog is found,
 * and as `unlock` does.
 */
export function searchXref(
  bytes: Buffer,
  base: number,
  costs: Costs,
  unlock: (document: PdfDocument) => PdfDocument,
): Xref {
  const entries = new Map<number, XrefEntry>();
  for (const { num, gen, offset } of objectHeaders(bytes, base)) {
    entries.set(num, { kind: 'plain', offset: offset - base, gen });
  }
  const streams = streamsOf(bytes, base, entries, costs);
  const ends = [
    ...trailers(bytes, costs),
    ...[...streams.values()].filter((dict) => isName(dict.get('Type'), 'XRef')),
  ];
  const trailer = ends.find((dict) => dict.get('Root') instanceof Ref);
  if (!trailer) throw malformed('neither its objects nor a trailer with its catalog can be found');
  const xref = assemble([sectionOf(entries, trailer)], undefined, false);
  const document = unlock(new PdfDocument(bytes, base, xref, costs));
  for (const [stream, dict] of streams) {
    if (!isName(dict.get('Type'), 'ObjStm')) continue;
    for (const [index, num] of packedNumbers(document, stream).entries()) {
      if (!entries.has(num)) entries.set(num, { kind: 'packed', stream, index });
    }
  }
  return assemble([sectionOf(entries, trailer)], undefined, false);
}

/** Returns all entries of a searched file, for writing a new table. */
export function searchedEntries(xref: Xref): [number, XrefEntry][] {
  const all: [number, XrefEntry][] = [];
  for (let num = 1; num <= xref.numMax; num++) {
    const entry = xref.find(num);
    if (entry) all.push([num, entry]);
  }
  return all;
}
