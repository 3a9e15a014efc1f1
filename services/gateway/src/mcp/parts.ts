import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import type { Redis } from 'ioredis';
import { peppersOf } from '../auth/address.ts';
import type { Backends } from '../backends/backends.ts';
import type { ByteBudget } from '../middleware/byte-budget.ts';
import type { GatewayConfig } from '../settings/config.ts';
import { type Sessions, sessions } from './session.ts';

export interface McpParts {
  sessions: Sessions;
  redis: Redis;
  blobs: BlobStore;
  budget: ByteBudget;
  inner: InnerService;
}

/** The service itself, for the requests of tools: with the key of the caller, through the same checks as from outside. */
export interface InnerService extends Closeable {
  url(): string;
  listen(app: RequestListener): Promise<void>;
}

function innerService(): InnerService {
  const server = createServer();
  return {
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    listen: (app) =>
      new Promise((resolve, reject) => {
        server.on('request', app).once('error', reject).listen(0, '127.0.0.1', resolve);
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const mcpParts = (
  { CODE_PEPPER }: Pick<GatewayConfig, 'CODE_PEPPER'>,
  { queue, blobs }: Pick<Backends, 'queue' | 'blobs'>,
  budget: ByteBudget,
): McpParts => ({
  ...{ budget, blobs, redis: queue },
  sessions: sessions(peppersOf(CODE_PEPPER)),
  inner: innerService(),
});
