import { isUp, within } from '@scriptorium/shared/health';
import type { HealthReport } from '@scriptorium/shared/http/answers';
import type { SandboxCensus, WorkerCensus } from '@scriptorium/shared/queue/workers';

/** What a gateway needs to serve; each check throws, or resolves in time, or counts as down. */
export interface HealthChecks {
  queue(): Promise<unknown>;
  store(): Promise<unknown>;
  database(): Promise<unknown>;
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
  /** An operator who runs without walls has said so: it shows, and changes no status. */
  sandbox: SandboxCensus;
}

/** Asks everything at once; answers within 1.8 s whatever hangs. */
export async function checkHealth(checks: HealthChecks): Promise<HealthReport<CheckResults>> {
  const [queue, store, database, converters, annotators, signers, verifiers] = await Promise.all([
    isUp(checks.queue()),
    isUp(checks.store()),
    isUp(checks.database()),
    takingJobs(checks.converters()),
    takingJobs(checks.annotators()),
    takingJobs(checks.signers()),
    takingJobs(checks.verifiers()),
  ]);
  const canServe = queue === 'up' && store === 'up' && database === 'up';
  const isManned = [converters, annotators, signers, verifiers].every(({ workers }) => workers > 0);
  return {
    status: canServe && isManned ? 'healthy' : 'degraded',
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
    },
  };
}

/** None where nobody can tell, or where all have something to mend first. */
async function takingJobs(census: Promise<WorkerCensus>): Promise<Pick<WorkerCensus, 'workers' | 'sandbox'>> {
  return within(census).then(
    ({ capacity, workers, sandbox }) => ({ workers: capacity > 0 ? workers : 0, sandbox }),
    () => ({ workers: 0, sandbox: 'unknown' as const }),
  );
}
