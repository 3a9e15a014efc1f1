import { loadConfig } from '@scriptorium/shared/config';
import { createFetcher, type Fetcher } from '@scriptorium/shared/fetch/fetcher';
import { fetchSettings } from '@scriptorium/shared/fetch/settings';
import { z } from 'zod';

/** The fetcher of a thread, which gets `FETCH…` as they were written. Throws ConfigError. */
export function openFetcher(written: Record<string, string>): Fetcher {
  return createFetcher(loadConfig(z.object(fetchSettings), written));
}
