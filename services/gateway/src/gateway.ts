import type { RequestListener } from 'node:http';
import { type InternalServer, startInternalServer } from '@scriptorium/shared/http/internal-server';
import { type HttpServer, listen } from '@scriptorium/shared/http/server';
import { annotateJob } from '@scriptorium/shared/jobs/annotate';
import { convertJob } from '@scriptorium/shared/jobs/convert';
import { signJob } from '@scriptorium/shared/jobs/sign';
import { signingKeyJob } from '@scriptorium/shared/jobs/signing-key';
import { verifyJob } from '@scriptorium/shared/jobs/verify';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import { watchDependencies } from '@scriptorium/shared/metrics/dependency-metrics';
import type { Metrics } from '@scriptorium/shared/metrics/metrics';
import { openBackgroundQueue } from '@scriptorium/shared/queue/background';
import { type OperationRecorder, operationRecorder } from '@scriptorium/usage/operations';
import { usageTable } from '@scriptorium/usage/read';
import { type AppParts, createApp } from './app.ts';
import { hashAddress, peppersOf, shortHash } from './auth/address.ts';
import { apiKeyTable } from './auth/api-keys.ts';
import { readBootstrapKey } from './auth/bootstrap-key.ts';
import { createCodeBook } from './auth/codes.ts';
import { createKeyRing } from './auth/key-ring.ts';
import { type TrialKeys, trialKeys, withTrialKeys } from './auth/trial-keys.ts';
import { type Backends, openBackends } from './backends/backends.ts';
import type { HealthChecks } from './backends/health.ts';
import { type JobClients, openJobClients } from './backends/job-clients.ts';
import { createSigningKeyReader } from './backends/signing-key.ts';
import type { BatchParts } from './batches/batch-parts.ts';
import { documentParts } from './documents/parts.ts';
import { guardConnections } from './http/connections.ts';
import type { Middleware } from './http/context.ts';
import { createKeyedLimiter } from './limits/keyed-limiter.ts';
import { type QuotaLimits, takeRows } from './limits/quota.ts';
import type { MailJob } from './mail/mail-job.ts';
import { createMailRate } from './mail/mail-rate-limit.ts';
import { MAIL_QUEUE, startMailWorker } from './mail/mail-worker.ts';
import { createMailer } from './mail/mailer.ts';
import { admitTrial } from './middleware/admit-trial.ts';
import { authenticate } from './middleware/authenticate.ts';
import { type ByteBudget, createByteBudget } from './middleware/byte-budget.ts';
import { meter } from './middleware/meter.ts';
import { rateLimit } from './middleware/rate-limit.ts';
import { networkOf, rateLimitClient } from './middleware/rate-limit-client.ts';
import { SEND_MS_MAX } from './middleware/request-context.ts';
import type { GatewayEvents } from './monitoring/events.ts';
import { watchHeldBytes } from './monitoring/metrics.ts';
import { watchQueues } from './monitoring/queue-metrics.ts';
import { assetsFolder, readSamples } from './pages/samples.ts';
import { serveFolder, serveTry, swaggerFolder, tryFolder } from './pages/served-files.ts';
import type { KeysParts } from './routes/keys.ts';
import type { RedeemCodeParts } from './routes/redeem-code.ts';
import type { SigningKeyRouteParts } from './routes/signing-key.ts';
import { allRoutes, JOBS } from './routes.ts';
import type { GatewayConfig } from './settings/config.ts';

