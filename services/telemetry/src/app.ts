import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError, errorBody } from '@scriptorium/shared/errors';
import { newId } from '@scriptorium/shared/ids';
import { toAppError } from '@scriptorium/shared/to-app-error';
import type { TelemetryEvents } from './events.ts';
import type { HealthReport } from './health.ts';
import { invalid } from './payload.ts';

const PREFLIGHT_SECONDS = 86_400;
const RETRY_AFTER_SECONDS = 5;

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

export interface AppParts {
  /** Undefined where this process only counts. */
  collect: Handler | undefined;
  health(): Promise<HealthReport>;
  /** True from the first signal to stop. */
  isClosing(): boolean;
  version: string;
  events: Pick<TelemetryEvents, 'failed' | 'answered'>;
}

/** The whole HTTP surface: paths, their methods, and a typed refusal for everything else. */
export function createApp(parts: AppParts): RequestListener {
  const routes = new Map<string, { methods: string[]; handle: Handler }>([
    [
      '/livez',
      { methods: ['GET', 'HEAD'], handle: (_request, response) => json(response, 200, { status: 'ok' }) },
    ],
    ['/readyz', { methods: ['GET', 'HEAD'], handle: readyz(parts) }],
    ['/v1/health', { methods: ['GET', 'HEAD'], handle: health(parts) }],
  ]);
  if (parts.collect !== undefined)
    routes.set('/v1/collect', { methods: ['POST', 'OPTIONS'], handle: withPreflight(parts.collect) });

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    refuseAmbiguity(request);
    const route = routes.get((request.url ?? '').split('?', 1)[0] ?? '');
    if (route === undefined) throw new AppError('NOT_FOUND', 'There is no such route.');
    if (!route.methods.includes(request.method ?? '')) {
      response.setHeader('Allow', route.methods.join(', '));
      throw new AppError('METHOD_NOT_ALLOWED', `Taken here: ${route.methods.join(', ')}.`);
    }
    await route.handle(request, response);
  };
  return (request, response) => {
    const requestId = newId('req');
    openToAnyOrigin(response, requestId);
    response.on('finish', () => parts.events.answered(response.statusCode));
    handle(request, response).catch((thrown) => {
      const error = toAppError(thrown);
      if (error.code === 'INTERNAL_ERROR') parts.events.failed(error, requestId);
      refuse(response, error, requestId);
    });
  };
}

/** No credentials are taken (Fetch standard, CORS protocol): any page may report its opens. */
function openToAnyOrigin(response: ServerResponse, requestId: string): void {
  response.setHeader('X-Request-Id', requestId);
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', 'X-Request-Id, Retry-After');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
}

function withPreflight(collect: Handler): Handler {
  return (request, response) => {
    if (request.method !== 'OPTIONS') return collect(request, response);
    response
      .writeHead(204, {
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': 'Content-Type, X-License-Key',
        'Access-Control-Max-Age': PREFLIGHT_SECONDS,
      })
      .end();
  };
}

/** What two parsers on the way might read differently (RFC 9112 §3.2), and expectations that nobody meets. */
function refuseAmbiguity({ rawHeaders, headers }: IncomingMessage): void {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts !== 1) throw invalid([{ field: 'header host', issue: 'must be there once' }]);
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    throw invalid([{ field: 'header expect', issue: 'only 100-continue is met' }]);
}

function readyz({ health: check, isClosing }: AppParts): Handler {
  return async (_request, response) => {
    const isReady = !isClosing() && (await check()).canServe;
    if (!isReady) response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
    json(response, isReady ? 200 : 503, { status: isReady ? 'ok' : 'unavailable' });
  };
}

function health({ health: check, version }: AppParts): Handler {
  const startedAt = Date.now();
  return async (_request, response) => {
    const { canServe, status, checks } = await check();
    if (!canServe) response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
    const uptime = Math.round((Date.now() - startedAt) / 1000);
    const instance = { startTime: new Date(startedAt).toISOString(), uptime };
    json(response, canServe ? 200 : 503, {
      status,
      timestamp: new Date().toISOString(),
      version,
      instance,
      checks,
    });
  };
}

function refuse(response: ServerResponse, error: AppError, requestId: string): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const isWait = error.status === 429 || error.status === 503;
  const seconds = error.retryAfterSeconds ?? (isWait ? RETRY_AFTER_SECONDS : undefined);
  if (seconds !== undefined) response.setHeader('Retry-After', seconds);
  json(response, error.status, errorBody(error, requestId));
}

function json(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
    })
    .end(text);
}
