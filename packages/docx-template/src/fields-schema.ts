import type { TemplateField } from './inspection.ts';

type Schema = Record<string, unknown>;

const IMAGE_SOURCE = '^(data:image/|[hH][tT][tT][pP][sS]?://)';
const COLOUR = { type: 'string', pattern: '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$' };
const PIXELS = {
  anyOf: [
    { type: 'string', pattern: '^[1-9]\\d{0,4}$' },
    { type: 'number', exclusiveMinimum: 0 },
  ],
};
const DIMENSIONS = object({ width: PIXELS, height: PIXELS });

const OPTIONS: Readonly<Record<TemplateField['type'], Schema>> = {
  text: object({ keepTextNodeStyles: { type: 'boolean' } }),
  image: object({ dimensions: DIMENSIONS }),
  signature: object({
    dimensions: DIMENSIONS,
    arcElement: object({ color: COLOUR }),
    topLabel: object({ color: COLOUR }),
    bottomLabel: object({ color: COLOUR, text: { type: 'string' } }),
  }),
  table: object({ copyRowStyle: { type: 'boolean' } }),
};

function object(properties: Schema): Schema {
  return { type: 'object', properties, additionalProperties: false };
}

/** JSON Schema (2020-12) of a `fields` value that fills these fields. */
export function fieldsSchema(fields: readonly TemplateField[]): Schema {
  const variants = new Map<string, Schema>();
  for (const field of fields) {
    const byId = variantOf(field, { id: { const: field.id } });
    variants.set(JSON.stringify(byId), byId);
    if (field.group === undefined) continue;
    const byGroup = variantOf(field, { group: { const: field.group } });
    variants.set(JSON.stringify(byGroup), byGroup);
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'array',
    items: variants.size === 0 ? false : { anyOf: [...variants.values()] },
  };
}

function variantOf(field: TemplateField, target: Schema): Schema {
  const properties = {
    ...target,
    type: { const: field.type },
    value: valueSchema(field),
    options: OPTIONS[field.type],
  };
  return {
    ...object(properties),
    required: [...Object.keys(target), 'type', 'value'],
    ...(field.label !== undefined && { title: field.label }),
  };
}

function valueSchema({ type, options }: TemplateField): Schema {
  if (type === 'table')
    return {
      type: 'array',
      items: {
        type: 'array',
        items: { type: 'string' },
        ...(options.columns !== undefined && { maxItems: options.columns }),
      },
    };
  if (type !== 'text') return { type: 'string', pattern: IMAGE_SOURCE };
  if (options.control === 'checkbox') return { enum: ['true', 'false', true, false] };
  if (options.control === 'drop-down') return { enum: ['', ...(options.choices ?? [])] };
  return { type: ['string', 'number', 'boolean'] };
}
