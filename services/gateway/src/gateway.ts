import { fileURLToPath } from 'node:url';
import { type InternalServer, startInternalServer } from '@scriptorium/shared/http/internal-server';
import { listen } from '@scriptorium/shared/http/server';
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
import { absolutePath as swaggerUiFolder } from 'swagger-ui-dist';
import { createApp } from './app.ts';
import { foldAddress, hashAddress } from './auth/address.ts';
import { apiKeyTable } from './auth/api-keys.ts';
import { createCodeBook } from './auth/codes.ts';
import { createKeyRing } from './auth/key-ring.ts';
import { type Backends, openBackends } from './backends.ts';
import type { BatchParts } from './batches/batch-parts.ts';
import type { GatewayConfig } from './config.ts';
import { documentParts } from './documents/parts.ts';
import type { GatewayEvents } from './events.ts';
import type { HealthChecks } from './health.ts';
import { type JobClients, openJobClients } from './job-clients.ts';
import { createKeyedLimiter } from './keyed-limiter.ts';
import type { MailJob } from './mail/mail-job.ts';
import { takeMailRate } from './mail/mail-rate-limit.ts';
import { MAIL_QUEUE, startMailWorker } from './mail/mail-worker.ts';
import { createMailer } from './mail/mailer.ts';
import { watchHeldBytes } from './metrics.ts';
import { authenticate } from './middleware/authenticate.ts';
import { type ByteBudget, createByteBudget } from './middleware/byte-budget.ts';
import { meter } from './middleware/meter.ts';
import { rateLimit } from './middleware/rate-limit.ts';
import { rateLimitClient } from './middleware/rate-limit-client.ts';
import { SEND_MS_MAX } from './middleware/request-context.ts';
import { watchQueues } from './queue-metrics.ts';
import { type QuotaLimits, takeRows } from './quota.ts';
import type { SigningKeyRouteParts } from './routes/signing-key.ts';
import { allRoutes, JOBS } from './routes.ts';
import { createSigningKeyReader } from './signing-key.ts';

const assetsFolder = fileURLToPath(new URL('../assets/', import.meta.url));
const PLACE_GRACE_MS = 10_000;
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
  const backends = openBackends(config, events);
  const mails = openBackgroundQueue<MailJob>(MAIL_QUEUE, backends.queue);
  const codes = createCodeBook(backends.queue, config.CODE_PEPPER);
  const table = apiKeyTable(backends.database);
  const operations = operationRecorder(backends.database, events);
  const keys = createKeyRing(table, config.API_KEY_PREFIX);
  const budget = createByteBudget(config.BYTES_IN_FLIGHT_MAX);
  const clients = openJobClients(JOBS, config, backends, events);
  const registrations = rateLimitClient(backends.queue, config.REGISTRATIONS_PER_HOUR_MAX, 'registrations');
  const closing = new AbortController();

  const routes = allRoutes({
    version,
    publicUrl: config.PUBLIC_URL,
    samplesFolder: assetsFolder,
    documents: documentParts(config, backends, clients, budget, metrics),
    batches: batchParts(config, backends, operations, closing.signal, events),
    signingKey: signingKeyParts(config, backends, clients),
    usage: { table: usageTable(backends.database), limiter: createKeyedLimiter(USAGE_READS_MAX) },
    register: {
      mails,
      rateLimit: registrations,
      takeMailRate: (address) => takeMailRate(backends.queue, mailboxOf(config, address)),
    },
    redeemCode: {
      codes,
      mails,
      events,
      table,
      pepper: config.CODE_PEPPER,
      prefix: config.API_KEY_PREFIX,
      budget,
      rateLimit: registrations,
    },
    keys: { table, keys, events },
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
    authenticate: authenticate(keys),
    meter: (operation) => meter(operations, operation),
    rateLimit: (queues) => rateLimit(backends.queue, backends.patientQueue, quotaOf(config), queues),
    assets: { '/assets/pages': `${assetsFolder}pages`, '/assets/swagger-ui': swaggerUiFolder() },
    trustProxyHops: config.TRUST_PROXY_HOPS,
    traceCallers: config.TRACE_CALLERS,
    deadlineMs: config.DEADLINE_MS,
  });
  const mailing = startMailing(config, backends, codes, events);
  const server = await listen(app, config.HOST, config.PORT, config.DEADLINE_MS);
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

function batchParts(
  config: GatewayConfig,
  backends: Backends,
  operations: OperationRecorder,
  closing: AbortSignal,
  events: GatewayEvents,
): Omit<BatchParts, 'documents'> {
  return {
    closing,
    events,
    lineBytesMax: config.JSON_BYTES_MAX,
    deadlineMs: config.BATCH_DEADLINE_MS,
    packsMax: config.KEY_CONCURRENCY_MAX,
    takeRows: (keyId, rows) => takeRows(backends.queue, keyId, rows, config.KEY_ROWS_PER_MINUTE_MAX),
    countRow: (ownerHash, rowId) => operations.record('generate', ownerHash, rowId),
  };
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
  return startInternalServer(config, metrics, backends.checks);
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

function mailboxOf(config: GatewayConfig, address: string): string {
  return hashAddress(foldAddress(address), config.CODE_PEPPER).toString('base64url');
}
