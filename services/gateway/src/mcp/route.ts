import { type Limits, Scriptorium, ScriptoriumError } from '@scriptorium/client';
import { type AppError, ERRORS, type ErrorCode } from '@scriptorium/contracts/errors';
import type { Tool } from '@scriptorium/mcp/tool';
import { invalid } from '@scriptorium/shared/http/validation';
import { toAppError } from '@scriptorium/shared/to-app-error';
import type { Request } from 'express';
import { z } from 'zod';
import { type Middleware, ownerOf, type Reply } from '../http/context.ts';
import type { Route } from '../http/route.ts';
import type { ByteBudget } from '../middleware/byte-budget.ts';
import { DATA_BOUNDS } from '../middleware/json-bounds.ts';
import { receiveJson } from '../middleware/receive-json.ts';
import { documentSource } from '../requests/document-source.ts';
import { type Loading, loadSource } from '../requests/load-request.ts';
import { type SessionDocuments, sessionDocuments } from './documents.ts';
import type { McpParts } from './parts.ts';
import type { Session } from './session.ts';

const PATH = '/mcp';
const BODY_BYTES_MAX = 16 * 1024 * 1024;
/** A document is held as it was stored, as it is, in base64 and in the answer. */
const COPIES = 4;
/** One call of a tool sends several requests, each with the deadline of its own. */
const CALL_MS_MAX = 600_000;

interface Parts extends McpParts {
  version: string;
  loading: Loading;
}

/** The tools for models over HTTP: MCP 2025-11-25, streamable HTTP without a stream of the server. */
export function mcpRoutes(parts: Parts): Route[] {
  // The parts are not there while the reference is generated.
  const admitted: Middleware = (...step) => parts.admit(...step);
  const route = {
    path: PATH,
    access: 'key',
    hasOwnCalls: true,
    tag: 'System',
    errors: [],
    success: [],
  } as const;
  return [
    {
      ...route,
      errors: [],
      success: [],
      method: 'post',
      summary: 'Tools for models',
      middleware: [admitted, receiveJson(BODY_BYTES_MAX, parts.budget, DATA_BOUNDS)],
      handle: (request, response) => answer(parts, request, response),
    },
    {
      ...route,
      errors: [],
      success: [],
      method: 'delete',
      summary: 'End a session',
      middleware: [admitted],
      async handle(request, response) {
        const session = await sessionOf(parts, request, response);
        await documentsOf(parts, response, session).clear();
        await parts.sessions.end(session);
        response.status(204).end();
      },
    },
  ];
}

const sessionOf = ({ sessions }: McpParts, request: Request, response: Reply): Promise<Session> =>
  sessions.find(ownerOf(response).id, request.get('mcp-session-id'));

const documentsOf = (
  { redis, blobs, budget }: McpParts,
  response: Reply,
  session: Session,
): SessionDocuments =>
  sessionDocuments(redis, blobs, ownerOf(response).ownerHash, session, (bytes) =>
    chargeRead(budget, response, bytes),
  );

/** Throws OVERLOADED or CONCURRENCY_LIMIT if a document has no room in the memory of this gateway. */
export function chargeRead(budget: ByteBudget, response: Reply, bytes: number): void {
  let refusal: AppError | undefined;
  // One for each document of a call.
  response.setMaxListeners(0);
  const holding = budget.open(response, bytes, (error) => {
    refusal = error;
  });
  if (!holding.add(bytes)) throw refusal;
  holding.settle(COPIES * bytes);
}

async function answer(parts: Parts, request: Request, response: Reply): Promise<void> {
  const { body } = request;
  request.body = undefined;
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid([{ field: 'body', issue: 'must be one message of JSON-RPC 2.0' }]);
  const isFirst = (body as { method?: unknown }).method === 'initialize';
  const session = isFirst
    ? parts.sessions.open(ownerOf(response).id)
    : await sessionOf(parts, request, response);
  const documents = documentsOf(parts, response, session);
  // The gateway starts without what only models need.
  const [{ StreamableHTTPServerTransport }, { mcpServer }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
    import('@scriptorium/mcp/server'),
  ]);
  const client = new Scriptorium({
    baseUrl: parts.inner.url(),
    apiKey:
      request
        .get('authorization')
        ?.replace(/^bearer\s+/i, '')
        .trim() ?? '',
    retries: 0,
  });
  let limits: Promise<Limits> | undefined;
  const server = mcpServer({
    version: parts.version,
    instructions:
      'Documents have names, and are kept until the session ends. put_document brings one in, from a URL or as base64. The resource document:///NAME has its bytes. Results are new documents: choose names that do not exist.',
    client,
    limits: () => {
      limits ??= client.limits();
      return limits;
    },
    documents,
    more: [putDocument(parts, response, documents)],
    faultOf,
  });
  const transport = new StreamableHTTPServerTransport({});
  response.setHeader('Mcp-Session-Id', session.id);
  response.locals.liftTimeLimits();
  const late = setTimeout(() => void server.close(), CALL_MS_MAX);
  response.on('close', () => {
    clearTimeout(late);
    void server.close();
  });
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  await transport.handleRequest(request, response, body);
}

const source = z.strictObject({
  name: z.string().describe('The name that the document gets'),
  base64: z.string().optional().describe('Its bytes in base64'),
  url: z.string().optional().describe('Its public address, which the service fetches'),
});

/** Brings documents into a session: models have no files there. */
function putDocument(
  { loading }: Pick<Parts, 'loading'>,
  response: Reply,
  documents: SessionDocuments,
): Tool {
  return {
    name: 'put_document',
    title: 'Bring a document',
    description:
      'Brings a document into this session, from a public URL or as base64, so that other tools read it by its name.',
    input: source,
    output: z.object({ output: z.string(), bytes: z.int() }),
    writes: true,
    async run(args) {
      const { name, ...given } = args as z.output<typeof source>;
      await documents.checkNew(name);
      const found = documentSource.safeParse(given);
      if (!found.success) throw invalid([{ field: 'base64', issue: 'or `url` must be given, not both' }]);
      const bytes = await loadSource(found.data, loading, response);
      await documents.create(name, bytes);
      return { facts: { output: name, bytes: bytes.length } };
    },
  };
}

/** What a model reads of an error: of the requests that a tool sent, or of the tool itself. */
function faultOf(error: unknown): object {
  const isOfService = error instanceof ScriptoriumError && error.status > 0;
  const { code, message, details } = error instanceof ScriptoriumError ? error : toAppError(error);
  return {
    code,
    message,
    whatToDo: ERRORS[code as ErrorCode]?.remedy ?? 'Correct the call as the message says.',
    ...(details !== undefined && details.length > 0 && { details }),
    ...(isOfService && { requestId: error.requestId }),
    ...(isOfService &&
      error.retryAfterMs !== undefined && { retryAfterSeconds: Math.ceil(error.retryAfterMs / 1_000) }),
  };
}
