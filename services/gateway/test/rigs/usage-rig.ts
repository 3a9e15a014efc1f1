import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@scriptorium/database/pool';
import { appendUsage, documentOf } from '@scriptorium/usage/inbox';
import { licenseTable } from '@scriptorium/usage/licenses';
import { storeUsage } from '@scriptorium/usage/store';
import type { Rig } from './rig.ts';

const COUNT_MS_MAX = 30_000;

export interface UsageReply {
  from: string;
  to: string;
  periods: { start: string; end: string; group?: string; documents: number; opens: number }[];
  totals: { documents: number; opens: number };
  groups?: { group: string; documents: number; opens: number }[];
  truncated: boolean;
}

export const newLicense = (): string => `lic-${randomBytes(8).toString('hex')}`;

/** Registers a license of the owner of the key, with the metadata keys to count by. */
export async function registerLicense(
  { database }: Rig,
  apiKeyId: string,
  metadataKeys: string[] = [],
): Promise<string> {
  const license = newLicense();
  await licenseTable(database).put(license, { apiKeyId, metadataKeys });
  return license;
}

/** Each open consists of a day (or a time) and a document. */
export async function open(
  { database }: Rig,
  license: string,
  opens: readonly (readonly [at: string, document: string])[],
  metadata: [string, string][] = [],
): Promise<void> {
  const entry = {
    license,
    metadata,
    opens: opens.map(([at, document]): [number, string] => [Date.parse(at), documentOf(document)]),
  };
  await appendUsage(database, [entry]);
}

/** Counts everything that has been accepted, even while another consumer is counting. */
export async function count(database: Database): Promise<void> {
  for (const end = Date.now() + COUNT_MS_MAX; Date.now() < end; ) {
    const stored = await storeUsage(database);
    if (stored !== null && stored.occurrences === 0 && !stored.isMore) return;
    if (stored === null) await sleep(20);
  }
  throw new Error('counting did not end');
}

export function askUsage(rig: Rig, key: string, query = '', accept = 'application/json'): Promise<Response> {
  return fetch(`${rig.url}/v1/usage?${query}`, { headers: { authorization: `Bearer ${key}`, accept } });
}

export async function readUsage(rig: Rig, key: string, query = ''): Promise<UsageReply> {
  const response = await askUsage(rig, key, query);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as UsageReply;
}
