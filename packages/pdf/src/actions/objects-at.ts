import { malformed } from '../pdf-error.ts';
import { skipSpace } from '../read/characters.ts';
import type { PdfDocument } from '../read/document.ts';
import type { XrefSection } from '../read/xref-entry.ts';

const HEAD_BYTES_MAX = 40;

/** Where the values start of the objects that hold these places, each once. Places before the first object are in none. */
export function* objectsAt(
  { bytes, base }: PdfDocument,
  section: XrefSection,
  places: readonly number[],
): Generator<number> {
  const offsets = offsetsOf(section).map((offset) => base + offset);
  let at = -1;
  let last = -1;
  for (const place of places) {
    while ((offsets[at + 1] ?? Number.POSITIVE_INFINITY) <= place) at++;
    if (at < 0 || at === last) continue;
    last = at;
    const offset = offsets[at] ?? 0;
    const head = /^\s*\d{1,10} \d{1,5} obj/.exec(bytes.toString('latin1', offset, offset + HEAD_BYTES_MAX));
    if (head === null) throw malformed(`no object begins at ${offset}`);
    yield skipSpace(bytes, offset + head[0].length);
  }
}

/** In ascending order. */
function offsetsOf({ runs, find }: XrefSection): Float64Array {
  const offsets: number[] = [];
  for (const { first, count } of runs)
    for (let num = first; num < first + count; num++) {
      const entry = find(num);
      if (entry?.kind === 'plain') offsets.push(entry.offset);
    }
  return Float64Array.from(offsets).sort();
}
