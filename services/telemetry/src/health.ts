import type { Database } from '@scriptorium/shared/db/pool';
import type { HealthReport } from '@scriptorium/shared/http/answers';
import { inboxAgeSeconds } from '@scriptorium/usage/inbox';

/** What is not counted within this time is a sign that no consumer runs. */
const AGE_SECONDS_MAX = 60;

export interface CheckResults {
  database: 'up' | 'down';
  /** Age of the oldest opens that are not counted yet; null while the database is away. */
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
