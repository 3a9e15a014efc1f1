import type { RequestListener } from 'node:http';
import { AppError, unavailable } from '@scriptorium/contracts/errors';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import type { Redis } from 'ioredis';
import { peppersOf } from '../auth/address.ts';
import type { Backends } from '../backends/backends.ts';
import { type Middleware, ownerOf } from '../http/context.ts';
import { type Loopback, listenOnLoopback } from '../http/loopback.ts';
import { countWithin, limitsOf, type QuotaLimits, quotaOf } from '../limits/quota.ts';
import type { ByteBudget } from '../middleware/byte-budget.ts';
import type { GatewayConfig } from '../settings/config.ts';
import { type Sessions, sessions } from './session.ts';

export interface McpParts {
  sessions: Sessions;
  redis: Redis;
  blobs: BlobStore;
  budget: ByteBudget;
  inner: InnerService;
  /** Limits the messages of a key: they cost time also without a request of a tool. */
  admit: Middleware;
}

/** The service itself, for the requests of tools: with the key of the caller, through the same checks as from outside. */
export interface InnerService extends Closeable {
  url(): string;
  listen(app: RequestListener): Promise<void>;
}

function innerService(): InnerService {
  let loopback: Loopback | undefined;
  return {
    url: () => `http://127.0.0.1:${loopback?.port}`,
    async listen(app) {
      loopback = await listenOnLoopback(app);
    },
    close: async () => await loopback?.close(),
  };
}

export const mcpParts = (
  config: GatewayConfig,
  { queue, blobs }: Pick<Backends, 'queue' | 'blobs'>,
  budget: ByteBudget,
): McpParts => ({
  ...{ budget, blobs, redis: queue },
  sessions: sessions(peppersOf(config.CODE_PEPPER), queue),
  admit: admitMessages(queue, quotaOf(config)),
  inner: innerService(),
});

const MINUTE_MS = 60_000;
/** Messages for each request that a key has in a minute: a call of a tool comes with lists and notices. */
const MESSAGES_A_REQUEST = 2;

/** A key has its messages beside its requests: those that tools send are counted where they arrive. */
function admitMessages(redis: Redis, ofService: QuotaLimits): Middleware {
  return async (_request, response, next) => {
    const owner = ownerOf(response);
    if (owner.rights.origin === 'trial')
      throw new AppError('FORBIDDEN', 'A trial key has no tools for models.');
    const max = MESSAGES_A_REQUEST * limitsOf(owner, ofService).perMinuteMax;
    const count = await countWithin(redis, `mcp:${owner.id}`, max, MINUTE_MS).catch(unavailable('queue'));
    if (!count.within)
      throw new AppError('RATE_LIMIT_EXCEEDED', `The limit is ${max} messages to \`/mcp\` per minute.`, {
        retryAfterSeconds: Math.ceil(count.resetMs / 1_000),
      });
    next();
  };
}
