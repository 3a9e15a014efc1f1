import { annotateJob } from '@scriptorium/contracts/jobs/annotate';
import { convertJob } from '@scriptorium/contracts/jobs/convert';
import { signJob } from '@scriptorium/contracts/jobs/sign';
import { verifyJob } from '@scriptorium/contracts/jobs/verify';
import { isUp, within } from '@scriptorium/shared/health';
import type { HealthReport } from '@scriptorium/shared/http/answers';
import type { LoaderCensus, SandboxCensus, WorkerCensus } from '@scriptorium/shared/queue/workers';
import type { Backends } from './backends.ts';
import type { JobClients } from './job-clients.ts';

/** The dependencies of a gateway. A check that throws or does not resolve in time counts as down. */
export interface HealthChecks {
  queue(): Promise<unknown>;
  store(): Promise<unknown>;
  database(): Promise<unknown>;
  /** Whether keys can be checked, with or without the database. */
  keys(): Promise<unknown>;
  converters(): Promise<WorkerCensus>;
  annotators(): Promise<WorkerCensus>;
  signers(): Promise<WorkerCensus>;
  verifiers(): Promise<WorkerCensus>;
}

export interface CheckResults {
  queue: 'up' | 'down';
  store: 'up' | 'down';
  database: 'up' | 'down';
  converters: number;
  annotators: number;
  signers: number;
  verifiers: number;
  /** Shown for information. It does not change the status, since the operator chose the degraded mode. */
  sandbox: SandboxCensus;
  /** Shown for information, too. */
  loader: LoaderCensus;
}

export function healthChecks(backends: Backends, clients: JobClients): HealthChecks {
  return {
    ...backends.checks,
    keys: backends.checkKeys,
    converters: clients.of(convertJob).shedder.census,
    annotators: clients.of(annotateJob).shedder.census,
    signers: clients.of(signJob).shedder.census,
    verifiers: clients.of(verifyJob).shedder.census,
  };
}

/** Runs all checks at once. Resolves within 1.8 s even if a check hangs. */
export async function checkHealth(checks: HealthChecks): Promise<HealthReport<CheckResults>> {
  const [queue, store, database, keys, converters, annotators, signers, verifiers] = await Promise.all([
    isUp(checks.queue()),
    isUp(checks.store()),
    isUp(checks.database()),
    isUp(checks.keys()),
    availableWorkers(checks.converters()),
    availableWorkers(checks.annotators()),
    availableWorkers(checks.signers()),
    availableWorkers(checks.verifiers()),
  ]);
  const canServe = queue === 'up' && store === 'up' && keys === 'up';
  const areWorkersUp = [converters, annotators, signers, verifiers].every(({ workers }) => workers > 0);
  return {
    status: canServe && database === 'up' && areWorkersUp ? 'healthy' : 'degraded',
    canServe,
    checks: {
      queue,
      store,
      database,
      converters: converters.workers,
      annotators: annotators.workers,
      signers: signers.workers,
      verifiers: verifiers.workers,
      sandbox: converters.sandbox,
      loader: converters.loader,
    },
  };
}

/** Returns 0 workers if the census fails. */
async function availableWorkers(
  census: Promise<WorkerCensus>,
): Promise<Pick<WorkerCensus, 'workers' | 'sandbox' | 'loader'>> {
  return within(census).catch(() => ({
    workers: 0,
    sandbox: 'unknown' as const,
    loader: 'unknown' as const,
  }));
}
