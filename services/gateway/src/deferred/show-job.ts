import { ERRORS } from '@scriptorium/contracts/errors';
import { hasEnded, type ShownJob } from './job.ts';
import type { StoredJob } from './job-table.ts';

const SHOWN_URL = /^[^?#]*/;

/** An address without what may be a credential in it. */
const withoutQuery = (url: string): string => SHOWN_URL.exec(url)?.[0] ?? '';

/** A job as its owner sees it. */
export function showJob(job: StoredJob): ShownJob {
  const { id, operation, state, createdAt, startedAt, endedAt, error, result, delivery, notification } = job;
  const { progress, uploaded } = job;
  const { deliver, notify, headers = {} } = job.parts ?? {};
  const isNotified = notify !== undefined && (notify.failed === undefined || state !== 'succeeded');
  const waits = state === 'succeeded' && deliver === undefined && uploaded === null;
  return {
    ...{ id, operation, status: state, createdAt: new Date(createdAt).toISOString() },
    ...(startedAt !== null && { startedAt: new Date(startedAt).toISOString() }),
    ...(endedAt !== null && hasEnded(state) && { endedAt: new Date(endedAt).toISOString() }),
    ...(error !== null && { error }),
    ...(result !== null && {
      result: { ...result, headers, ...(waits && { url: `/v1/jobs/${id}/result` }) },
    }),
    ...(delivery !== null &&
      deliver?.put && { delivery: { ...delivery, url: withoutQuery(deliver.put.url) } }),
    ...(progress !== null && { progress }),
    ...(uploaded !== null && { parts: uploaded }),
    ...(notification !== null &&
      isNotified && { notification: { ...notification, url: withoutQuery(notify.url) } }),
  };
}

/** The same for a notification: without messages and headers, which may quote a document or data. */
export function jobForNotification(job: StoredJob): ShownJob {
  const { error, result, progress, notification: _, ...shown } = showJob(job);
  return {
    ...shown,
    ...(error && { error: { code: error.code, message: ERRORS[error.code].when } }),
    ...(result && { result: { ...result, headers: {} } }),
    ...(progress && { progress: { ...progress, failures: [] } }),
  };
}
