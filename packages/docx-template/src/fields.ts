import { z } from 'zod';
import { FIELD_TYPES, type FieldType, fieldTypeOf } from './fields/field-types.ts';
import { imagePlace } from './fields/image-value.ts';
import { TABLE_CELLS_MAX } from './fields/table-field.ts';

/** Entries of `fields` in a request. */
export const FIELDS_MAX = 2_000;

type NonEmpty<Item> = [Item, ...Item[]];

const names = FIELD_TYPES.map(({ type }) => `\`${type}\``);
const WRONG_TYPE = `must be one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

const byType = z.discriminatedUnion(
  'type',
  FIELD_TYPES.map(({ requested }) => requested) as NonEmpty<FieldType['requested']>,
  { error: (issue) => (issue.code === 'invalid_union' ? WRONG_TYPE : undefined) },
);

/** One field to fill, as a caller asks for it and after it was checked. */
export type RequestedField = z.output<typeof byType>;

/** The `fields` of a request. Clients leave the type out, or call a table a text: then the value decides. */
export const requestedFields = z
  .array(z.preprocess(withType, byType))
  .max(FIELDS_MAX, `may have at most ${FIELDS_MAX} entries`)
  .refine((fields) => countCells(fields) <= TABLE_CELLS_MAX, {
    error: `may have at most ${TABLE_CELLS_MAX} table cells in all`,
  })
  .describe('What to fill in');

function withType(field: unknown): unknown {
  if (typeof field !== 'object' || field === null || Array.isArray(field)) return field;
  const { type = 'text', value } = field as { type?: unknown; value?: unknown };
  return { ...field, type: type === 'text' && Array.isArray(value) ? 'table' : type };
}

function countCells(fields: readonly RequestedField[]): number {
  let cells = 0;
  // Rows that were refused as no arrays of cells are here too.
  for (const field of fields)
    if (field.type === 'table') for (const row of field.value) cells += Array.isArray(row) ? row.length : 0;
  return cells;
}

/** The fields as a worker gets them: images by their place. A field's place in the list is its number in the request. */
export const fieldValues = z.array(
  z.discriminatedUnion('type', FIELD_TYPES.map(({ sent }) => sent) as NonEmpty<FieldType['sent']>),
);
export type FieldValue = z.output<typeof fieldValues>[number];
/** The same before it is parsed: options that have a default may be left out. */
export type FieldValueInput = z.input<typeof fieldValues>[number];

type ImageType = Extract<FieldType, { loaded?: typeof imagePlace }>['type'];

/** Whether the value of a field names an image, which a worker is to get the place of instead. */
export function namesImage(field: RequestedField): field is Extract<RequestedField, { type: ImageType }> {
  return fieldTypeOf(field.type).loaded === imagePlace;
}
