import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openApiDocument } from '../src/openapi/document.ts';
import { readSamples, samplesInBase64 } from '../src/pages/samples.ts';
import { allRoutes, type RouteParts } from '../src/routes.ts';

const EXAMPLE_BYTES_MAX = 20 * 1024;
type Json = Record<string, unknown>;

const samples = await readSamples();
const unused = {} as never;
const parts: RouteParts = {
  version: '1.2.3',
  samples,
  settings: {} as RouteParts['settings'],
  documents: { receive: {} } as RouteParts['documents'],
  batches: unused,
  jobs: { table: unused, secrets: unused, blobs: unused, nudge: unused },
  signingKey: unused,
  usage: unused,
  register: unused,
  redeemCode: { prefix: 'scr_' } as RouteParts['redeemCode'],
  keys: unused,
  trial: { rateLimit: unused } as unknown as RouteParts['trial'],
  mcp: unused,
  health: unused,
};
const routes = allRoutes(parts);
const documentFor = (publicUrl?: string) =>
  openApiDocument(routes, { version: '1.2.3', publicUrl, samples: samplesInBase64(samples) });
const document = documentFor();
const { schemas, responses } = document.components as Record<string, Record<string, Json>>;

interface Operation extends Json {
  operationId: string;
  parameters?: { name: string; required: boolean; schema: Json; examples?: { sample: { value: unknown } } }[];
  requestBody?: { content: Record<string, { schema: Json; examples?: { sample: { value: unknown } } }> };
  responses: Record<string, Json>;
}
const operations = Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap(
  (path) => Object.values(path),
);

/** Every object of a JSON value, with its path. */
function* objectsIn(value: unknown, path = ''): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Json];
  for (const [name, inner] of Object.entries(value)) yield* objectsIn(inner, `${path}/${name}`);
}
const objects = [...objectsIn(document)];

describe('the OpenAPI document', () => {
  test('has no alternatives that say only what is required', () => {
    const found = objects.filter(([, { oneOf, anyOf }]) =>
      [oneOf, anyOf].some(
        (branches) =>
          Array.isArray(branches) &&
          branches.some((branch: Json) => Object.keys(branch).every((name) => name === 'required')),
      ),
    );
    expect(found.map(([path]) => path)).toEqual([]);
  });

  test('names its schemas', () => {
    expect(Object.keys(schemas ?? {})).toEqual(
      expect.arrayContaining(
        (
          'DocumentSource Field TextField ImageField SignatureField TableField AnnotateRequest Generation TemplateReport ' +
          'SignRequest SignedDocument VerifyRequest VerifyReport SignatureReport MergeRequest BatchHead BatchRow Usage ApiKey ' +
          'ConversionReport Error'
        ).split(' '),
      ),
    );
    // Generators of clients name what an operation takes and answers so.
    const made = operations.flatMap(({ operationId }) => {
      const name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
      return ['', 'Result', 'Response', 'Params', 'Body', 'Data', 'Error', 'Errors'].map((end) => name + end);
    });
    expect(Object.keys(schemas ?? {}).filter((name) => made.includes(name))).toEqual([]);
    const refs = new Set(objects.flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : [])));
    expect([...refs].filter((ref) => !ref.startsWith('#/components/'))).toEqual([]);
    const unreferenced = Object.keys(schemas ?? {}).filter(
      (name) => !refs.has(`#/components/schemas/${name}`),
    );
    expect(unreferenced).toEqual([]);
  });

  test('decides between fields by their type', () => {
    expect(schemas?.Field?.discriminator).toEqual({
      propertyName: 'type',
      mapping: {
        text: '#/components/schemas/TextField',
        image: '#/components/schemas/ImageField',
        signature: '#/components/schemas/SignatureField',
        table: '#/components/schemas/TableField',
      },
    });
  });

  test('has the operations of callers only, by short names', () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      (
        'annotate augment cancelJob convert createBatch createTrialKey generate getHealth getJob getJobResult getLimits getSigningKey getUsage ' +
        'getWebhookSecret inspectTemplate listJobs listKeys merge ' +
        'register revokeKey sign signDigest verify verifyCode verifyCodeInUrl'
      ).split(' '),
    );
  });

  test('writes the error body once', () => {
    const ways = operations.flatMap(({ responses: all }) =>
      Object.entries(all).filter(([status]) => Number(status) >= 400),
    );
    expect(ways.length).toBeGreaterThan(100);
    for (const [, response] of ways) expect(response.$ref).toMatch(/^#\/components\/responses\//);
    expect(Object.keys(responses ?? {})).toEqual(
      expect.arrayContaining(['BadRequest', 'ServiceUnavailable']),
    );
  });

  test('shows bytes for every generator, and switches as booleans', () => {
    for (const [path, { contentMediaType, format }] of objects)
      if (contentMediaType !== undefined) expect([path, format]).toEqual([path, 'binary']);
    expect(objects.filter(([, { enum: values }]) => String(values) === 'true,false')).toEqual([]);
    const flatten = operations
      .find(({ operationId }) => operationId === 'annotate')
      ?.parameters?.find(({ name }) => name === 'flatten');
    expect(flatten?.schema).toEqual({ type: 'boolean', default: false });
  });

  test('has defaults of properties in words: generators take a property with a default as required', () => {
    const found = objects.filter(
      ([path, { default: byDefault }]) => path.includes('/schemas/') && byDefault !== undefined,
    );
    expect(found.map(([path]) => path)).toEqual([]);
    expect(JSON.stringify(schemas?.SignRequest)).toContain('By default `B-B`');
  });

  test('names its server, its license and its contact', () => {
    expect(document.servers).toEqual([{ url: '/' }]);
    expect(documentFor('https://docs.example.com/').servers).toEqual([{ url: 'https://docs.example.com' }]);
    expect(document.info).toMatchObject({
      license: { identifier: 'Apache-2.0' },
      contact: { name: 'Scriptorium' },
    });
  });
});

