import { verifyJob } from '@scriptorium/contracts/jobs/verify';
import { loadConfig } from '@scriptorium/shared/config';
import { startInternalServer } from '@scriptorium/shared/http/internal-server';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { watchDependencies } from '@scriptorium/shared/metrics/dependency-metrics';
import { fetchCounter } from '@scriptorium/shared/metrics/fetch-metrics';
import { jobMetrics } from '@scriptorium/shared/metrics/job-metrics';
import { createMetrics } from '@scriptorium/shared/metrics/metrics';
import { packageVersion } from '@scriptorium/shared/package-version';
import { startJobWorker } from '@scriptorium/shared/queue/worker';
import { openWorkerBackends, workerParts } from '@scriptorium/shared/queue/worker-backends';
import { unsealer } from '@scriptorium/shared/secrets/unsealer';
import { warmUpBy } from '@scriptorium/shared/threads/settings';
import { startTracing, traceFieldsFor } from '@scriptorium/shared/tracing/start';
import { traced } from '@scriptorium/shared/tracing/trace';
import { laneOfThreads } from '@scriptorium/shares/lane';
import { trustedListSettings, verifierSettings, verifySettings } from './config.ts';
import { verifierEvents } from './events.ts';
import { verifyHandler } from './handler.ts';
import { watchCertificate } from './metrics.ts';
import { startSecondReader } from './second-reader.ts';
import { watchServiceCertificate } from './service-certificate.ts';
import { watchTrustedLists } from './trusted-lists.ts';
import { verifyThreads } from './verify-threads.ts';

await start('verifier', async () => {
  const config = loadConfig(verifierSettings);
  const logger = createLogger('verifier', config.LOG_LEVEL, traceFieldsFor(config));
  const version = await packageVersion(import.meta.url);
  const tracing = await startTracing(config, { service: 'verifier', version }, logger);
  const events = verifierEvents(logger);
  const metrics = createMetrics('verifier', version);
  const { host: poppler, why } = await startSecondReader(config, { onEnd: events.secondReaderEnded });
  events.secondReader(poppler !== undefined, why);
  const settings = await verifySettings(config, poppler && { name: poppler.name });
  const listSettings = await trustedListSettings(config);
  const onNote = fetchCounter(metrics);
  const threads = verifyThreads({
    threads: config.VERIFIERS,
    requestsMax: config.THREAD_DOCUMENTS_MAX,
    onNote,
    data: settings,
  });
  const lists = listSettings && watchTrustedLists(listSettings, events.trustedLists, { onNote });
  await warmUpBy(config, () => threads.ready());
  const backends = openWorkerBackends(config, config.VERIFIER_JOB_SECRET);
  watchDependencies(metrics, backends.checks);
  const certificate = watchServiceCertificate(backends.queue, events.certificate);
  watchCertificate(metrics, certificate.isKnown);
  const internal = await startInternalServer(config, metrics, backends.checks);
  const jobs = jobMetrics(metrics);
  const unseal = unsealer(config.VERIFIER_SECRET, 'VERIFIER_SECRET');
  const verifying = { verify: traced('verify', threads.verify) };
  const worker = startJobWorker(
    verifyJob,
    verifyHandler(verifying, jobs.weighed(verifyJob.name, backends.blobs), certificate, unseal, lists),
    workerParts(backends, jobs, verifyJob.name, {
      concurrency: config.VERIFIERS,
      engine: () => ({ sandbox: poppler?.isUp ? 'enforced' : 'degraded' }),
      events: events.verify,
      lane: laneOfThreads(config.VERIFIERS),
    }),
  );
  const parts = [
    internal.readiness,
    worker,
    certificate,
    threads,
    ...(poppler ? [poppler] : []),
    ...(lists ? [lists] : []),
    backends,
    tracing,
    internal,
  ];
  closeOnSignal(logger, parts, verifyJob.timeoutMs);
  events.ready(config.VERIFIERS, internal.address);
});
