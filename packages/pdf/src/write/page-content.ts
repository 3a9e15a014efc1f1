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

/** Operators before and after the contents of a page. */
export interface Around {
  before: string;
  after: string;
}

export const SAVED: Around = { before: 'q', after: 'Q' };

/**
 * The operators that keep the graphics state of a page from what is added to its contents. The contents may leave states, texts
 * and marks open, or restore more states than they save (ISO 32000-2, 8.4.2).
 */
export function savedAround(document: PdfDocument, contents: readonly Ref[], costs: Costs): Around {
  const parts = contents.map((ref) => {
    const stream = document.resolve(ref);
    return stream instanceof Stream ? document.unpacked(stream, costs) : Buffer.alloc(0);
  });
  const reader = new ContentReader(Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')])));
  let [depth, lacking, marks, texts] = [0, 0, 0, 0];
  for (let next = reader.next(); next; next = reader.next()) {
    const { operator } = next;
    if (operator === 'q') depth += 1;
    else if (operator === 'Q' && depth > 0) depth -= 1;
    else if (operator === 'Q') lacking += 1;
    else if (operator === 'BMC' || operator === 'BDC') marks += 1;
    else if (operator === 'EMC') marks = Math.max(0, marks - 1);
    else if (operator === 'BT' || operator === 'ET') texts = operator === 'BT' ? 1 : 0;
  }
  return {
    before: 'q '.repeat(lacking + 1),
    after: `${'ET '.repeat(texts)}${'EMC '.repeat(marks)}${'Q '.repeat(depth + 1)}`,
  };
}
