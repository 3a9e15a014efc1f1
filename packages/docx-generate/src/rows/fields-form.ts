import { createHash } from 'node:crypto';
import { annotateFrom } from '@scriptorium/docx-template/annotate';
import { PackageEditor } from '@scriptorium/docx-template/editor';
import type { FieldValue } from '@scriptorium/docx-template/fields';
import { openTemplate, type Template } from '@scriptorium/docx-template/template';
import type { Generated } from '../generate/generate.ts';
import type { Generation } from '../generation.ts';
import { type PlaceText, placePattern, placesIn } from './form-places.ts';
import { isSimple } from './simple-text.ts';

/** What a row puts into a form: a text for each place in order, and the report of its document. */
interface FormTexts {
  values: string[];
  report: Generated['report'];
}

type Fields = readonly FieldValue[];
type FieldsRow = { fields: Fields; images: Buffer; options: Generation };

/** A template whose fields are filled with a text of its own at each place. It serves all rows with the same fields. */
export interface FieldsForm {
  bytes: Buffer;
  /** Undefined if a value is not a simple text. */
  textsOf(fields: Fields): FormTexts | undefined;
}

/** Fills a template with fields, with the options and the report of `generate`. Rejects as `annotate` does. */
export async function generateFromFields(
  template: Template,
  { fields, images, options }: FieldsRow,
): Promise<Generated> {
  const onMissing = options.onMissing === 'error' ? 'error' : 'ignore';
  const own = { onMissing, flatten: false } as const;
  const { bytes, report } = await annotateFrom(template, { fields, images, options: own });
  const { count, fields: numbers } = report.unmatched;
  const names = numbers.map((at) => `fields[${at}]`);
  return { bytes, report: { ...report, unmatched: { count, names } }, insertions: [] };
}

/** What rows must have in common to share a form: their fields, without the values. Undefined if one is not a text. */
export function setOf(fields: Fields): string | undefined {
  if (fields.some(({ type }) => type !== 'text')) return undefined;
  const shapes = fields.map(({ id, group, options }) => [id, group, options]);
  return createHash('sha256').update(JSON.stringify(shapes)).digest('base64url');
}

/** The form for rows with these fields. Undefined if a value can be more than a text of the document. */
export async function fieldsForm(
  template: Template,
  fields: Fields,
  options: Generation,
  placeText: PlaceText,
): Promise<FieldsForm | undefined> {
  const placed = fields.map((field, at) => ({ ...field, value: placeText(at) }) as FieldValue);
  const request = { fields: placed, images: Buffer.alloc(0), options };
  const { bytes, report } = await generateFromFields(template, request);
  const form = await openTemplate(bytes);
  const numbers = placesIn(form, placeText);
  if (numbers === undefined || numbers.length === 0 || numbers.some((at) => at >= fields.length))
    return undefined;
  return {
    bytes: numbered(form, placeText),
    textsOf(row) {
      const texts = row.map(({ value }) => (typeof value === 'string' ? value : ''));
      // Fields without a text have other markup.
      const areSimple = texts.every((text) => text !== '' && isSimple(text));
      return areSimple ? { values: numbers.map((at) => texts[at] ?? ''), report } : undefined;
    },
  };
}

/** Numbers the places in document order, since a field may fill several. */
function numbered(form: Template, placeText: PlaceText): Buffer {
  const editor = new PackageEditor(form);
  const pattern = placePattern(placeText);
  let at = 0;
  for (const { part, xml } of form.stories) {
    const text = xml.replace(pattern, () => placeText(at++));
    if (text !== xml) editor.rewrite(part, text);
  }
  return editor.build();
}
