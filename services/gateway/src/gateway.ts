import { signingKeyJob } from '@scriptorium/contracts/jobs/signing-key';
import { type InternalServer, startInternalServer } from '@scriptorium/shared/http/internal-server';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import { watchDependencies } from '@scriptorium/shared/metrics/dependency-metrics';
import type { Metrics } from '@scriptorium/shared/metrics/metrics';
import { operationRecorder } from '@scriptorium/usage/operations';
import { usageTable } from '@scriptorium/usage/read';
import { type AppParts, createApp } from './app.ts';
import { peppersOf, shortHash } from './auth/address.ts';
import { apiKeyTable } from './auth/api-keys.ts';
import { readBootstrapKey } from './auth/bootstrap-key.ts';
import { createKeyRing } from './auth/key-ring.ts';
import { trialKeys, withTrialKeys } from './auth/trial-keys.ts';
import { type Backends, openBackends } from './backends/backends.ts';
import { healthChecks } from './backends/health.ts';
import { type JobClients, openJobClients } from './backends/job-clients.ts';
import { createSigningKeyReader } from './backends/signing-key.ts';
import { batchParts } from './batches/batch-parts.ts';
import { type Deferred, openDeferred } from './deferred/deferred.ts';
import { documentParts } from './documents/parts.ts';
import { openServer } from './http/connections.ts';
import type { Middleware } from './http/context.ts';
import { networkOf } from './http/network.ts';
import { createKeyedLimiter } from './limits/keyed-limiter.ts';
import { quotaOf } from './limits/quota.ts';
import { MAIL_QUEUE } from './mail/mail-worker.ts';
import { startMailing } from './mail/mailing.ts';
import { type InnerService, mcpParts } from './mcp/parts.ts';
import { admitTrial } from './middleware/admit-trial.ts';
import { authenticate } from './middleware/authenticate.ts';
import { type ByteBudget, createByteBudget } from './middleware/byte-budget.ts';
import { meter } from './middleware/meter.ts';
import { rateLimit } from './middleware/rate-limit.ts';
import { rateLimitClient } from './middleware/rate-limit-client.ts';
import { watchDeferred } from './monitoring/deferred-metrics.ts';
import type { GatewayEvents } from './monitoring/events.ts';
import { watchHeldBytes } from './monitoring/metrics.ts';
import { watchQueues } from './monitoring/queue-metrics.ts';
import { readSamples } from './pages/samples.ts';
import { pageFiles } from './pages/served-files.ts';
import { keyParts } from './routes/key-parts.ts';
import type { SigningKeyRouteParts } from './routes/signing-key.ts';
import { allRoutes, JOBS } from './routes.ts';
import type { GatewayConfig } from './settings/config.ts';
import { SEND_MS_MAX } from './settings/limits.ts';

/** The database has ten connections. The others are reserved for API keys. */
const USAGE_READS_MAX = 2;
/** The longest deadline that a queue takes. */
const JOB_DEADLINE_MS = 600_000;

export interface Gateway extends Closeable {
  /** The gateway listens on this `host:port`. */
  address: string;
  internalAddress: string;
}

