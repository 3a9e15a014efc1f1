import { unlessMalformed } from '../pdf-error.ts';
import { isKeywordAt, skipSpace } from '../read/characters.ts';
import type { PdfDocument } from '../read/document.ts';
import { headerAt } from '../read/object-header.ts';
import type { Ref } from '../read/values.ts';
import { hidesObject } from './hidden-structure.ts';
import { listedIn, type UpdateRegion } from './listed-objects.ts';
import { looseSection } from './strict-section.ts';

const STRAY = 'An update contains bytes that do not belong to its objects.';
const HIDDEN = 'An update contains bytes that a reader may take for another object.';

/**
 * Returns a sentence about stray bytes in an update. Between the previous revision and its cross-reference section there must be
 * only the objects that its sections list, each once. The sections must be written strictly. A reader that searches a file would
 * find other objects. Throws DOCUMENT_TOO_COMPLEX.
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

/** Returns the position after the value of the object at this position; undefined if it is not there. */
function objectEnd(document: PdfDocument, position: number, ref: Ref): number | undefined {
  const { bytes } = document;
  const header = headerAt(bytes, skipSpace(bytes, position));
  if (!header) return undefined;
  const object = unlessMalformed(() => document.object(ref));
  if (!object || !document.holds(object) || object.start !== skipSpace(bytes, header.end)) return undefined;
  return unlessMalformed(() => object.end);
}
