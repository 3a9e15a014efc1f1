import { hash } from 'node:crypto';
import { annotateFrom } from '../annotate.ts';
import type { FieldValue } from '../fields.ts';
import type { Generated } from '../generate/generate.ts';
import type { Generation } from '../generation.ts';
import { PackageEditor } from '../package-editor.ts';
import { openTemplate, type Template } from '../template/template.ts';
import { hasPlaces, type PlaceText, placePattern, placesIn } from './form-places.ts';
import { isSimple } from './simple-text.ts';

type Fields = readonly FieldValue[];
type FieldsRow = { fields: Fields; images: Buffer; options: Generation };

/** A template whose fields are filled with a text of its own at each place. It serves all rows with the same fields. */
export interface FieldsForm {
  bytes: Buffer;
  /** The index of the field of each place. */
  fields: readonly number[];
  report: Generated['report'];
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
  return { bytes, report: { ...report, unmatched: { count, names } } };
}

/**
 * What rows must have in common to share a form: their fields, and which of them are empty. Undefined if a value is not a
 * simple text.
 */
export function setOf(fields: Fields): string | undefined {
  const shapes: unknown[] = [];
  for (const { type, id, group, options, value } of fields) {
    if (type !== 'text' || !isSimple(value)) return undefined;
    shapes.push([id, group, options, value === '']);
  }
  return hash('sha256', JSON.stringify(shapes));
}

/** The form for rows with these fields. Undefined if a text can have another effect than to be shown. */
export async function fieldsForm(
  template: Template,
  fields: Fields,
  options: Generation,
  placeText: PlaceText,
): Promise<FieldsForm | undefined> {
  if (hasPlaces(template, placeText)) return undefined;
  const placed = fields.map((field, at) => (field.value === '' ? field : { ...field, value: placeText(at) }));
  const request = { fields: placed as Fields, images: Buffer.alloc(0), options };
  const { bytes, report } = await generateFromFields(template, request);
  const form = await openTemplate(bytes);
  const numbers = placesIn(form, placeText);
  if (numbers === undefined || numbers.length === 0 || numbers.some((at) => at >= fields.length))
    return undefined;
  return { bytes: numbered(form, placeText), fields: numbers, report };
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
