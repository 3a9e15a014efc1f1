import { STATUS_CODES } from 'node:http';
import { ERRORS, type ErrorCode } from '@scriptorium/shared/errors';
import { z } from 'zod';
import type { FileBody, Route } from './route.ts';

/** Codes of every route, of routes with a key check, and of routes with jobs. */
const COMMON_ERRORS: ErrorCode[] = ['METHOD_NOT_ALLOWED', 'REQUEST_TIMEOUT', 'INTERNAL_ERROR'];
const KEY_ERRORS: ErrorCode[] = ['AUTHENTICATION_ERROR', 'UNAVAILABLE'];
const JOB_ERRORS: ErrorCode[] = [
  'CONCURRENCY_LIMIT',
  'RATE_LIMIT_EXCEEDED',
  'OVERLOADED',
  'DEADLINE_EXCEEDED',
];

const errorSchema = z.strictObject({
  code: z
    .enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]])
    .meta({ description: 'Machine-readable code' }),
  error: z.string().meta({ description: 'HTTP error category', examples: ['Bad Request'] }),
  message: z.string().meta({ description: 'Human-readable description' }),
  requestId: z.string().meta({ description: 'Unique id of the request, for support: `req_<id>`' }),
  details: z.array(z.strictObject({ field: z.string(), issue: z.string() })).optional(),
});

type Json = Record<string, unknown>;

/** Returns the OpenAPI 3.1 document of these routes. It contains the schemas that validate requests. */
export function openApiDocument(routes: Route[], version: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Scriptorium',
      version,
      description:
        'Fills DOCX templates, converts and merges documents, signs them and verifies their signatures. Documents are held in memory during a request and are never stored.',
    },
    tags: [
      { name: 'Documents', description: 'Conversion, templates, signatures' },
      { name: 'Usage', description: 'Usage counts' },
      { name: 'Authentication', description: 'Registration and API keys' },
      { name: 'System', description: 'Health and service information' },
    ],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', bearerFormat: 'API Key' } },
      schemas: { Error: jsonSchema(errorSchema, 'output') },
    },
  };
}

function operation(route: Route): Json {
  return {
    operationId: `${route.method}${route.path.replace(/[^a-zA-Z0-9]+(\w?)/g, (_, c: string) => c.toUpperCase())}`,
    summary: route.summary,
    ...(route.description && { description: route.description }),
    tags: [route.tag],
    security: route.access === 'key' ? [{ apiKey: [] }] : [],
    parameters: [...parameters(route.parameters, 'path'), ...parameters(route.query, 'query')],
    ...(route.body && { requestBody: requestBody(route.body) }),
    responses: { ...successes(route), ...failures(route) },
  };
}

function parameters(schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(property.description ? { description: property.description } : {}),
    schema: property,
  }));
}

function requestBody(body: NonNullable<Route['body']>): Json {
  const content: Json = {};
  if ('json' in body) content['application/json'] = { schema: jsonSchema(body.json, 'input') };
  if ('json' in body && body.alsoAs !== undefined) content[body.alsoAs] = { schema: { type: 'string' } };
  if ('file' in body) content['multipart/form-data'] = formContent(body);
  return { required: true, content };
}

function formContent({ file: part, description, filesMax, texts = {} }: FileBody): Json {
  const bytes = { type: 'string', contentMediaType: 'application/octet-stream' };
  const file = filesMax
    ? { type: 'array', items: bytes, minItems: 1, maxItems: filesMax, description }
    : { ...bytes, description };
  const names = Object.keys(texts);
  const schemas = Object.entries(texts).map(([name, schema]) => [name, jsonSchema(schema, 'input')]);
  return {
    schema: {
      type: 'object',
      properties: { [part]: file, ...Object.fromEntries(schemas) },
      required: [part],
      additionalProperties: false,
    },
    ...(names.length > 0 && {
      encoding: Object.fromEntries(names.map((name) => [name, { contentType: 'application/json' }])),
    }),
  };
}

function successes(route: Route): Json {
  if (route.success.length === 0) return { '204': { description: 'Done', headers: requestIdHeader } };
  const content: Json = {};
  let headers: Json = { ...requestIdHeader };
  for (const success of route.success) {
    const schema = success.schema
      ? jsonSchema(success.schema, 'output')
      : { type: 'string', contentMediaType: success.contentType };
    content[success.contentType] = { schema };
    for (const [name, description] of Object.entries(success.headers ?? {}))
      headers = { ...headers, [name]: { description, schema: { type: 'string' } } };
  }
  return {
    '200': {
      description: [...new Set(route.success.map((s) => s.description))].join('; '),
      headers,
      content,
    },
  };
}

function failures(route: Route): Json {
  const codes = new Set([
    ...route.errors,
    ...COMMON_ERRORS,
    ...(route.access === 'key' ? KEY_ERRORS : []),
    ...(route.tag === 'Documents' ? JOB_ERRORS : []),
  ]);
  const byStatus = Map.groupBy([...codes], (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      String(status),
      {
        description: `${STATUS_CODES[status]}: ${list.map((code) => `\`${code}\``).join(', ')}`,
        headers: requestIdHeader,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  );
}

const requestIdHeader = {
  'X-Request-Id': { description: 'Id of the request: `req_<id>`', schema: { type: 'string' } },
};

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