describe('the examples', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'https://api.example/openapi.json', components: document.components });
  const compiled = (schema: Json) =>
    ajv.compile(
      JSON.parse(
        JSON.stringify(schema).replaceAll('"#/components/', '"https://api.example/openapi.json#/components/'),
      ),
    );

  test.each(operations.map((operation) => [operation.operationId, operation] as const))(
    'of %s is valid and small',
    (_name, { parameters = [], requestBody }) => {
      for (const { name, required, schema, examples } of parameters) {
        if (required)
          expect({ name, hasExample: examples !== undefined }).toEqual({ name, hasExample: true });
        if (examples !== undefined) expect(compiled(schema)(examples.sample.value)).toBe(true);
      }
      const json = requestBody?.content['application/json'];
      if (json === undefined) return;
      const value = json.examples?.sample.value;
      const isValid = compiled(json.schema);
      expect({ isValid: isValid(value), errors: isValid.errors }).toEqual({ isValid: true, errors: null });
      expect(JSON.stringify(value).length).toBeLessThanOrEqual(EXAMPLE_BYTES_MAX);
    },
  );

  test('would not be valid with a property too many, or without the document', () => {
    const isValid = compiled({ $ref: '#/components/schemas/AnnotateRequest' });
    const good = { document: { base64: 'UEs=' }, fields: [{ id: 'a', type: 'text', value: 'b' }] };
    expect(isValid(good)).toBe(true);
    for (const wrong of [
      { ...good, more: 1 },
      { fields: good.fields },
      { ...good, document: { base64: 'UEs=', url: 'https://a.example' } },
      { ...good, document: {} },
      { ...good, fields: [42] },
      { ...good, fields: [{ type: 'text', value: 'b' }] },
      { ...good, fields: [{ id: 'a', type: 'text', value: [['b']] }] },
      {
        ...good,
        fields: [
          { id: 'a', type: 'image', value: 'data:image/png;base64,AA==', options: { arcElement: {} } },
        ],
      },
    ])
      expect([wrong, isValid(wrong)]).toEqual([wrong, false]);
  });
});
