import { ContentReader } from '../changes/tokens.ts';
import { malformed } from '../pdf-error.ts';
import type { Costs } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import type { Page } from '../read/pages.ts';
import { type PdfValue, Ref, Stream } from '../read/values.ts';

/** The references to the contents of a page. */
export function contentsOf(document: PdfDocument, { object }: Page): Ref[] {
  const value = object.value.get('Contents');
  if (value === null) return [];
  const resolved = document.resolve(value);
  const refs: PdfValue[] = Array.isArray(resolved) ? resolved : [value];
  if (!refs.every((ref) => ref instanceof Ref)) throw malformed('the contents of a page are no streams');
  return refs;
}

/** The number of graphics states that the contents of a page save and do not restore (ISO 32000-2, 8.4.2). */
export function statesLeft(document: PdfDocument, contents: readonly Ref[], costs: Costs): number {
  const parts = contents.map((ref) => {
    const stream = document.resolve(ref);
    return stream instanceof Stream ? document.unpacked(stream, costs) : Buffer.alloc(0);
  });
  const reader = new ContentReader(Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')])));
  let depth = 0;
  for (let next = reader.next(); next; next = reader.next()) {
    if (next.operator === 'q') depth += 1;
    else if (next.operator === 'Q') depth = Math.max(0, depth - 1);
  }
  return depth;
}