/** Starts a gateway. Resolves when it listens, without waiting for other servers. */
export async function startGateway(
  config: GatewayConfig,
  version: string,
  metrics: Metrics,
  events: GatewayEvents,
): Promise<Gateway> {
  const backends = openBackends(config, events, await readBootstrapKey(config));
  const mailing = startMailing(config, backends, events);
  const table = apiKeyTable(backends.database);
  const operations = operationRecorder(backends.database, events);
  const keys = createKeyRing(table, config.API_KEY_PREFIX);
  const trials = trialKeys(backends.queue, config.API_KEY_PREFIX, peppersOf(config.CODE_PEPPER)[0]);
  const allKeys = withTrialKeys(keys, trials);
  const budget = createByteBudget(config.BYTES_IN_FLIGHT_MAX);
  const clients = openJobClients(JOBS, config, backends, events);
  const closing = new AbortController();
  const deferred = openDeferred(config, backends, budget, table, operations, events);

  const mcp = mcpParts(config, backends, budget);
  const signingKey = signingKeyParts(config, backends, clients);
  const routes = allRoutes({
    version,
    samples: await readSamples(),
    settings: config,
    documents: documentParts(config, backends, clients, budget, metrics),
    batches: batchParts(config, backends, { operations, trials, deferred }, closing.signal, events),
    jobs: deferred.routes,
    signingKey,
    usage: { table: usageTable(backends.database), limiter: createKeyedLimiter(USAGE_READS_MAX) },
    ...keyParts(config, backends, budget, events, { mails: mailing.mails, table, keys }),
    trial: {
      ...{ trials, events, setting: config.TRIAL },
      rateLimit: rateLimitClient(backends.queue, config.TRIAL_KEYS_PER_HOUR_MAX, 'trial'),
    },
    mcp,
    health: {
      version,
      deployment: config.DEPLOYMENT,
      isClosing: () => closing.signal.aborted,
      checks: healthChecks(backends, clients),
    },
  });
  const parts: AppParts = {
    routes,
    events,
    authenticate: authenticate(allKeys, reportRefusedKeys(config, events), config.SERVICE_KEY_FOR),
    admitTrial: (isCounted) => admitTrial(trials, signingKey.readKey, isCounted),
    ...{ defer: deferred.defer, deferForm: deferred.deferForm },
    countOnce: deferred.countOnce,
    meter: (operation) => meter(operations, operation),
    rateLimit: (queues) => rateLimit(backends.queue, backends.patientQueue, quotaOf(config), queues),
    files: pageFiles(config),
    corsOrigins: config.CORS_ORIGINS ?? [],
    trustProxyHops: config.TRUST_PROXY_HOPS,
    traceCallers: config.TRACE_CALLERS,
    deadlineMs: config.DEADLINE_MS,
  };
  const server = await serve(parts, mcp.inner, config);
  await deferred.start(({ authenticate, admit }) => createApp(forJobs(parts, authenticate, admit)));
  const internal = await startWatching(config, backends, clients, { metrics, budget, deferred });
  return {
    address: server.address,
    internalAddress: internal.address,
    async close() {
      closing.abort();
      await deferred.close();
      await internal.readiness.close();
      await server.close();
      await Promise.all([mailing.close(), clients.close(), operations.close()]);
      await backends.close();
      await internal.close();
    },
  };
}

/** Serves callers, and the requests of tools for models. */
async function serve(parts: AppParts, inner: InnerService, config: GatewayConfig) {
  const app = createApp(parts);
  await inner.listen(app);
  const server = await openServer(app, config, parts.events.connectionRefused);
  return {
    address: server.address,
    async close() {
      await server.close(config.DRAIN_MS, config.DEADLINE_MS + SEND_MS_MAX);
      await inner.close();
    },
  };
}

/** The operations of an app, without a key check, and with the deadline of work for which no caller waits. */
function forJobs(parts: AppParts, authenticate: Middleware, admit: Middleware): AppParts {
  return {
    ...parts,
    routes: parts.routes.filter(({ deferral, takesWebhook }) => takesWebhook || deferral !== undefined),
    authenticate,
    rateLimit: () => admit,
    defer: () => (_request, _response, next) => next(),
    deferForm: () => (_request, _response, next) => next(),
    countOnce: (_request, _response, next) => next(),
    files: {},
    corsOrigins: [],
    trustProxyHops: 0,
    deadlineMs: JOB_DEADLINE_MS,
  };
}

function reportRefusedKeys({ CODE_PEPPER }: GatewayConfig, { keyRefused }: GatewayEvents) {
  return (requestId: string, address: string): void =>
    keyRefused(requestId, shortHash('network', networkOf(address), CODE_PEPPER));
}

function signingKeyParts(
  config: GatewayConfig,
  backends: Backends,
  clients: JobClients,
): SigningKeyRouteParts {
  return {
    readKey: createSigningKeyReader(clients.of(signingKeyJob)),
    rateLimit: rateLimitClient(backends.queue, config.SIGNING_KEY_READS_PER_HOUR_MAX, 'signing-key'),
  };
}

function startWatching(
  config: GatewayConfig,
  backends: Backends,
  clients: JobClients,
  { metrics, budget, deferred }: { metrics: Metrics; budget: ByteBudget; deferred: Deferred },
): Promise<InternalServer> {
  watchDeferred(metrics, deferred.routes.table.standing);
  watchHeldBytes(metrics, config.BYTES_IN_FLIGHT_MAX, budget.held);
  watchQueues(metrics, backends.queue, { jobs: clients.queues, others: [MAIL_QUEUE] });
  watchDependencies(metrics, backends.checks);
  const { queue, store } = backends.checks;
  return startInternalServer(config, metrics, { queue, store, keys: backends.checkKeys });
}
