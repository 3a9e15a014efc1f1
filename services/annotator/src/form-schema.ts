import type { FormFieldFacts } from '@scriptorium/pdf/forms';
import { type Names, namesOf } from './form-data.ts';

type Schema = Record<string, unknown>;

/** As deep as the data of a request may be. */
const LEVELS_MAX = 60;

/** JSON Schema (2020-12) of the data that fills these fields. Others than properties of fields fill nothing. */
export const dataSchema = (fields: readonly FormFieldFacts[]): Schema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  ...(schemaOf(namesOf(fields.filter(isFilled)), 0) ?? {}),
});

const isFilled = ({ kind, isReadOnly }: FormFieldFacts): boolean => kind !== 'signature' && !isReadOnly;

/** Undefined if nothing is inside. */
function schemaOf({ field, inner }: Names, level: number): Schema | undefined {
  if (level > LEVELS_MAX) return {};
  const properties: Schema = Object.create(null);
  const items = new Map<string, Schema>();
  for (const [part, names] of inner) {
    const schema = schemaOf(names, level + 1);
    if (schema === undefined) continue;
    if (part.startsWith('[')) items.set(JSON.stringify(schema), schema);
    else properties[part] = schema;
  }
  const all = [
    ...(field ? [fieldSchema(field)] : []),
    ...(items.size > 0 ? [{ type: 'array', items: anyOf([...items.values()]) }] : []),
    ...(Object.keys(properties).length > 0 ? [{ type: 'object', properties }] : []),
  ];
  return all.length === 0 ? undefined : anyOf(all);
}

const anyOf = ([first, ...others]: Schema[]): Schema =>
  first !== undefined && others.length === 0 ? first : { anyOf: [first, ...others] };

const IMAGE: Schema = {
  type: ['object', 'null'],
  properties: {
    $image: { type: 'object', properties: { source: { type: 'string' } }, required: ['source'] },
  },
  required: ['$image'],
};

function fieldSchema({ kind, label, choices = [], maxLength, isMultiSelect }: FormFieldFacts): Schema {
  const title = label === undefined ? {} : { title: label };
  const oneOf = { enum: [...new Set(['', ...choices, null])] };
  switch (kind) {
    case 'button':
      return { ...IMAGE, ...title };
    case 'checkbox':
      return { enum: [...new Set([true, false, 'true', 'false', ...oneOf.enum])], ...title };
    case 'list box':
      return isMultiSelect
        ? { type: ['array', 'string', 'null'], items: { enum: choices }, ...title }
        : { ...oneOf, ...title };
    case 'radio buttons':
    case 'drop-down':
      return { ...oneOf, ...title };
    default:
      return { type: ['string', 'number', 'null'], ...(maxLength !== undefined && { maxLength }), ...title };
  }
}
