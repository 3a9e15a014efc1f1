import type { ServerResponse } from 'node:http';
import { type AppError, errorBody } from '@scriptorium/contracts/errors';

const RETRY_AFTER_SECONDS = 5;

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
    })
    .end(text);
}

/**
 * Sends the Error response, or its message and details as plain text. 429 and 503 always have `Retry-After`. The headers
 * must not have been sent yet.
 */
export function sendError(
  response: ServerResponse,
  error: AppError,
  requestId: string,
  isText = false,
): void {
  const isTemporary = error.status === 429 || error.status === 503;
  const seconds = error.retryAfterSeconds ?? (isTemporary ? RETRY_AFTER_SECONDS : undefined);
  if (seconds !== undefined) response.setHeader('Retry-After', seconds);
  if (isText) {
    const details = (error.details ?? []).map(({ field, issue }) => `${field} ${issue}`);
    const text = [error.message, ...details].join('\n');
    response.writeHead(error.status, { 'Content-Type': 'text/plain; charset=UTF-8' }).end(text);
  } else sendJson(response, error.status, errorBody(error, requestId));
}

/** The result of the health check of a service. */
export interface HealthReport<Checks extends object> {
  status: 'healthy' | 'degraded';
  /** Whether the process can answer requests. */
  canServe: boolean;
  checks: Checks;
}

/** The process data in a health answer. */
export interface Instance {
  version: string;
  deployment?: string | undefined;
  /** Epoch milliseconds. */
  startedAt: number;
}

/** Answers `GET /v1/health`, with 503 if the process cannot serve requests. */
export function sendHealth(
  response: ServerResponse,
  { status, canServe, checks }: HealthReport<object>,
  { version, deployment, startedAt }: Instance,
): void {
  const now = Date.now();
  response.setHeader('Cache-Control', 'no-store');
  if (!canServe) response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  sendJson(response, canServe ? 200 : 503, {
    status,
    timestamp: new Date(now).toISOString(),
    version,
    deployment,
    instance: {
      startTime: new Date(startedAt).toISOString(),
      uptime: Math.round((now - startedAt) / 1000),
    },
    checks,
  });
}

/** Answers `GET /readyz`. */
export function sendReadiness(response: ServerResponse, isReady: boolean): void {
  if (!isReady) response.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  sendJson(response, isReady ? 200 : 503, { status: isReady ? 'ok' : 'unavailable' });
}

/** Answers `GET /livez`. */
export function sendLiveness(response: ServerResponse): void {
  sendJson(response, 200, { status: 'ok' });
}
