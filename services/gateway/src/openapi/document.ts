import { STATUS_CODES } from 'node:http';
import { ERRORS, type ErrorCode } from '@scriptorium/contracts/errors';
import { z } from 'zod';
import type { Deferral } from '../deferred/fields.ts';
import { errorCode, errorDetail } from '../documents/error-groups.ts';
import { REQUEST_PART } from '../documents/upload.ts';
import {
  type Body,
  type Example,
  type FormBody,
  isRepeatable,
  type Route,
  type Samples,
} from '../http/route.ts';
import { accepted, addDeferredFields, IDEMPOTENCY_KEY, PREFER } from './deferral.ts';
import { ComponentSchemas, type Json } from './schemas.ts';

const JSON_TYPE = 'application/json';
/** Name of the examples of an operation. */
const EXAMPLE = 'sample';

/** Codes of every route, of routes with a key check, and of routes with jobs. */
const COMMON_ERRORS: ErrorCode[] = [
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'INTERNAL_ERROR',
  'NOT_IMPLEMENTED',
];
const KEY_ERRORS: ErrorCode[] = ['AUTHENTICATION_ERROR', 'FORBIDDEN', 'UNAVAILABLE'];
const JOB_ERRORS: ErrorCode[] = [
  'CONCURRENCY_LIMIT',
  'RATE_LIMIT_EXCEEDED',
  'OVERLOADED',
  'DEADLINE_EXCEEDED',
];

const errorSchema = z
  .strictObject({
    code: errorCode,
    error: z.string().meta({ description: 'HTTP error category', examples: ['Bad Request'] }),
    message: z.string().meta({ description: 'Human-readable description' }),
    requestId: z.string().meta({ description: 'Unique id of the request, for support: `req_<id>`' }),
    details: z.array(errorDetail).optional(),
  })
  .meta({ id: 'Error' });

/** What the document says beside the routes. */
export interface OpenApiParts {
  version: string;
  /** Address of the service. By default it is where the document is. */
  publicUrl: string | undefined;
  samples: Samples;
}

/** Returns the OpenAPI 3.1 document of the routes with an operation id. It contains the schemas that validate requests. */
export function openApiDocument(routes: Route[], { version, publicUrl, samples }: OpenApiParts): Json {
  const schemas = new ComponentSchemas();
  const paths: Record<string, Json> = {};
  const errors = new Set<number>();
  for (const route of routes) {
    if (route.operationId === undefined) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    const codes = Map.groupBy(codesOf(route), (code) => ERRORS[code].status);
    for (const status of codes.keys()) errors.add(status);
    paths[path] = { ...paths[path], [route.method]: operation(route, codes, schemas, samples) };
  }
  schemas.of(errorSchema, 'output');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Scriptorium',
      version,
      description:
        'Fills DOCX templates, converts and merges documents, signs them and verifies their signatures. Documents are held in memory during a request and are never stored.',
      contact: { name: 'Scriptorium', ...(publicUrl && { url: publicUrl }) },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl?.replace(/\/$/, '') ?? '/' }],
    tags: [
      { name: 'Documents', description: 'Conversion, templates, signatures' },
      { name: 'Jobs', description: 'Requests that are answered later' },
      { name: 'Usage', description: 'Usage counts' },
      { name: 'Authentication', description: 'Registration and API keys' },
      { name: 'System', description: 'Health and service information' },
    ],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'API Key' } },
      schemas: Object.fromEntries(Object.entries(schemas.byName).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: Object.fromEntries(
        [...errors].sort().map((status) => [nameOf(status), errorResponse(status)]),
      ),
      headers: HEADERS,
    },
  };
}

function operation(
  route: Route,
  codes: Map<number, ErrorCode[]>,
  schemas: ComponentSchemas,
  samples: Samples,
): Json {
  const { operationId, summary, description, tag, access, query, parameters, body, example } = route;
  const { deferral } = route;
  const placed = [
    ...parametersIn('path', parameters, schemas, example?.parameters),
    ...parametersIn('query', query, schemas, example?.query),
    ...(deferral ? [PREFER] : []),
    ...(isRepeatable(route) ? [IDEMPOTENCY_KEY] : []),
  ];
  return {
    operationId,
    summary,
    ...(description && { description }),
    tags: [tag],
    security: access === 'key' ? [{ apiKey: [] }] : [],
    ...(placed.length > 0 && { parameters: placed }),
    ...(body && { requestBody: requestBody(body, schemas, example, samples, deferral) }),
    responses: {
      ...successes(route, schemas),
      ...(deferral && accepted(schemas)),
      ...failures(codes),
    },
  };
}

function parametersIn(
  place: 'path' | 'query',
  schema: z.ZodObject | undefined,
  schemas: ComponentSchemas,
  values: Record<string, string> = {},
): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.of(schema, 'input', true) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema: property,
    ...(Object.hasOwn(values, name) && {
      examples: { [EXAMPLE]: { value: exampleValue(property, values[name]) } },
    }),
  }));
}

/** A text of a query as its schema has it. */
const exampleValue = ({ type }: Json, text: string | undefined) => (type === 'integer' ? Number(text) : text);

