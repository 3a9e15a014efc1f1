import { loadConfig } from '@scriptorium/shared/config';
import { createFetcher, type Fetcher } from '@scriptorium/shared/fetch/fetcher';
import { fetchSettings } from '@scriptorium/shared/fetch/settings';
import { reportingFetcher } from '@scriptorium/shared/metrics/fetch-metrics';
import { noteToOwner } from '@scriptorium/shared/threads/thread';
import { z } from 'zod';

/** The fetcher of a thread, which gets `FETCH…` as they were written, and notes how each fetch ended. Throws ConfigError. */
export function openFetcher(written: Record<string, string>): Fetcher {
  return reportingFetcher(createFetcher(loadConfig(z.object(fetchSettings), written)), noteToOwner);
}
