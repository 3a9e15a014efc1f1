import { z } from 'zod';
import { FIELD_TYPES, type FieldType, fieldTypeOf } from './fields/field-types.ts';
import { loadedImage } from './fields/image-value.ts';
import { TABLE_CELLS_MAX } from './fields/table-field.ts';

/** Maximum number of entries of `fields` in a request. */
export const FIELDS_MAX = 2_000;

type NonEmpty<Item> = [Item, ...Item[]];

const names = FIELD_TYPES.map(({ type }) => `\`${type}\``);
const WRONG_TYPE = `must be one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

const byType = z
  .discriminatedUnion(
    'type',
    FIELD_TYPES.map(({ requested }) => requested) as NonEmpty<FieldType['requested']>,
    { error: (issue) => (issue.code === 'invalid_union' ? WRONG_TYPE : undefined) },
  )
  .meta({ id: 'Field' });

/** One validated field of a request. */
export type RequestedField = z.output<typeof byType>;

/** The `fields` of a request. Some clients omit the type, or call a table a text: then the value decides. */
export const requestedFields = z
  .array(z.preprocess(withType, byType))
  .max(FIELDS_MAX, `may have at most ${FIELDS_MAX} entries`)
  .refine((fields) => countCells(fields) <= TABLE_CELLS_MAX, {
    error: `may have at most ${TABLE_CELLS_MAX} table cells in all`,
  })
  .describe('The fields to fill');

function withType(field: unknown): unknown {
  if (typeof field !== 'object' || field === null || Array.isArray(field)) return field;
  const { type = 'text', value } = field as { type?: unknown; value?: unknown };
  return { ...field, type: type === 'text' && Array.isArray(value) ? 'table' : type };
}

function countCells(fields: readonly RequestedField[]): number {
  let cells = 0;
  // Invalid rows that are not arrays of cells also arrive here.
  for (const field of fields)
    if (field.type === 'table') for (const row of field.value) cells += Array.isArray(row) ? row.length : 0;
  return cells;
}

/** The fields as sent to a worker, with images by their place. The order is that of the request. */
export const fieldValues = z.array(
  z.discriminatedUnion('type', FIELD_TYPES.map(({ sent }) => sent) as NonEmpty<FieldType['sent']>),
);
export type FieldValue = z.output<typeof fieldValues>[number];
/** The same before parsing: options with a default may be omitted. */
export type FieldValueInput = z.input<typeof fieldValues>[number];

type ImageType = Extract<FieldType, { loaded?: typeof loadedImage }>['type'];

/** Whether the value of a field names an image. The worker gets the place of its bytes instead. */
export function namesImage(field: RequestedField): field is Extract<RequestedField, { type: ImageType }> {
  return fieldTypeOf(field.type).loaded === loadedImage;
}