const PLACE_GRACE_MS = 10_000;
const BODY_MS_MIN = 10_000;
/** The database has ten connections. The others are reserved for API keys. */
const USAGE_READS_MAX = 2;

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
  const mails = openBackgroundQueue<MailJob>(MAIL_QUEUE, backends.queue);
  const peppers = peppersOf(config.CODE_PEPPER);
  const books = peppers.map((pepper) => ({ pepper, codes: createCodeBook(backends.queue, pepper) }));
  const table = apiKeyTable(backends.database);
  const operations = operationRecorder(backends.database, events);
  const keys = createKeyRing(table, config.API_KEY_PREFIX);
  const trials = trialKeys(backends.queue, config.API_KEY_PREFIX, peppersOf(config.CODE_PEPPER)[0]);
  const budget = createByteBudget(config.BYTES_IN_FLIGHT_MAX);
  const clients = openJobClients(JOBS, config, backends, events);
  const closing = new AbortController();

  const signingKey = signingKeyParts(config, backends, clients);
  const routes = allRoutes({
    version,
    samples: await readSamples(),
    settings: config,
    documents: documentParts(config, backends, clients, budget, metrics),
    batches: batchParts(config, backends, operations, trials, closing.signal, events),
    signingKey,
    usage: { table: usageTable(backends.database), limiter: createKeyedLimiter(USAGE_READS_MAX) },
    ...keyParts(config, backends, budget, events, { mails, books, table, keys }),
    trial: {
      ...{ trials, events, setting: config.TRIAL },
      rateLimit: rateLimitClient(backends.queue, config.TRIAL_KEYS_PER_HOUR_MAX, 'trial'),
    },
    health: {
      version,
      deployment: config.DEPLOYMENT,
      isClosing: () => closing.signal.aborted,
      checks: healthChecks(backends, clients),
    },
  });
  const app = createApp({
    routes,
    events,
    authenticate: authenticate(
      withTrialKeys(keys, trials),
      reportRefusedKeys(config, events),
      config.SERVICE_KEY_FOR,
    ),
    admitTrial: (isCounted) => admitTrial(trials, signingKey.readKey, isCounted),
    meter: (operation) => meter(operations, operation),
    rateLimit: (queues) => rateLimit(backends.queue, backends.patientQueue, quotaOf(config), queues),
    files: pageFiles(config),
    corsOrigins: config.CORS_ORIGINS ?? [],
    trustProxyHops: config.TRUST_PROXY_HOPS,
    traceCallers: config.TRACE_CALLERS,
    deadlineMs: config.DEADLINE_MS,
  });
  const mailing = startMailing(config, backends, createCodeBook(backends.queue, peppers[0]), events);
  const server = await openDoor(app, config, events);
  const internal = await startWatching(config, backends, clients, budget, metrics);
  return {
    address: server.address,
    internalAddress: internal.address,
    async close() {
      closing.abort();
      await internal.readiness.close();
      await server.close(config.DRAIN_MS, config.DEADLINE_MS + SEND_MS_MAX);
      await Promise.all([mailing.close(), mails.close(), clients.close(), operations.close()]);
      await backends.close();
      await internal.close();
    },
  };
}

/** The files of the pages, by the prefix of their path. */
function pageFiles({ PLAYGROUND }: GatewayConfig): AppParts['files'] {
  const page = PLAYGROUND === 'on' ? tryFolder() : undefined;
  return {
    '/assets/pages': serveFolder(`${assetsFolder}pages`),
    '/assets/swagger-ui': serveFolder(swaggerFolder()),
    ...(page !== undefined && { '/try': serveTry(page) }),
  };
}

function reportRefusedKeys({ CODE_PEPPER }: GatewayConfig, { keyRefused }: GatewayEvents) {
  return (requestId: string, address: string): void =>
    keyRefused(requestId, shortHash('network', networkOf(address), CODE_PEPPER));
}

function batchParts(
  config: GatewayConfig,
  backends: Backends,
  operations: OperationRecorder,
  trials: TrialKeys,
  closing: AbortSignal,
  events: GatewayEvents,
): Omit<BatchParts, 'documents'> {
  return {
    closing,
    events,
    lineBytesMax: config.JSON_BYTES_MAX,
    deadlineMs: config.BATCH_DEADLINE_MS,
    packsMax: config.KEY_CONCURRENCY_MAX,
    async takeRows(owner, rows) {
      const { limits, origin } = owner.rights;
      if (origin === 'trial') await trials.take(owner, rows);
      const perMinuteMax = limits.rowsPerMinute ?? config.KEY_ROWS_PER_MINUTE_MAX;
      return await takeRows(backends.queue, owner.id, rows, perMinuteMax);
    },
    countRow({ ownerHash, rights }, rowId) {
      if (rights.origin !== 'trial') operations.record('generate', ownerHash, rowId);
    },
  };
}

