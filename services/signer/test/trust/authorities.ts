import { loadConfig } from '@scriptorium/shared/config';
import { AppError } from '@scriptorium/shared/errors';
import { createFetcher, type Fetcher } from '@scriptorium/shared/fetch/fetcher';
import { fetchSettings } from '@scriptorium/shared/fetch/settings';
import type { Pki } from '@scriptorium/shared/testing/pki/pki';
import { z } from 'zod';

/** A fetcher to which the servers of these authorities are open, and nothing else that is not public. */
export const fetcherTo = (...pkis: Pki[]): Fetcher =>
  createFetcher(
    loadConfig(z.object(fetchSettings), { FETCH_ALLOW: pkis.map(({ fetchAllow }) => fetchAllow).join() }),
  );

export const never = (): AbortSignal => new AbortController().signal;

/** The AppError that something fails with; fails the test where there is none. */
export async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof AppError) return outcome;
  throw new Error(`expected an AppError, not ${String(outcome)}`, { cause: outcome });
}

/** What the log is told about a failure. */
export function causeOf(error: Error): string {
  const { cause } = error;
  if (!(cause instanceof Error)) return '';
  return `${cause.message} ${causeOf(cause)}`;
}

/** Has these authorities go wrong in one way for as long as `work` takes. */
export async function withFault<T>(pki: Pki, fault: Pki['faults'], work: () => Promise<T>): Promise<T> {
  Object.assign(pki.faults, fault);
  try {
    return await work();
  } finally {
    for (const part of Object.keys(fault) as (keyof Pki['faults'])[]) delete pki.faults[part];
  }
}
