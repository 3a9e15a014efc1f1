import { z } from 'zod';
import { FIELD_TYPES, fieldTypeOf } from './fields/field-types.ts';
import { FIELDS_MAX } from './fields.ts';
import type { TemplateField } from './template-field.ts';

type Schema = Record<string, unknown>;

/** The schemas of the values and options of each type, by their name in `$ref`. */
const DEFINITIONS = new Map(
  FIELD_TYPES.flatMap(({ type, value, options }): [string, Schema][] => [
    [`${type}Value`, jsonSchema(value)],
    [`${type}Options`, jsonSchema(options)],
  ]),
);

function jsonSchema(schema: z.ZodType): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

/** JSON Schema (2020-12) of a `fields` value that fills these fields. `$defs` contains what fields of a type share. */
export function fieldsSchema(fields: readonly TemplateField[]): Schema {
  const variants = new Map<string, Schema>();
  for (const field of fields) {
    // `sign` signs them.
    if (field.options.control === 'signature') continue;
    for (const name of new Set([field.id, ...field.names, ...(field.wordId ? [field.wordId] : [])])) {
      const byId = variantOf(field, { id: { const: name } });
      variants.set(JSON.stringify(byId), byId);
    }
    if (field.group === undefined) continue;
    const byGroup = variantOf(field, { group: { const: field.group } });
    variants.set(JSON.stringify(byGroup), byGroup);
  }
  const used = new Set(fields.flatMap(({ type }) => [`${type}Value`, `${type}Options`]));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'array',
    maxItems: FIELDS_MAX,
    items: variants.size === 0 ? false : { anyOf: [...variants.values()] },
    $defs: Object.fromEntries([...DEFINITIONS].filter(([name]) => used.has(name))),
  };
}

function variantOf({ type, label, options: facts }: TemplateField, target: Schema): Schema {
  const all = { $ref: `#/$defs/${type}Value` };
  return {
    type: 'object',
    properties: {
      ...target,
      type: { const: type },
      value: fieldTypeOf(type).valueSchema?.(facts, all) ?? all,
      options: { $ref: `#/$defs/${type}Options` },
    },
    additionalProperties: false,
    required: [...Object.keys(target), 'type', 'value'],
    ...(label !== undefined && { title: label }),
  };
}
