import { hasEnded, type ShownJob } from './job.ts';
import type { SealedPart } from './job-secrets.ts';
import type { StoredJob } from './job-table.ts';

const SHOWN_URL = /^[^?#]*/;

/** An address without what may be a credential in it. */
const withoutQuery = (url: string): string => SHOWN_URL.exec(url)?.[0] ?? '';

export function showJob(job: StoredJob, { deliver, notify, headers = {} }: SealedPart): ShownJob {
  const { id, operation, state, createdAt, startedAt, endedAt, error, result, delivery, notification } = job;
  const waits = state === 'succeeded' && deliver === undefined;
  return {
    ...{ id, operation, status: state, createdAt: new Date(createdAt).toISOString() },
    ...(startedAt !== null && { startedAt: new Date(startedAt).toISOString() }),
    ...(endedAt !== null && hasEnded(state) && { endedAt: new Date(endedAt).toISOString() }),
    ...(error !== null && { error }),
    ...(result !== null && {
      result: { ...result, headers, ...(waits && { url: `/v1/jobs/${id}/result` }) },
    }),
    ...(delivery !== null && deliver && { delivery: { ...delivery, url: withoutQuery(deliver.put.url) } }),
    ...(notification !== null &&
      notify && { notification: { ...notification, url: withoutQuery(notify.url) } }),
  };
}
