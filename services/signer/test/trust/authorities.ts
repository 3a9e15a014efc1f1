import { loadConfig } from '@scriptorium/shared/config';
import { AppError } from '@scriptorium/shared/errors';
import { createFetcher, type Fetcher } from '@scriptorium/shared/fetch/fetcher';
import { fetchSettings } from '@scriptorium/shared/fetch/settings';
import type { Pki } from '@scriptorium/testing/pki/pki';
import { z } from 'zod';
import type { ValidationData } from '../../src/keys/raw-signer.ts';
import { collectValidationData } from '../../src/trust/validation-data.ts';

/** A fetcher to which the servers of these authorities are open, and nothing else that is not public. */
export const fetcherTo = (...pkis: Pki[]): Fetcher =>
  createFetcher(
    loadConfig(z.object(fetchSettings), { FETCH_ALLOW: pkis.map(({ fetchAllow }) => fetchAllow).join() }),
  );

export const never = (): AbortSignal => new AbortController().signal;

/** Collects with access to these authorities alone. */
export const collectFrom = (pki: Pki, certificates: Buffer[]): Promise<ValidationData> =>
  collectValidationData(certificates, fetcherTo(pki), never());

/** The last part of the paths that were asked for since so many visits. */
export const pathsSince = (pki: Pki, since: number): string[] =>
  pki.visits.slice(since).map(({ path }) => path.split('/').at(-1) ?? '');

/** The AppError that something fails with; fails the test where there is none. */
export async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof AppError) return outcome;
  throw new Error(`expected an AppError, not ${String(outcome)}`, { cause: outcome });
}

/** What the log is told about a failure. */
export function causeOf(error: Error): string {
  const causes = [error.cause, ...(error instanceof AggregateError ? error.errors : [])];
  return causes
    .filter((cause) => cause instanceof Error)
    .map((cause) => `${cause.message} ${causeOf(cause)}`)
    .join(' ');
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
