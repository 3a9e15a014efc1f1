import { tooComplex, unlessMalformed } from '../pdf-error.ts';
import { BOUNDS } from '../read/bounds.ts';
import { skipSpace } from '../read/characters.ts';
import type { PdfDocument } from '../read/document.ts';
import { headerAt } from '../read/object-header.ts';
import { Ref, Stream } from '../read/values.ts';

/**
 * Returns a sentence about the first object that is not where the cross-reference data say. The same holds if its stream does not
 * have the length that it states. Undefined if all match. Some readers repair such a file as soon as they need the object: they
 * search all bytes, and may find other objects. Reads each object. Throws DOCUMENT_TOO_COMPLEX.
 */
export function misplacedObject(document: PdfDocument): string | undefined {
  const misplaced = misplacedNumber(document);
  if (misplaced !== undefined) return `Object ${misplaced} is not where the cross-reference data say.`;
  for (const { ref } of plainObjects(document)) {
    const value = unlessMalformed(() => document.object(ref))?.value;
    if (value === undefined) return `Object ${ref.num} cannot be read.`;
    if (!(value instanceof Stream)) continue;
    const length = unlessMalformed(() => document.get(value.dict, 'Length'));
    if (length !== value.dataEnd - value.dataStart)
      return `The stream of object ${ref.num} does not have the length that it states.`;
  }
  return undefined;
}

/** The number of the first object that does not begin where the cross-reference data say. Reads no object. */
export function misplacedNumber(document: PdfDocument): number | undefined {
  const { bytes, base } = document;
  for (const { ref, offset } of plainObjects(document)) {
    const found = headerAt(bytes, skipSpace(bytes, base + offset))?.ref;
    if (found?.num !== ref.num || found.gen !== ref.gen) return ref.num;
  }
  return undefined;
}

/** The objects in use that are not in object streams. */
function* plainObjects({ xref }: PdfDocument): Generator<{ ref: Ref; offset: number }> {
  const seen = new Set<number>();
  for (const { first, count } of xref.sections.flatMap(({ runs }) => runs)) {
    for (let num = first; num < first + count; num++) {
      if (seen.has(num)) continue;
      if (seen.size >= BOUNDS.searchedObjectsMax)
        throw tooComplex(`more than ${BOUNDS.searchedObjectsMax} objects`);
      seen.add(num);
      const entry = xref.find(num);
      if (entry?.kind === 'plain') yield { ref: new Ref(num, entry.gen), offset: entry.offset };
    }
  }
}
