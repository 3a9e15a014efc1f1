import type { TemplateReport } from './api-types.gen.ts';

type Schema = Record<string, unknown>;

/** What `fill` takes as the value of a field in a record. Images and signatures need the list of fields. */
const RECORD_VALUES: Partial<Record<TemplateReport['fields'][number]['type'], string>> = {
  text: 'string | number | boolean | null',
  table: 'Array<Array<string | number | boolean | null>>',
};

/**
 * Returns TypeScript that declares two types, from the report of a template. `name` is for the data of `generate`. The type for
 * the record of `fill` has the same name, with `Fields` instead of `Data` at its end.
 */
export function typesOf(report: TemplateReport, name = 'TemplateData'): string {
  const fields = report.fields.flatMap(({ id, names, type }) => {
    const value = RECORD_VALUES[type];
    return value === undefined ? [] : [...new Set([id, ...names])].map((key) => [key, value] as const);
  });
  const lines = [...new Map(fields)].map(([key, value]) => `  ${JSON.stringify(key)}?: ${value};\n`);
  return [
    `export type ${name} = ${typeOf(report.template.schema, '')};\n`,
    `export type ${name.replace(/Data$/, '')}Fields = {\n${lines.join('')}};\n`,
  ].join('\n');
}

function typeOf(schema: unknown, indent: string): string {
  const {
    type,
    properties,
    required = [],
    additionalProperties,
    items,
    enum: values,
    anyOf,
    oneOf,
    const: only,
  } = (schema ?? {}) as Schema;
  const options =
    anyOf ??
    oneOf ??
    (Array.isArray(type) ? type.map((one) => ({ ...(schema as Schema), type: one })) : undefined);
  if (Array.isArray(options))
    return [...new Set(options.map((option) => typeOf(option, indent)))].join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (type === 'array') return `Array<${typeOf(items, indent)}>`;
  if (type === 'integer') return 'number';
  if (type === 'string' || type === 'number' || type === 'boolean' || type === 'null') return type;
  const entries = Object.entries((properties ?? {}) as Schema);
  if (entries.length === 0)
    return type === 'object' ? `Record<string, ${typeOf(additionalProperties, indent)}>` : 'unknown';
  const inner = `${indent}  `;
  const lines = entries.map(([name, property]) => {
    const mark = (required as string[]).includes(name) ? '' : '?';
    return `${inner}${JSON.stringify(name)}${mark}: ${typeOf(property, inner)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}
