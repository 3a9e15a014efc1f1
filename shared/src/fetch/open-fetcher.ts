import { z } from 'zod';
import { loadConfig } from '../config.ts';
import { reportingFetcher } from '../metrics/fetch-metrics.ts';
import { noteToOwner } from '../threads/thread.ts';
import { createFetcher, type Fetcher } from './fetcher.ts';
import { fetchSettings } from './settings.ts';

/** The fetcher of a thread, which gets `FETCH…` as they were written, and notes how each fetch ended. Throws ConfigError. */
export function openFetcher(written: Record<string, string>): Fetcher {
  return reportingFetcher(createFetcher(loadConfig(z.object(fetchSettings), written)), noteToOwner);
}
