import { FetchError } from '../fetch/fetch-error.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import type { Metrics } from './metrics.ts';

/** Counts how fetches end; the addresses are nobody's business. */
export function fetchCounter(metrics: Metrics): (outcome: string) => void {
  const fetches = metrics.counter('fetches_total', 'URLs that were to be fetched, by what became of it', [
    'outcome',
  ]);
  return (outcome) => fetches.inc({ outcome });
}

/** A fetcher that reports how each fetch ended: `fetched`, the failure of a FetchError, or `aborted`. */
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
