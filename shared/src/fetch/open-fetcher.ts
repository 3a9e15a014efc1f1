import { reportingFetcher } from '../metrics/fetch-metrics.ts';
import { noteToOwner } from '../threads/thread.ts';
import { createFetcher, type Fetcher } from './fetcher.ts';
import type { FetchConfig } from './settings.ts';

/** Opens the fetcher of a thread. It reports the outcome of each fetch to the owner of the thread. */
export function openFetcher(config: FetchConfig): Fetcher {
  return reportingFetcher(createFetcher(config), noteToOwner);
}
