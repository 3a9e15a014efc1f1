import { tooComplex } from '../pdf-error.ts';
import { BOUNDS } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import { headerAt } from '../read/object-header.ts';
import { Ref } from '../read/values.ts';
import type { XrefSection } from '../read/xref-entry.ts';

/** One update of a file: its own sections, and its start. */
export interface UpdateRegion {
  document: PdfDocument;
  sections: readonly XrefSection[];
  /** After the previous revision. */
  start: number;
}

/** An object listed at a position; `end` if it is already known. */
export interface Listed {
  ref: Ref;
  end?: number;
}

/** Maps positions in the file to objects; undefined if a section lists an object twice, since readers differ in their choice. */
export function listedIn(
  document: PdfDocument,
  sections: readonly XrefSection[],
): Map<number, Listed> | undefined {
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
    // Some writers do not list the stream itself, and iText lists it as free.
    if (own && section.find(own.ref.num)?.kind !== 'plain')
      listed.set(section.start, { ref: own.ref, end: section.end });
  }
  return listed;
}

export function* numbersOf({ runs }: XrefSection): Generator<number> {
  for (const { first, count } of runs) for (let index = 0; index < count; index++) yield first + index;
}
