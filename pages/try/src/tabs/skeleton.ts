type Schema = Record<string, unknown>;

/** Returns data that fits a JSON Schema: each name with an empty value, each list with one item. */
export function skeletonOf(schema: unknown): unknown {
  const { type, properties, items, enum: values, anyOf, oneOf } = (schema ?? {}) as Schema;
  const options = (anyOf ?? oneOf) as unknown[] | undefined;
  if (options !== undefined) return skeletonOf(options[0]);
  if (Array.isArray(values)) return values[0];
  const [kind] = Array.isArray(type) ? type : [type];
  if (kind === 'array') return [skeletonOf(items)];
  if (kind === 'object' || properties !== undefined)
    return Object.fromEntries(
      Object.entries((properties ?? {}) as Schema).map(([name, inner]) => [name, skeletonOf(inner)]),
    );
  if (kind === 'number' || kind === 'integer') return 0;
  return kind === 'boolean' ? false : '';
}
