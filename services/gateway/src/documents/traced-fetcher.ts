import { FetchError } from '@scriptorium/fetching/error';
import type { Fetcher } from '@scriptorium/shared/fetch/fetcher';
import { inSpan } from '@scriptorium/shared/tracing/trace';

/** Wraps a fetcher in spans with the time and the size of each fetch, but without the address. */
export function tracedFetcher(fetcher: Fetcher): Fetcher {
  return {
    fetch: (url, options) =>
      inSpan(
        'fetch',
        {
          kind: 'client',
          attributes: { 'http.request.method': options.post ? 'POST' : 'GET' },
          errorType: (error) => (error instanceof FetchError ? error.failure : 'aborted'),
        },
        async (span) => {
          const bytes = await fetcher.fetch(url, options);
          span?.set({ 'scriptorium.bytes': bytes.length });
          return bytes;
        },
      ),
  };
}