/** The parts of the routes that give and revoke keys. */
function keyParts(
  config: GatewayConfig,
  backends: Backends,
  budget: ByteBudget,
  events: GatewayEvents,
  stores: Pick<RedeemCodeParts, 'mails' | 'books' | 'table'> & Pick<KeysParts, 'keys'>,
) {
  const { mails, books, table, keys } = stores;
  const rateLimit = limitRegistrations(config, backends);
  const shared = { mails, rateLimit, pepper: config.CODE_PEPPER, rules: config };
  const mailRate = createMailRate(backends.queue, config.MAILS_PER_HOUR_MAX, events.mailsStopped);
  return {
    register: { ...shared, mailRate },
    redeemCode: { ...shared, books, events, table, prefix: config.API_KEY_PREFIX, budget },
    keys: { table, keys, events },
  };
}

/** Registrations and code checks count together. */
function limitRegistrations(config: GatewayConfig, { queue }: Backends): Middleware {
  return rateLimitClient(queue, config.REGISTRATIONS_PER_HOUR_MAX, 'registrations');
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

function healthChecks(backends: Backends, clients: JobClients): HealthChecks {
  return {
    ...backends.checks,
    keys: backends.checkKeys,
    converters: clients.of(convertJob).shedder.census,
    annotators: clients.of(annotateJob).shedder.census,
    signers: clients.of(signJob).shedder.census,
    verifiers: clients.of(verifyJob).shedder.census,
  };
}

function startWatching(
  config: GatewayConfig,
  backends: Backends,
  clients: JobClients,
  budget: ByteBudget,
  metrics: Metrics,
): Promise<InternalServer> {
  watchHeldBytes(metrics, config.BYTES_IN_FLIGHT_MAX, budget.held);
  watchQueues(metrics, backends.queue, { jobs: clients.queues, others: [MAIL_QUEUE] });
  watchDependencies(metrics, backends.checks);
  const { queue, store } = backends.checks;
  return startInternalServer(config, metrics, { queue, store, keys: backends.checkKeys });
}

function openDoor(app: RequestListener, config: GatewayConfig, events: GatewayEvents): Promise<HttpServer> {
  const limits = {
    connectionsMax: config.CONNECTIONS_MAX,
    perNetworkMax: config.TRUST_PROXY_HOPS > 0 ? Number.POSITIVE_INFINITY : config.NETWORK_CONNECTIONS_MAX,
    bodyMsMax: Math.max(config.DEADLINE_MS, BODY_MS_MIN),
  };
  return listen(app, config.HOST, config.PORT, 0, (server) =>
    guardConnections(server, limits, events.connectionRefused),
  );
}

function quotaOf(config: GatewayConfig): QuotaLimits {
  return {
    inFlightMax: config.KEY_CONCURRENCY_MAX,
    perMinuteMax: config.KEY_REQUESTS_PER_MINUTE_MAX,
    engineMsPerMinute: 1_000 * config.ENGINE_SECONDS_PER_MINUTE,
    leaseMs: config.DEADLINE_MS + SEND_MS_MAX + PLACE_GRACE_MS,
  };
}

function startMailing(
  config: GatewayConfig,
  backends: Backends,
  codes: ReturnType<typeof createCodeBook>,
  events: GatewayEvents,
): Closeable {
  if (config.SMTP_URL === undefined) return { close: async () => {} };
  const mailer = createMailer(config.SMTP_URL, config.MAIL_FROM);
  const worker = startMailWorker({
    queueRedis: backends.patientQueue,
    codes,
    events,
    hashAddress: (address) => hashAddress(address, config.CODE_PEPPER),
    send: mailer.send,
  });
  return {
    async close() {
      await worker.close();
      await mailer.close();
    },
  };
}
