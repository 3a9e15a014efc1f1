import { z } from 'zod';

export type Json = Record<string, unknown>;

const DEFINITION = '#/$defs/';
const COMPONENT = '#/components/schemas/';
/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = ['items', 'additionalProperties', 'propertyNames', 'not', 'contentSchema'];
const LISTS = ['oneOf', 'anyOf', 'allOf', 'prefixItems'];

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The named schemas of an OpenAPI document: those of zod with an `id`. They differ from the JSON Schemas of zod where code
 * generators need it. Alternatives are unions of objects without further properties, and switches in a query are booleans.
 * Defaults of properties are in their descriptions, since generators take a property with a default as required.
 */
export class ComponentSchemas {
  readonly byName: Record<string, Json> = {};

  /** Returns a schema for a place of the document, which refers to named ones. Throws if two schemas have the same name. */
  of(schema: z.ZodType, io: 'input' | 'output', keepsDefaults = false): Json {
    const {
      $schema: _,
      $defs = {},
      ...rest
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        const { def } = zodSchema._zod as { def: { type: string; discriminator?: string } };
        if (def.type === 'union' && def.discriminator !== undefined)
          jsonSchema.discriminator = { propertyName: def.discriminator };
        // zod leaves out the default of what it transforms.
        const { default: byDefault } = z.globalRegistry.get(zodSchema) ?? {};
        if (byDefault !== undefined) jsonSchema.default = byDefault;
      },
    }) as Json & { $defs?: Record<string, Json> };
    for (const definition of Object.values($defs)) mapDiscriminator(definition, $defs);
    for (const [name, definition] of Object.entries($defs)) this.add(name, inDocument(definition, false));
    return inDocument(rest, keepsDefaults);
  }

  /** Adds a schema with a name, and returns a reference to it. */
  add(name: string, schema: Json): Json {
    if (name.startsWith('__')) throw new Error('a recursive schema needs an id');
    const known = this.byName[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two different schemas have the id ${name}`);
    this.byName[name] = schema;
    return { $ref: COMPONENT + name };
  }

  /** Returns the name and the content of the schema that a reference names. Throws if it is not a reference. */
  resolve({ $ref }: Json): [name: string, schema: Json] {
    const name = String($ref).slice(COMPONENT.length);
    const schema = this.byName[name];
    if (schema === undefined) throw new Error('the schema of a body needs an id');
    return [name, schema];
  }
}

/** Makes the property that decides required in each object, and lists the objects by its value. */
function mapDiscriminator({ discriminator, oneOf }: Json, definitions: Record<string, Json>): void {
  if (!isObject(discriminator) || !Array.isArray(oneOf)) return;
  const name = String(discriminator.propertyName);
  const mapping: Record<string, string> = {};
  for (const { $ref } of oneOf as Json[]) {
    const option = definitions[String($ref).slice(DEFINITION.length)];
    const property = (option?.properties as Record<string, Json> | undefined)?.[name];
    if (option === undefined || property === undefined) throw new Error('an option of a union needs an id');
    mapping[String(property.const)] = String($ref).replace(DEFINITION, COMPONENT);
    delete property.default;
    option.required = [name, ...((option.required ?? []) as string[]).filter((other) => other !== name)];
  }
  discriminator.mapping = mapping;
}

function inDocument(schema: Json, keepsDefaults = false): Json {
  const mapped = { ...schema };
  if (typeof mapped.$ref === 'string') mapped.$ref = mapped.$ref.replace(DEFINITION, COMPONENT);
  for (const keyword of ONE) if (isObject(mapped[keyword])) mapped[keyword] = inDocument(mapped[keyword]);
  for (const keyword of LISTS)
    if (Array.isArray(mapped[keyword]))
      mapped[keyword] = (mapped[keyword] as Json[]).map((one) => inDocument(one));
  if (isObject(mapped.properties)) {
    const entries = Object.entries(mapped.properties as Record<string, Json>);
    const describe = keepsDefaults ? (property: Json) => property : withDefaultInWords;
    mapped.properties = Object.fromEntries(
      entries.map(([name, property]) => [name, describe(inDocument(property))]),
    );
  }
  return isSwitch(mapped) ? asBoolean(mapped) : withoutConditions(mapped);
}

function withDefaultInWords({ default: byDefault, ...property }: Json): Json {
  if (byDefault === undefined || typeof byDefault === 'object') return property;
  const { description } = property;
  const words = `By default \`${byDefault}\``;
  return {
    ...{ ...property, description: description === undefined ? words : `${description}. ${words}` },
    // For programs that generate from this document.
    'x-default': byDefault,
  };
}

const isSwitch = (schema: Json): boolean => JSON.stringify(schema.enum) === '["true","false"]';

function asBoolean({ enum: _, default: byDefault, ...schema }: Json): Json {
  return { ...schema, type: 'boolean', ...(byDefault !== undefined && { default: byDefault === 'true' }) };
}

/** The branches of `oneOf` or `anyOf`, if each holds only `required`. */
function conditionsOf(branches: unknown): string[][] | null {
  if (!Array.isArray(branches)) return null;
  const isCondition = (branch: Json) => Object.keys(branch).join() === 'required';
  return branches.every(isCondition) ? branches.map(({ required }) => required as string[]) : null;
}

/**
 * Returns an object with conditions on which properties it must have as a union of objects without conditions. Properties with
 * one value stay in the union itself, since a discriminator looks there.
 */
function withoutConditions(schema: Json): Json {
  const [exactly, atLeast] = [conditionsOf(schema.oneOf), conditionsOf(schema.anyOf)];
  const conditions = exactly ?? atLeast;
  if (conditions === null) return schema;
  const {
    properties,
    required = [],
    additionalProperties,
    type,
    ...about
  } = schema as {
    properties: Record<string, Json>;
    required?: string[];
  } & Json;
  if (additionalProperties !== false) throw new Error('only a strict object can have conditions');
  delete about[exactly ? 'oneOf' : 'anyOf'];
  const oneOf = conditions.map((own, at) => {
    const others = exactly
      ? conditions.flat().filter((name) => !own.includes(name))
      : conditions.slice(0, at).flat();
    const left = Object.entries(properties).filter(([name]) => !others.includes(name));
    const wanted = Object.keys(properties).filter((name) => required.includes(name) || own.includes(name));
    return { type, properties: Object.fromEntries(left), required: wanted, additionalProperties };
  });
  const constants = Object.entries(properties).filter(([, property]) => 'const' in property);
  if (constants.length === 0) return { ...about, oneOf };
  const names = constants.map(([name]) => name).filter((name) => required.includes(name));
  return { ...about, type, properties: Object.fromEntries(constants), required: names, oneOf };
}
