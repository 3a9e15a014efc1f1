import type { Database } from '@scriptorium/database/pool';
import type { HealthReport } from '@scriptorium/shared/http/answers';
import { inboxAgeSeconds } from '@scriptorium/usage/inbox';

/** If the oldest uncounted opens are older, probably no consumer is running. */
const AGE_SECONDS_MAX = 60;

export interface CheckResults {
  database: 'up' | 'down';
  /** Age of the oldest uncounted opens. Null while the database is down. */
  uncountedSeconds: number | null;
}

export async function checkHealth(
  database: Database,
  isMigrated: () => boolean,
): Promise<HealthReport<CheckResults>> {
  const age = isMigrated() ? await inboxAgeSeconds(database).catch(() => null) : null;
  return {
    status: age !== null && age <= AGE_SECONDS_MAX ? 'healthy' : 'degraded',
    canServe: age !== null,
    checks: { database: age === null ? 'down' : 'up', uncountedSeconds: age },
  };
}
