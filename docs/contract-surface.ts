export type Json = Record<string, unknown>;

interface Media {
  schema?: Json;
}

interface Operation {
  parameters?: { name: string; in: string; schema: Json }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { $ref?: string; headers?: Json; content?: Record<string, Media> }>;
}

/** An OpenAPI document, as far as its surface goes. */
export interface Contract {
  paths: Record<string, Record<string, Operation>>;
  components?: object;
}

/**
 * Lists what callers may rely on in an OpenAPI document, in order: operations, parameters, media types, headers, properties, and
 * values of enumerations. Names of schemas do not matter, and neither does it whether a property is in a union.
 */
export function surfaceOf(contract: Contract): string[] {
  const lines = new Set<string>();
  for (const [path, methods] of Object.entries(contract.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const name = `${method.toUpperCase()} ${path}`;
      lines.add(name);
      for (const { name: parameter, in: place, schema } of operation.parameters ?? []) {
        lines.add(`${name} ${place} ${parameter}`);
        addSchema(`${name} ${place} ${parameter}`, schema, contract, lines);
      }
      addContent(`${name} takes`, operation.requestBody?.content, contract, lines);
      for (const [status, given] of Object.entries(operation.responses)) {
        const response =
          given.$ref === undefined ? given : ((resolve(given.$ref, contract) ?? {}) as typeof given);
        lines.add(`${name} answers ${status}`);
        for (const header of Object.keys(response.headers ?? {}))
          lines.add(`${name} answers ${status} header ${header}`);
        // All operations have the same error body.
        const where = Number(status) >= 400 ? 'errors' : `${name} answers ${status}`;
        addContent(where, response.content, contract, lines);
      }
    }
  return [...lines].sort();
}

function addContent(
  name: string,
  content: Record<string, Media> = {},
  contract: Contract,
  lines: Set<string>,
): void {
  for (const [mediaType, { schema }] of Object.entries(content)) {
    lines.add(`${name} ${mediaType}`);
    if (schema !== undefined) addSchema(`${name} ${mediaType} `, schema, contract, lines);
  }
}

/** `within` are the references that lead here: a schema may contain itself. */
function addSchema(
  path: string,
  schema: Json,
  contract: Contract,
  lines: Set<string>,
  within: readonly string[] = [],
): void {
  const add = (inner: unknown, at: string, refs = within): void => {
    if (typeof inner === 'object' && inner !== null) addSchema(at, inner as Json, contract, lines, refs);
  };
  if (typeof schema.$ref === 'string' && !within.includes(schema.$ref))
    add(resolve(schema.$ref, contract), path, [...within, schema.$ref]);
  for (const keyword of ['oneOf', 'anyOf', 'allOf'])
    for (const option of (schema[keyword] as Json[] | undefined) ?? []) add(option, path);
  add(schema.contentSchema, path);
  add(schema.items, `${path}[]`);
  add(schema.additionalProperties, `${path}.*`);
  for (const [name, property] of Object.entries((schema.properties as Json | undefined) ?? {})) {
    lines.add(`${path}.${name}`);
    add(property, `${path}.${name}`);
  }
  const values = schema.type === 'boolean' ? [true, false] : ((schema.enum as unknown[] | undefined) ?? []);
  for (const value of 'const' in schema ? [...values, schema.const] : values) lines.add(`${path} = ${value}`);
}

function resolve(ref: string, contract: Contract): unknown {
  let found: unknown = contract;
  for (const name of ref.split('/').slice(1)) found = (found as Json | undefined)?.[name];
  return found;
}
