import { reportingFetcher } from '../metrics/fetch-metrics.ts';
import { noteToOwner } from '../threads/thread.ts';
import { createFetcher, type Fetcher } from './fetcher.ts';
import type { FetchConfig } from './settings.ts';

/** The fetcher of a thread. It reports to the owner of the thread how each fetch ended. */
export function openFetcher(config: FetchConfig): Fetcher {
  return reportingFetcher(createFetcher(config), noteToOwner);
}
