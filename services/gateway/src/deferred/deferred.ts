import type { RequestListener } from 'node:http';
import { createSender } from '@scriptorium/shared/fetch/fetcher';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import type { OperationRecorder } from '@scriptorium/usage/operations';
import type { ApiKeyTable } from '../auth/api-keys.ts';
import { maySignAsService } from '../auth/key-rights.ts';
import type { Backends } from '../backends/backends.ts';
import type { BatchJob } from '../batches/batch-job.ts';
import type { Middleware, Reply } from '../http/context.ts';
import type { Route } from '../http/route.ts';
import { isOverBudget, quotaOf } from '../limits/quota.ts';
import type { ByteBudget } from '../middleware/byte-budget.ts';
import { countOnce } from '../middleware/count-once.ts';
import { DATA_BOUNDS } from '../middleware/json-bounds.ts';
import { receiveBytes, receiveJson } from '../middleware/receive-json.ts';
import type { JobRouteParts } from '../routes/jobs.ts';
import type { GatewayConfig } from '../settings/config.ts';
import { acceptLater } from './accept-job.ts';
import { acceptWebhook } from './accept-webhook.ts';
import type { Deferral } from './fields.ts';
import { jobSecrets } from './job-secrets.ts';
import { jobTable, placeOf } from './job-table.ts';
import { repeatableCalls } from './repeatable-calls.ts';
import { openReplay, type ReplayMiddleware } from './replay.ts';
import { type Runner, type RunnerParts, startRunner } from './runner.ts';

/** The requests of a gateway that are answered later. */
export interface Deferred extends Closeable {
  routes: JobRouteParts;
  /** The batch for which a request runs, if it is one of a job of this process. */
  batchOf(response: Reply): BatchJob | undefined;
  /** Counts a call once that is repeated with its key. */
  countOnce: Middleware;
  /** Accepts requests of a route for later. */
  defer(route: Route, deferral: Deferral): Middleware;
  /** Accepts forms of a route that name a webhook. */
  deferForm(route: Route): Middleware;
  /** Begins to run jobs, if this gateway is to run some. `appOf` makes the app for their requests. */
  start(appOf: (middleware: ReplayMiddleware) => RequestListener): Promise<void>;
}

export function openDeferred(
  config: GatewayConfig,
  backends: Backends,
  budget: ByteBudget,
  keys: ApiKeyTable,
  operations: Pick<OperationRecorder, 'flush'>,
  events: RunnerParts['events'],
): Deferred {
  let runner: Runner | undefined;
  let end = async (): Promise<void> => undefined;
  const { blobs, ensureStores: checkStores } = backends;
  const waitMsMax = 1_000 * config.JOB_SECONDS_MAX;
  const resultMs = 1_000 * config.RESULT_SECONDS;
  const place = placeOf(config.REDIS_BLOB_URL ?? config.REDIS_URL, config.DEPLOYMENT);
  const secrets = jobSecrets(config.CODE_PEPPER);
  const calls = repeatableCalls(backends.database);
  const routes: JobRouteParts = {
    table: jobTable(backends.database, { secrets, place, waitMsMax, resultMs }),
    ...{ secrets, blobs, nudge: () => runner?.nudge() },
  };
  const limits = { jobsMax: config.KEY_JOBS_MAX, bytesMax: config.KEY_JOB_BYTES_MAX };
  const { DELIVER: FETCH, DELIVER_ALLOW: FETCH_ALLOW, FETCH_DENY } = config;
  const sender = createSender({ FETCH, FETCH_ALLOW, FETCH_DENY });
  const reader = createSender(config);
  const batches = new Map<string, BatchJob>();
  const receive = receiveJson(config.JSON_BYTES_MAX, budget, DATA_BOUNDS);
  const accepting = {
    ...routes,
    ...{ sender, reader, checkStores, receive, waitMsMax, limits },
    receiveBytes: receiveBytes(config.JSON_BYTES_MAX, budget),
  };
  return {
    routes,
    defer: (route, deferral) => acceptLater(route, deferral, accepting),
    deferForm: (route) => acceptWebhook(route, accepting),
    countOnce: countOnce(calls, secrets),
    batchOf: ({ locals: { countedAs = '' } }) => batches.get(countedAs),
    async start(appOf) {
      if (config.JOBS_AT_A_TIME === 0) return;
      const replay = await openReplay(appOf, {
        inFlight: config.KEY_CONCURRENCY_MAX,
        isOverBudget: (owner) => isOverBudget(backends.queue, owner, quotaOf(config)),
      });
      runner = startRunner({
        ...routes,
        table: {
          ...routes.table,
          // What a job counts is written before its course, so that no gateway that is killed then loses it.
          save: (...course) => operations.flush().then(() => routes.table.save(...course)),
        },
        ...{ calls, sender, reader, replay, batches, waitMsMax, resultMs, events },
        ownerOf: (keyId) => keys.findById(keyId),
        isFull: async (ownerHash) => (await routes.table.resultBytes(ownerHash)) >= config.KEY_JOB_BYTES_MAX,
        maySignAsService: ({ rights }) => maySignAsService(rights, config.SERVICE_KEY_FOR),
        slots: config.JOBS_AT_A_TIME,
        isReady: backends.hasSchema,
      });
      const { close } = runner;
      end = async () => {
        await close();
        await replay.close();
      };
    },
    close: () => end(),
  };
}
