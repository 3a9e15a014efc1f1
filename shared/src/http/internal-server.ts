import { createServer, type ServerResponse } from 'node:http';
import { isUp } from '../health.ts';
import type { Closeable } from '../lifecycle.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { describeAddress } from './server.ts';

const REQUEST_MS_MAX = 10_000;
const HEADERS_MS_MAX = 5_000;

/** What operators and their machines ask a process; never for the world: it asks for no key. */
export interface InternalServer extends Closeable {
  /** `host:port` that it listens on. */
  address: string;
  /** From its `close` on the process says that it is not ready: to be closed first, as the server itself last. */
  readiness: Closeable;
}

export interface InternalAddress {
  INTERNAL_HOST: string;
  INTERNAL_PORT: number;
}

/** What a process needs to do its work, by name; each throws, or hangs, while it is not there. */
export type ReadinessChecks = Record<string, () => Promise<unknown> | unknown>;

/**
 * Answers `GET /metrics`, `/livez` (the event loop turns) and `/readyz` (200, or 503 with what is missing).
 *
 * Rejects where it cannot listen.
 */
export async function startInternalServer(
  { INTERNAL_HOST, INTERNAL_PORT }: InternalAddress,
  metrics: Metrics,
  needs: ReadinessChecks,
): Promise<InternalServer> {
  let isClosing = false;
  const answers: Record<string, (response: ServerResponse) => Promise<void> | void> = {
    '/livez': (response) => send(response, 200, JSON.stringify({ status: 'ok' })),
    async '/readyz'(response) {
      const checks = await checkAll(needs);
      const isReady = !isClosing && Object.values(checks).every((state) => state === 'up');
      const status = isClosing ? 'closing' : isReady ? 'ok' : 'unavailable';
      send(response, isReady ? 200 : 503, JSON.stringify({ status, checks }));
    },
    async '/metrics'(response) {
      const { contentType, text } = await metrics.page();
      send(response, 200, text, contentType);
    },
  };
  const server = createServer(
    { requestTimeout: REQUEST_MS_MAX, headersTimeout: HEADERS_MS_MAX },
    (request, response) => {
      const answer = answers[(request.url ?? '').split('?', 1)[0] ?? ''];
      if (answer === undefined) return send(response, 404, JSON.stringify({ status: 'not found' }));
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('Allow', 'GET, HEAD');
        return send(response, 405, JSON.stringify({ status: 'method not allowed' }));
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

function send(
  response: ServerResponse,
  status: number,
  text: string,
  contentType = 'application/json',
): void {
  response
    .writeHead(status, {
      'Content-Type': contentType,
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    })
    .end(text);
}

async function checkAll(checks: ReadinessChecks): Promise<Record<string, 'up' | 'down'>> {
  const states = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, await isUp((async () => check())())] as const),
  );
  return Object.fromEntries(states);
}
