import { createHash } from 'node:crypto';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import { ERRORS, unavailable } from '@scriptorium/contracts/errors';
import { sealBlob } from '@scriptorium/sealing/blob';
import { openedBlob } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import { hasEnded } from './job.ts';
import type { JobParts } from './job-secrets.ts';
import { BATCH_OPERATION, type StoredJob } from './job-table.ts';
import { outcomeOf, type Run } from './replay.ts';
import { runBatchJob } from './run-batch-job.ts';
import { lowerCase, sendPut } from './send-put.ts';
import { jobForNotification } from './show-job.ts';
import type { Keep, StepParts, Stepped } from './step-parts.ts';

/** A result outlives the time for its delivery. */
const RESULT_GRACE_MS = 4_200_000;
const NOTIFY_MS_MAX = 15_000;

/** The result of a run that one runner put into the store. */
export const resultKeyOf = (jobId: string, lease: string): string => `${jobId}.${lease}.result`;

/** Does what is due for a job. Rejects with the reason of the signal, or if the service cannot do it now. */
export async function step(
  job: StoredJob & { parts: JobParts },
  lease: string,
  parts: StepParts,
  signal: AbortSignal,
  keep: Keep,
): Promise<Stepped> {
  signal.throwIfAborted();
  if (hasEnded(job.state)) return notify(job, parts, signal);
  if (job.state === 'delivering') return deliver(job.parts, parts, signal);
  const request = await requestOf(job, parts);
  if ('happening' in request) return request;
  return job.operation === BATCH_OPERATION
    ? runBatchJob(job, request, parts, signal, keep)
    : run(job, lease, request, parts, signal);
}

const FULL: Stepped = {
  happening: {
    kind: 'refused',
    error: { code: 'CONCURRENCY_LIMIT', message: 'Results of your other jobs that wait have all the room.' },
  },
};
const LOST: Stepped = { happening: { kind: 'input lost' } };

/** The bytes of a blob. Null if they are gone. Throws UNAVAILABLE while the store is away. */
export const bytesOf = async (blobs: BlobStore, ref: BlobRef): Promise<Buffer | null> =>
  openedBlob(ref, await blobs.get(ref.key).catch(unavailable('document store')));

/** The request of a job, for its owner. */
async function requestOf(job: StoredJob & { parts: JobParts }, parts: StepParts): Promise<Run | Stepped> {
  const owner = await parts.ownerOf(job.keyId);
  if (owner === null) {
    const error = {
      code: 'AUTHENTICATION_ERROR',
      message: 'The API key was revoked, or has expired.',
    } as const;
    return { happening: { kind: 'refused', error } };
  }
  const { body: kept } = job.parts;
  const body =
    (await bytesOf(parts.blobs, job.parts.input)) ?? (kept === undefined ? null : Buffer.from(kept));
  if (body === null) return LOST;
  const { path, accept, form: headers } = job.parts;
  const maySignAsService = parts.maySignAsService(owner);
  return { jobId: job.id, owner, maySignAsService, path, accept, headers, body };
}

async function run(
  job: StoredJob & { parts: JobParts },
  lease: string,
  request: Run,
  parts: StepParts,
  signal: AbortSignal,
): Promise<Stepped> {
  if (await parts.isFull(job.ownerHash)) return FULL;
  const outcome = await parts.replay.run(request, signal, outcomeOf);
  request.body.fill(0);
  if ('failure' in outcome) {
    const { failure: error, retryAfterMs: afterMs } = outcome;
    return { happening: { kind: 'refused', error, afterMs } };
  }
  const { bytes, contentType, headers } = outcome;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { box, seal } = sealBlob(bytes);
  const result = { key: resultKeyOf(job.id, lease), bytes: bytes.length, seal };
  bytes.fill(0);
  const keepMs = job.delivery === null ? parts.resultMs : RESULT_GRACE_MS;
  await parts.blobs.put(result.key, box, keepMs).catch(unavailable('document store'));
  return {
    happening: { kind: 'answered', result: { contentType, bytes: result.bytes, sha256 } },
    changes: {
      parts: { ...job.parts, result, headers: { ...headers, 'content-type': contentType } },
      held: box.length,
    },
  };
}

async function deliver(
  { result, headers = {}, deliver: asked, body: request }: JobParts,
  { blobs, sender }: StepParts,
  signal: AbortSignal,
): Promise<Stepped> {
  if (result === undefined || asked?.put === undefined) return LOST;
  const body = await bytesOf(blobs, result);
  if (body === null) return request === undefined ? LOST : { happening: { kind: 'result lost' } };
  const { 'content-type': contentType = 'application/octet-stream', 'content-disposition': name } = headers;
  const named = asked.put.method !== undefined && name !== undefined && { 'content-disposition': name };
  const put = { ...asked.put, headers: { ...named, ...asked.put.headers } };
  const sent = await sendPut(sender, put, { body, contentType }, signal);
  body.fill(0);
  return { happening: 'reason' in sent ? { kind: 'not sent', ...sent } : { kind: 'sent', ...sent } };
}

async function notify(
  job: StoredJob & { parts: JobParts },
  { secrets, sender }: StepParts,
  signal: AbortSignal,
): Promise<Stepped> {
  const to = job.parts.notify;
  if (to === undefined) return { happening: { kind: 'notified', status: undefined } };
  if (to.failed !== undefined && job.state === 'succeeded')
    return { happening: { kind: 'notified', status: 204 } };
  const data = jobForNotification(job);
  const body = JSON.stringify(
    to.failed === undefined
      ? { type: `job.${job.state}`, timestamp: data.endedAt, data }
      : { status: statusOf(job), message: data.error?.message ?? `The job is ${job.state}.` },
  );
  const signed = secrets.webhookHeaders(job.keyId, `msg_${job.id}`, Math.floor(Date.now() / 1000), body);
  const within = AbortSignal.any([signal, AbortSignal.timeout(NOTIFY_MS_MAX)]);
  const status = await sender
    .send(to.url, {
      method: to.failed?.method ?? 'POST',
      body: Buffer.from(body),
      headers: { ...lowerCase(to.failed?.headers), 'content-type': 'application/json', ...signed },
      signal: within,
    })
    .then(
      (answer) => answer.status,
      () => {
        signal.throwIfAborted();
        return undefined;
      },
    );
  return { happening: { kind: 'notified', status } };
}

/** A canceled job has no error. */
const statusOf = ({ error }: StoredJob): number => (error === null ? 409 : ERRORS[error.code].status);
