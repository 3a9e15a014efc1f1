import { signJob } from '@scriptorium/contracts/jobs/sign';
import { loadConfig } from '@scriptorium/shared/config';
import { startInternalServer } from '@scriptorium/shared/http/internal-server';
import { closeOnSignal, start } from '@scriptorium/shared/lifecycle';
import { createLogger } from '@scriptorium/shared/logger';
import { watchDependencies } from '@scriptorium/shared/metrics/dependency-metrics';
import { fetchCounter } from '@scriptorium/shared/metrics/fetch-metrics';
import { jobMetrics } from '@scriptorium/shared/metrics/job-metrics';
import { createMetrics } from '@scriptorium/shared/metrics/metrics';
import { packageVersion } from '@scriptorium/shared/package-version';
import { openWorkerBackends } from '@scriptorium/shared/queue/worker-backends';
import { unsealer } from '@scriptorium/shared/secrets/unsealer';
import { warmUpBy } from '@scriptorium/shared/threads/settings';
import { startTracing, traceFieldsFor } from '@scriptorium/shared/tracing/start';
import { refuseDevelopmentKey, signerSettings, signSettings } from './config.ts';
import { signerEvents } from './events.ts';
import { openRefWith } from './handler.ts';
import { profileWarnings } from './keys/profiles.ts';
import { publicSigningKey } from './keys/public-key.ts';
import { signerMetrics } from './metrics.ts';
import { openProfiles, readAuthorities } from './open-tools.ts';
import { signThreads } from './sign-threads.ts';
import { startWorkers } from './start-workers.ts';

await start('signer', async () => {
  const config = loadConfig(signerSettings);
  const version = await packageVersion(import.meta.url);
  const metrics = createMetrics('signer', version);
  const logger = createLogger('signer', config.LOG_LEVEL, traceFieldsFor(config));
  const events = signerEvents(logger, signerMetrics(metrics));
  const tracing = await startTracing(config, { service: 'signer', version }, logger);
  const settings = signSettings(config, version);
  // Opened here too: a mistake ends the start, and a new development key exists before the threads look for it.
  const { profiles, service, otherChains, isDevelopmentKey } = await openProfiles(settings);
  await readAuthorities(settings);
  if (isDevelopmentKey) refuseDevelopmentKey(config);
  const key = publicSigningKey(service, isDevelopmentKey);
  const signing = signThreads({
    threads: config.SIGNERS,
    requestsMax: config.THREAD_DOCUMENTS_MAX,
    onNote: fetchCounter(metrics),
    data: settings,
  });
  await warmUpBy(config, () => signing.ready());
  const backends = openWorkerBackends(config, config.SIGNER_JOB_SECRET);
  watchDependencies(metrics, backends.checks);
  const internal = await startInternalServer(config, metrics, backends.checks);
  const workers = startWorkers({
    backends,
    capacity: config.SIGNERS,
    signing,
    opening: {
      unseal: unsealer(config.SIGNER_SECRET, 'SIGNER_SECRET'),
      openRef: openRefWith(backends.secret),
    },
    key,
    otherChains,
    events,
    metrics: jobMetrics(metrics),
  });
  const parts = [internal.readiness, workers, signing, backends, tracing, internal];
  closeOnSignal(events.logger, parts, signJob.timeoutMs);
  for (const warning of profileWarnings(profiles, new Date())) events.profileTrouble(warning);
  if (isDevelopmentKey) events.developmentKey(config.DEVELOPMENT_KEY_DIR ?? '');
  events.ready(config.SIGNERS, key, internal.address);
});
