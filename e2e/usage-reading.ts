import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './service.ts';

/** An operation is written within 200 ms, and counted within another 100 ms. */
const SETTLE_MS = 1_000;

export interface Counts {
  documents: number;
  opens: number;
}

/** The response of `GET /v1/usage`, as far as these tests read it. */
export interface UsageAnswer {
  totals: Counts;
  groups: (Counts & { group: string })[];
}

/** The usage of the current month, grouped by `groupBy`. */
export async function readUsage(url: string, key: string, groupBy: string): Promise<UsageAnswer> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v1/usage?granularity=month&groupBy=${groupBy}`, { headers });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as UsageAnswer;
}

/**
 * Documents by group, once that many opens and operations are counted and could have been counted twice; or after a minute.
 */
export async function usageOf(
  url: string,
  key: string,
  groupBy: string,
  opens: number,
): Promise<Record<string, number>> {
  const isCounted = async () => (await readUsage(url, key, groupBy)).totals.opens >= opens;
  await until('it is counted', isCounted, 60_000).catch(() => undefined);
  await sleep(SETTLE_MS);
  const { groups } = await readUsage(url, key, groupBy);
  return Object.fromEntries(groups.map(({ group, documents }) => [group, documents]));
}
