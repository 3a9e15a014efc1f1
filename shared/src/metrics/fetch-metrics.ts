import { FetchError } from '@scriptorium/fetching/error';
import type { Fetcher } from '../fetch/fetcher.ts';
import type { Metrics } from './metrics.ts';

/** Counts the outcomes of fetches, without their addresses. */
export function fetchCounter(metrics: Metrics): (outcome: string) => void {
  const fetches = metrics.counter('fetches_total', 'Fetches of URLs, by outcome', ['outcome']);
  return (outcome) => fetches.inc({ outcome });
}

/** Makes a fetcher that reports the outcome of each fetch: `fetched`, the failure of a FetchError, or `aborted`. */
export function reportingFetcher(fetcher: Fetcher, report: (outcome: string) => void): Fetcher {
  return {
    async fetch(url, options) {
      try {
        const bytes = await fetcher.fetch(url, options);
        report('fetched');
        return bytes;
      } catch (error) {
        report(error instanceof FetchError ? error.failure : 'aborted');
        throw error;
      }
    },
  };
}
