import { createServer, type ServerResponse } from 'node:http';
import { isUp } from '../health.ts';
import type { Closeable } from '../lifecycle.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { sendJson, sendLiveness } from './answers.ts';
import { describeAddress } from './server.ts';

const REQUEST_MS_MAX = 10_000;
const HEADERS_MS_MAX = 5_000;

/** The server for operators and probes. It must not be public, since it does not require a key. */
export interface InternalServer extends Closeable {
  /** The server listens on this `host:port`. */
  address: string;
  /** `close` makes `/readyz` report that the process is not ready. Close it first, and the server last. */
  readiness: Closeable;
}

export interface InternalAddress {
  INTERNAL_HOST: string;
  INTERNAL_PORT: number;
}

/** The dependencies of a process by name. A check throws or hangs while its dependency is not available. */
export type ReadinessChecks = Record<string, () => Promise<unknown> | unknown>;

/**
 * Answers `GET /metrics`, `/livez` (the event loop runs) and `/readyz` (200, or 503 with the failed checks).
 *
 * Rejects if it cannot listen.
 */
export async function startInternalServer(
  { INTERNAL_HOST, INTERNAL_PORT }: InternalAddress,
  metrics: Metrics,
  needs: ReadinessChecks,
): Promise<InternalServer> {
  let isClosing = false;
  const answers: Record<string, (response: ServerResponse) => Promise<void> | void> = {
    '/livez': sendLiveness,
    async '/readyz'(response) {
      const checks = await checkAll(needs);
      const isReady = !isClosing && Object.values(checks).every((state) => state === 'up');
      const status = isClosing ? 'closing' : isReady ? 'ok' : 'unavailable';
      sendJson(response, isReady ? 200 : 503, { status, checks });
    },
    async '/metrics'(response) {
      const { contentType, text } = await metrics.page();
      response.setHeader('Content-Type', contentType).end(text);
    },
  };
  const server = createServer(
    { requestTimeout: REQUEST_MS_MAX, headersTimeout: HEADERS_MS_MAX },
    (request, response) => {
      response.setHeader('Cache-Control', 'no-store').setHeader('X-Content-Type-Options', 'nosniff');
      const answer = answers[(request.url ?? '').split('?', 1)[0] ?? ''];
      if (answer === undefined) return sendJson(response, 404, { status: 'not found' });
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('Allow', 'GET, HEAD');
        return sendJson(response, 405, { status: 'method not allowed' });
      }
      Promise.resolve(answer(response)).catch(() => response.destroy());
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(INTERNAL_PORT, INTERNAL_HOST, resolve);
  });
  return {
    address: describeAddress(server),
    readiness: {
      async close() {
        isClosing = true;
      },
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function checkAll(checks: ReadinessChecks): Promise<Record<string, 'up' | 'down'>> {
  const states = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await isUp((async () => check())())] as const),
  );
  return Object.fromEntries(states);
}
