import type { SandboxCensus, WorkerCensus } from '@scriptorium/shared/queue/workers';

const CHECK_MS_MAX = 1_800;

/** What a gateway needs to serve; each check throws, or resolves in time, or counts as down. */
export interface HealthChecks {
  queue(): Promise<unknown>;
  store(): Promise<unknown>;
  database(): Promise<unknown>;
  converters(): Promise<WorkerCensus>;
}

export interface HealthReport {
  status: 'healthy' | 'degraded';
  /** Whether requests can be answered at all. */
  canServe: boolean;
  checks: {
    queue: 'up' | 'down';
    store: 'up' | 'down';
    database: 'up' | 'down';
    converters: number;
    /** An operator who runs without walls has said so: it shows, and changes no status. */
    sandbox: SandboxCensus;
  };
}

/** Asks everything at once; answers within 1.8 s whatever hangs. */
export async function checkHealth(checks: HealthChecks): Promise<HealthReport> {
  const [queue, store, database, { converters, sandbox }] = await Promise.all([
    isUp(checks.queue()),
    isUp(checks.store()),
    isUp(checks.database()),
    within(checks.converters()).then(
      ({ capacity, workers, sandbox }) => ({ converters: capacity > 0 ? workers : 0, sandbox }),
      () => ({ converters: 0, sandbox: 'unknown' as const }),
    ),
  ]);
  const canServe = queue === 'up' && store === 'up' && database === 'up';
  return {
    status: canServe && converters > 0 ? 'healthy' : 'degraded',
    canServe,
    checks: { queue, store, database, converters, sandbox },
  };
}

async function isUp(check: Promise<unknown>): Promise<'up' | 'down'> {
  return within(check).then(
    () => 'up',
    () => 'down',
  );
}

function within<T>(check: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), CHECK_MS_MAX);
    check.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
