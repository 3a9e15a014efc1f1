import { ACCESS } from '@scriptorium/contracts/access';
import type { JobDefinition } from '@scriptorium/contracts/define-job';
import { ROLES, type Role } from '@scriptorium/contracts/services';
import { isUp, within } from '@scriptorium/shared/health';
import type { HealthReport } from '@scriptorium/shared/http/answers';
import type { LoaderCensus, SandboxCensus, WorkerCensus } from '@scriptorium/shared/queue/workers';
import type { z } from 'zod';
import type { Backends } from './backends.ts';
import type { JobClients } from './job-clients.ts';

/** The dependencies of a gateway. A check that throws or does not resolve in time counts as down. */
export interface HealthChecks {
  queue(): Promise<unknown>;
  store(): Promise<unknown>;
  database(): Promise<unknown>;
  /** Whether keys can be checked, with or without the database. */
  keys(): Promise<unknown>;
  workers(role: Role): Promise<WorkerCensus>;
}

/** Each kind of workers has its number, such as `converters`. */
export interface CheckResults extends Record<`${Role}s`, number> {
  queue: 'up' | 'down';
  store: 'up' | 'down';
  database: 'up' | 'down';
  /** Shown for information. It does not change the status, since the operator chose the degraded mode. */
  sandbox: SandboxCensus;
  /** Shown for information, too. */
  loader: LoaderCensus;
  /** The same: it is a choice of the operator whether there is one. */
  secondReader: 'up' | 'missing' | 'unknown';
}

export function healthChecks(backends: Backends, clients: JobClients): HealthChecks {
  return {
    ...backends.checks,
    keys: backends.checkKeys,
    /** All workers of a kind take its first job. */
    async workers(role) {
      const job: JobDefinition<z.ZodType, z.ZodType> | undefined = ACCESS.jobs.find(
        (each) => each.role === role,
      );
      if (job === undefined) throw new Error(`there is no job of a ${role}`);
      return clients.of(job).shedder.census();
    },
  };
}

/** Runs all checks at once. Resolves within 1.8 s even if a check hangs. */
export async function checkHealth(checks: HealthChecks): Promise<HealthReport<CheckResults>> {
  const [queue, store, database, keys, ...workers] = await Promise.all([
    isUp(checks.queue()),
    isUp(checks.store()),
    isUp(checks.database()),
    isUp(checks.keys()),
    ...ROLES.map((role) => availableWorkers(checks.workers(role))),
  ]);
  const canServe = queue === 'up' && store === 'up' && keys === 'up';
  const areWorkersUp = workers.every(({ count }) => count > 0);
  const counts = ROLES.map((role, at) => [`${role}s`, workers[at]?.count ?? 0]);
  const { sandbox, loader } = workers[ROLES.indexOf('converter')] ?? NO_WORKERS;
  const { sandbox: ofVerifiers } = workers[ROLES.indexOf('verifier')] ?? NO_WORKERS;
  return {
    status: canServe && database === 'up' && areWorkersUp ? 'healthy' : 'degraded',
    canServe,
    checks: {
      queue,
      store,
      database,
      ...(Object.fromEntries(counts) as Record<`${Role}s`, number>),
      sandbox,
      loader,
      secondReader: SECOND_READERS[ofVerifiers],
    },
  };
}

/** A verifier runs its second reader in the sandbox, or not at all. */
const SECOND_READERS = { enforced: 'up', degraded: 'missing', unknown: 'unknown' } as const;
const NO_WORKERS = { count: 0, sandbox: 'unknown', loader: 'unknown' } as const;

/** Returns 0 workers if the census fails. */
async function availableWorkers(
  census: Promise<WorkerCensus>,
): Promise<Pick<WorkerCensus, 'sandbox' | 'loader'> & { count: number }> {
  return within(census).then(
    ({ workers, sandbox, loader }) => ({ count: workers, sandbox, loader }),
    () => NO_WORKERS,
  );
}
