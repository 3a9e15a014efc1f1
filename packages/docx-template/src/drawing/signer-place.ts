import { type FieldTag, ROLE, writeFieldTag } from '@scriptorium/docx-normalize/field-tags';
import { z } from 'zod';
import { linesOf, run } from '../fields/text.ts';
import type { Dialect } from '../template/dialect.ts';

/** The role of a field that a person signs or fills later. */
export const signerRole = z
  .string()
  .regex(ROLE, 'must have 1 to 28 letters, digits, hyphens and underscores');

/** A content control that the conversion to PDF turns into an empty field, in a paragraph; `style` is that of its text. */
export function signerPlace(tag: FieldTag, style: string, dialect: Dialect): string {
  const title = tag.kind === 'sign' ? tag.role : `${tag.role}: ${tag.kind}`;
  const properties = [['alias', title] as const, ['tag', writeFieldTag(tag)] as const].map(([name, text]) =>
    dialect.element(name, { val: text }),
  );
  const content = dialect.element('sdtContent', {}, run(linesOf(title), style, dialect));
  const isPrompt = dialect.element('showingPlcHdr');
  const head = dialect.element('sdtPr', {}, properties.join('') + isPrompt);
  return dialect.element('sdt', {}, head + content);
}