function requestBody(
  { json, lines, form }: Body,
  schemas: ComponentSchemas,
  example: Example | undefined,
  samples: Samples,
  deferral: Deferral | undefined,
): Json {
  const body = schemas.of(json, 'input');
  const value = example?.body?.(samples);
  const content: Json = {
    [JSON_TYPE]: {
      schema: body,
      ...(example && { examples: { [EXAMPLE]: { summary: example.summary, value } } }),
    },
  };
  if (form !== undefined) content['multipart/form-data'] = formContent(form, body, schemas);
  if (lines !== undefined) {
    const options = [lines.first, lines.other].map((line) => schemas.of(line, 'input'));
    content[lines.contentType] = {
      schema: { ...binary(lines.contentType), contentSchema: { anyOf: options } },
    };
  }
  if (deferral) addDeferredFields(body, schemas, deferral);
  return { required: true, content };
}

/** The schema of bytes, for generators that know OpenAPI 3.0 (`format`) or 3.1 (`contentMediaType`). */
const binary = (contentMediaType: string): Json => ({ type: 'string', format: 'binary', contentMediaType });

function formContent(
  { description, filesMax, texts = {} }: FormBody,
  body: Json,
  schemas: ComponentSchemas,
): Json {
  const file = { ...binary('application/octet-stream'), description };
  const files = { type: 'array', items: binary('application/octet-stream'), minItems: 1, maxItems: filesMax };
  const parts = Object.entries(texts).map(([name, schema]) => [name, schemas.of(schema, 'input')]);
  const request = filesMax === undefined ? requestPart(body, schemas) : null;
  if (request !== null) parts.push([REQUEST_PART, request.schema]);
  return {
    schema: {
      type: 'object',
      properties: { file: filesMax ? { ...files, description } : file, ...Object.fromEntries(parts) },
      required: ['file', ...(request?.isRequired ? [REQUEST_PART] : [])],
      additionalProperties: false,
    },
    ...(parts.length > 0 && {
      encoding: Object.fromEntries(parts.map(([name]) => [name, { contentType: JSON_TYPE }])),
    }),
  };
}

/** The part of a form with the JSON body without its document. Null if nothing is left. */
function requestPart(body: Json, schemas: ComponentSchemas): { schema: Json; isRequired: boolean } | null {
  const [name, whole] = schemas.resolve(body);
  const part = withoutDocument(whole);
  const options = (part.oneOf as Json[] | undefined) ?? [part];
  if (options.every(({ properties }) => Object.keys(properties as Json).length === 0)) return null;
  const isRequired = options.every(({ required }) => required !== undefined);
  return { schema: schemas.add(`${name}Part`, part), isRequired };
}

function withoutDocument({ oneOf, properties, required = [], ...rest }: Json): Json {
  if (Array.isArray(oneOf)) return { ...rest, oneOf: oneOf.map(withoutDocument) };
  const { document: _, ...others } = properties as Json;
  const names = (required as string[]).filter((name) => name !== 'document');
  return { ...rest, properties: others, ...(names.length > 0 && { required: names }) };
}

function successes({ success }: Route, schemas: ComponentSchemas): Json {
  const own = { 'X-Request-Id': headerRef('RequestId') };
  if (success.length === 0) return { '204': { description: 'Done', headers: own } };
  const content: Json = {};
  const headers: Json = { ...own };
  for (const { contentType, schema, headers: more = {} } of success) {
    content[contentType] = { schema: answerSchema(contentType, schema && schemas.of(schema, 'output')) };
    for (const [name, description] of Object.entries(more))
      headers[name] = { description, schema: { type: 'string' } };
  }
  const description = [...new Set(success.map((one) => one.description))].join('. ');
  return { '200': { description, headers, content } };
}

function answerSchema(contentType: string, schema: Json | undefined): Json {
  if (contentType === JSON_TYPE || contentType.startsWith('multipart/')) return schema ?? {};
  if (contentType.startsWith('text/')) return { type: 'string' };
  return { ...binary(contentType), ...(schema && { contentSchema: schema }) };
}

function codesOf(route: Route): ErrorCode[] {
  const { errors, access, tag } = route;
  const codes = new Set([
    ...errors,
    ...COMMON_ERRORS,
    ...(access === 'key' ? KEY_ERRORS : []),
    ...(tag === 'Documents' ? JOB_ERRORS : []),
    ...(isRepeatable(route) ? (['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'] as const) : []),
  ]);
  return [...codes];
}

const reasonOf = (status: number): string => STATUS_CODES[status] ?? String(status);

/** `PayloadTooLarge` for 413. */
const nameOf = (status: number): string => reasonOf(status).replace(/[^A-Za-z]/g, '');

function failures(codes: Map<number, ErrorCode[]>): Json {
  const entries = [...codes].map(([status, list]) => [
    String(status),
    {
      $ref: `#/components/responses/${nameOf(status)}`,
      description: `${reasonOf(status)}: ${list.map((code) => `\`${code}\``).join(', ')}`,
    },
  ]);
  return Object.fromEntries(entries);
}

function errorResponse(status: number): Json {
  return {
    description: reasonOf(status),
    headers: {
      'X-Request-Id': headerRef('RequestId'),
      ...((status === 429 || status === 503) && { 'Retry-After': headerRef('RetryAfter') }),
      ...(status === 401 && { 'WWW-Authenticate': headerRef('Authenticate') }),
      ...(status === 405 && { Allow: headerRef('Allow') }),
    },
    content: { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Error' } } },
  };
}

const HEADERS = {
  RequestId: { description: 'Id of the request: `req_<id>`', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds after which to try again', schema: { type: 'integer' } },
  Authenticate: { description: '`Bearer`', schema: { type: 'string' } },
  Allow: { description: 'The methods of the path', schema: { type: 'string' } },
};

const headerRef = (name: keyof typeof HEADERS): Json => ({ $ref: `#/components/headers/${name}` });
