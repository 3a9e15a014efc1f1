import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

type Json = Record<string, unknown>;

/** A schema that the generator turns into the type `never`. */
const NEVER = { type: 'string', enum: [] };

/** Returns TypeScript types of the schemas and operations of an OpenAPI document, for the client. */
export async function clientTypes(openApi: object): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'scriptorium-types-'));
  try {
    await createClient({
      input: exclusive(openApi) as Json,
      output: { path, tsConfigPath: null, entryFile: false },
      plugins: ['@hey-api/typescript'],
      logs: { level: 'silent', file: false },
    });
    return await readFile(join(path, 'types.gen.ts'), 'utf8');
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/**
 * Returns the document with unions of which TypeScript accepts one option only. TypeScript permits the properties of all options
 * together, unless each option names those of the others as `never`.
 */
function exclusive(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(exclusive);
  const entries = Object.entries(value).map(([name, inner]) => [name, exclusive(inner)]);
  const schema = Object.fromEntries(entries) as Json;
  const options = schema.oneOf;
  if (!Array.isArray(options) || !options.every(isStrict)) return schema;
  const names = new Set(options.flatMap(({ properties }) => Object.keys(properties)));
  const closed = options.map((option) => {
    const others = [...names].filter((name) => !Object.hasOwn(option.properties, name));
    const never = Object.fromEntries(others.map((name) => [name, NEVER]));
    return { ...option, properties: { ...option.properties, ...never } };
  });
  return { ...schema, oneOf: closed };
}

const isStrict = (option: Json): option is Json & { properties: Json } =>
  option.additionalProperties === false && typeof option.properties === 'object';
