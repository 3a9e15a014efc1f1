export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** What a form reads of a JSON Schema. */
export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: Json[];
  format?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

export const isRecord = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typeOf = (value: Json): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** The one of several shapes that a value has. */
export function shapeOf(schema: Schema | undefined, value: Json): Schema | undefined {
  const shapes = schema?.anyOf ?? schema?.oneOf;
  if (shapes === undefined) return schema;
  const type = typeOf(value);
  const found = shapes.find((shape) => shape.type === type || shape.type?.includes(type));
  return shapeOf(found ?? shapes[0], value);
}

export const propertyOf = (schema: Schema | undefined, name: string): Schema | undefined =>
  schema?.properties?.[name];

/** A new row of the same shape: without texts and numbers, and with one row in each list. */
export function blankOf(value: Json): Json {
  if (Array.isArray(value)) return value.slice(0, 1).map(blankOf);
  if (isRecord(value))
    return '$image' in value
      ? value
      : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, blankOf(inner)]));
  return typeof value === 'boolean' ? false : '';
}
