import { tooComplex, unlessMalformed } from '../pdf-error.ts';
import { BOUNDS } from '../read/bounds.ts';
import { isKeywordAt, skipSpace } from '../read/characters.ts';
import type { PdfDocument } from '../read/document.ts';
import { headerAt } from '../read/object-header.ts';
import { Ref } from '../read/values.ts';
import type { XrefSection } from '../read/xref-entry.ts';
import { looseSection } from './strict-section.ts';

/** One update of a file: its own sections, and its start. */
export interface UpdateRegion {
  document: PdfDocument;
  sections: readonly XrefSection[];
  /** After the previous revision. */
  start: number;
}

/** An object listed at a position; `end` if it is already known. */
interface Listed {
  ref: Ref;
  end?: number;
}

const STRAY = 'An update contains bytes that do not belong to its objects.';
const HIDDEN = 'An update contains bytes that a reader may take for another object.';
/** What repairing readers take for the head of an object, before its keyword. */
const HEAD = /\d[\0\t\n\f\r ]+\d+[\0\t\n\f\r ]*$/;
const HEADER_BYTES_MAX = 40;

/**
 * Returns a sentence about stray bytes in an update: between the previous revision and its cross-reference section there must
 * be only the objects that its sections list, each once, and the sections must be written strictly. A reader that searches a
 * file would find other objects. Throws DOCUMENT_TOO_COMPLEX.
 */
export function strayBytes({ document, sections, start }: UpdateRegion): string | undefined {
  const listed = listedIn(document, sections);
  if (!listed) return 'An update lists an object twice.';
  const { bytes } = document;
  let at = start;
  for (const position of [...listed.keys()].sort((a, b) => a - b)) {
    if (position < start) continue;
    // An offset may point to the white space before an object.
    if (position < at || position > skipSpace(bytes, at)) return STRAY;
    const object = listed.get(position);
    const end = object && (object.end ?? objectEnd(document, position, object.ref));
    if (end === undefined) return 'An object of an update cannot be read.';
    at = skipSpace(bytes, end);
    if (isKeywordAt(bytes, 'endobj', at)) at += 'endobj'.length;
  }
  const table = sections.find(({ kind }) => kind === 'table');
  if (table && skipSpace(bytes, at) !== table.start) return STRAY;
  return hidesObject(bytes, start, listed) ? HIDDEN : looseSection(document, sections);
}

/** Whether a stream or a string of an update holds what a reader that searches the file takes for an object. */
function hidesObject(bytes: Buffer, start: number, listed: ReadonlyMap<number, Listed>): boolean {
  const keywords = new Set([...listed.keys()].map((position) => keywordOf(bytes, position)));
  for (
    let at = bytes.indexOf('obj', start, 'latin1');
    at !== -1;
    at = bytes.indexOf('obj', at + 3, 'latin1')
  ) {
    if (keywords.has(at)) continue;
    if (HEAD.test(bytes.toString('latin1', Math.max(start, at - HEADER_BYTES_MAX), at))) return true;
  }
  return false;
}

/** The position of the keyword `obj` of an object. */
function keywordOf(bytes: Buffer, position: number): number {
  const header = headerAt(bytes, skipSpace(bytes, position));
  return header ? header.end - 'obj'.length : -1;
}

/** Maps positions in the file to objects; undefined if a section lists an object twice, since readers differ in their choice. */
function listedIn(document: PdfDocument, sections: readonly XrefSection[]): Map<number, Listed> | undefined {
  const listed = new Map<number, Listed>();
  let count = 0;
  for (const section of sections) {
    const seen = new Set<number>();
    for (const num of numbersOf(section)) {
      if (++count > BOUNDS.searchedObjectsMax) {
        throw tooComplex(`an update of more than ${BOUNDS.searchedObjectsMax} objects`);
      }
      if (seen.has(num)) return undefined;
      seen.add(num);
      const entry = section.find(num);
      if (entry?.kind === 'plain') listed.set(document.base + entry.offset, { ref: new Ref(num, entry.gen) });
    }
    const own = section.kind === 'stream' ? headerAt(document.bytes, section.start) : undefined;
    // Some writers do not list the stream itself.
    if (own && !seen.has(own.ref.num)) listed.set(section.start, { ref: own.ref, end: section.end });
  }
  return listed;
}

function* numbersOf({ runs }: XrefSection): Generator<number> {
  for (const { first, count } of runs) for (let index = 0; index < count; index++) yield first + index;
}

/** Returns the position after the value of the object at this position; undefined if it is not there. */
function objectEnd(document: PdfDocument, position: number, ref: Ref): number | undefined {
  const { bytes } = document;
  const header = headerAt(bytes, skipSpace(bytes, position));
  if (!header) return undefined;
  const object = unlessMalformed(() => document.object(ref));
  if (!object || !document.holds(object) || object.start !== skipSpace(bytes, header.end)) return undefined;
  return unlessMalformed(() => object.end);
}
