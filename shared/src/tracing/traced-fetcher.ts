import { FetchError } from '../fetch/fetch-error.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import { inSpan } from './trace.ts';

/** A fetcher whose errands show in traces: how long each took, how much it brought, and never where it went. */
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
