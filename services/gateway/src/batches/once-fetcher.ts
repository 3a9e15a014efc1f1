import type { Fetcher } from '@scriptorium/shared/fetch/fetcher';

const CACHE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Fetches each address once for all rows of a batch. `signal` ends with the batch: a row that is given up must not end the
 * fetch for the others. A failure is not kept, so that the next row tries again. What exceeds the cache is fetched again.
 */
export function onceFetcher(fetcher: Fetcher, signal: AbortSignal): Fetcher {
  const known = new Map<string, Promise<Buffer>>();
  let held = 0;
  return {
    fetch(url, { bytesMax, signal: until, post }) {
      if (post !== undefined) return fetcher.fetch(url, { bytesMax, signal: until, post });
      const cached = known.get(url);
      if (cached !== undefined) return cached;
      const fetched = fetcher.fetch(url, { bytesMax, signal });
      known.set(url, fetched);
      fetched.then(
        (bytes) => {
          if (held + bytes.length > CACHE_BYTES_MAX) known.delete(url);
          else held += bytes.length;
        },
        () => known.delete(url),
      );
      return fetched;
    },
  };
}
