import { type FieldTag, FieldTagError, readFieldTag } from '@scriptorium/docx-normalize/field-tags';
import type { TagReading } from '../dialects/dialect.ts';

/** Reads a mark of a field for a signer, which is the same in every language: `sign:tenant width=60mm`. */
export function signerMark(inner: string): TagReading | undefined {
  try {
    const tag = readFieldTag(inner);
    return tag && { instruction: { type: 'value', expression: { kind: 'literal', value: dataOf(tag) } } };
  } catch (error) {
    if (error instanceof FieldTagError) return { issue: error.message };
    throw error;
  }
}

/** The value of data that says the same. */
function dataOf({ kind, role, width, height }: FieldTag) {
  const side = (name: string, points: number | undefined) =>
    points === undefined ? {} : { [name]: `${Math.round(points)}pt` };
  return { $signature: { field: role, kind, ...side('width', width), ...side('height', height) } };
}
