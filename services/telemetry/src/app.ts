import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError } from '@scriptorium/contracts/errors';
import {
  type HealthReport,
  sendError,
  sendHealth,
  sendLiveness,
  sendReadiness,
} from '@scriptorium/shared/http/answers';
import { refuseAmbiguity, refuseMethod } from '@scriptorium/shared/http/refusals';
import { newId } from '@scriptorium/shared/ids';
import { toAppError } from '@scriptorium/shared/to-app-error';
import type { TelemetryEvents } from './events.ts';

const PREFLIGHT_SECONDS = 86_400;

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

export interface AppParts {
  /** Undefined for a consumer. */
  collect: Handler | undefined;
  health(): Promise<HealthReport<object>>;
  /** True from the stop signal on. */
  isClosing(): boolean;
  version: string;
  events: Pick<TelemetryEvents, 'failed' | 'answered'>;
}

/** Serves the whole HTTP surface: paths, their methods, and a typed error for everything else. */
export function createApp(parts: AppParts): RequestListener {
  const routes = new Map<string, { methods: string[]; handle: Handler }>([
    ['/livez', { methods: ['GET', 'HEAD'], handle: (_request, response) => sendLiveness(response) }],
    ['/readyz', { methods: ['GET', 'HEAD'], handle: readyz(parts) }],
    ['/v1/health', { methods: ['GET', 'HEAD'], handle: health(parts) }],
  ]);
  if (parts.collect !== undefined)
    routes.set('/v1/collect', { methods: ['POST', 'OPTIONS'], handle: withPreflight(parts.collect) });

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    refuseAmbiguity(request);
    const route = routes.get((request.url ?? '').split('?', 1)[0] ?? '');
    if (route === undefined) throw new AppError('NOT_FOUND', 'Route not found.');
    if (!route.methods.includes(request.method ?? '')) refuseMethod(request, response, route.methods);
    await route.handle(request, response);
  };
  return (request, response) => {
    const requestId = newId('req');
    openToAnyOrigin(response, requestId);
    response.on('finish', () => parts.events.answered(response.statusCode));
    handle(request, response).catch((thrown) => {
      const error = toAppError(thrown);
      if (error.code === 'INTERNAL_ERROR') parts.events.failed(error, requestId);
      if (response.headersSent || response.destroyed) response.destroy();
      else sendError(response, error, requestId);
    });
  };
}

/** Requests have no credentials (Fetch standard, CORS protocol), so pages of any origin may report opens. */
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

function readyz({ health: check, isClosing }: AppParts): Handler {
  return async (_request, response) => sendReadiness(response, !isClosing() && (await check()).canServe);
}

function health({ health: check, version }: AppParts): Handler {
  const instance = { version, startedAt: Date.now() };
  return async (_request, response) => sendHealth(response, await check(), instance);
}
