import { createHash } from 'node:crypto';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import { unavailable } from '@scriptorium/contracts/errors';
import { sealBlob } from '@scriptorium/sealing/blob';
import { openedBlob } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { Sender } from '@scriptorium/shared/fetch/fetcher';
import type { KeyOwner } from '../auth/api-keys.ts';
import { hasEnded } from './job.ts';
import type { JobParts, JobSecrets } from './job-secrets.ts';
import type { StoredJob } from './job-table.ts';
import type { Happening } from './next.ts';
import type { Replay } from './replay.ts';
import { jobForNotification } from './show-job.ts';

/** A result outlives the time for its delivery. */
const RESULT_GRACE_MS = 4_200_000;
const SEND_MS_MAX = 120_000;
const NOTIFY_MS_MAX = 15_000;

export interface StepParts {
  secrets: JobSecrets;
  blobs: BlobStore;
  sender: Sender;
  replay: Replay;
  /** The active key with this id, which has not expired. */
  ownerOf(keyId: string): Promise<KeyOwner | null>;
  maySignAsService(owner: KeyOwner): boolean;
  /** How long a result that is not delivered waits, ms. */
  resultMs: number;
}

/** What a step of a job came to. */
export interface Stepped {
  happening: Happening;
  /** What the job has from now on, besides its course. */
  changes?: Pick<StoredJob, 'parts' | 'held'>;
}

/** The result of a run that one runner put into the store. */
export const resultKeyOf = (jobId: string, lease: string): string => `${jobId}.${lease}.result`;

/** Does what is due for a job. Rejects with the reason of the signal, or if the service cannot do it now. */
export function step(
  job: StoredJob & { parts: JobParts },
  lease: string,
  parts: StepParts,
  signal: AbortSignal,
): Promise<Stepped> {
  if (hasEnded(job.state)) return notify(job, parts, signal);
  return job.state === 'delivering' ? deliver(job.parts, parts, signal) : run(job, lease, parts, signal);
}

const LOST: Stepped = { happening: { kind: 'input lost' } };

/** The bytes of a blob. Null if they are gone. Throws UNAVAILABLE while the store is away. */
export const bytesOf = async (blobs: BlobStore, ref: BlobRef): Promise<Buffer | null> =>
  openedBlob(ref, await blobs.get(ref.key).catch(unavailable('document store')));

async function run(
  job: StoredJob & { parts: JobParts },
  lease: string,
  parts: StepParts,
  signal: AbortSignal,
): Promise<Stepped> {
  const owner = await parts.ownerOf(job.keyId);
  if (owner === null) {
    const error = {
      code: 'AUTHENTICATION_ERROR',
      message: 'The API key was revoked, or has expired.',
    } as const;
    return { happening: { kind: 'refused', error } };
  }
  const body = await bytesOf(parts.blobs, job.parts.input);
  if (body === null) return LOST;
  const { path, accept } = job.parts;
  const maySignAsService = parts.maySignAsService(owner);
  const outcome = await parts.replay.run(
    { jobId: job.id, owner, maySignAsService, path, accept, body },
    signal,
  );
  body.fill(0);
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
  { result, headers = {}, deliver: asked }: JobParts,
  { blobs, sender }: StepParts,
  signal: AbortSignal,
): Promise<Stepped> {
  if (result === undefined || asked === undefined) return LOST;
  const body = await bytesOf(blobs, result);
  if (body === null) return LOST;
  const { url, headers: own = {} } = asked.put;
  const sent = {
    'content-type': headers['content-type'] ?? 'application/octet-stream',
    ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value])),
    'content-md5': createHash('md5').update(body).digest('base64'),
  };
  const within = AbortSignal.any([signal, AbortSignal.timeout(SEND_MS_MAX)]);
  const happening = await sender.send(url, { method: 'PUT', body, headers: sent, signal: within }).then(
    ({ status, etag, text }): Happening => ({
      kind: 'sent',
      ...{ status, text },
      ...(etag !== undefined && { etag: etag.slice(0, 200) }),
    }),
    (error: unknown): Happening => {
      signal.throwIfAborted();
      return { kind: 'not sent', reason: wordsOf(error) };
    },
  );
  body.fill(0);
  return { happening };
}

async function notify(
  job: StoredJob & { parts: JobParts },
  { secrets, sender }: StepParts,
  signal: AbortSignal,
): Promise<Stepped> {
  const to = job.parts.notify;
  if (to === undefined) return { happening: { kind: 'notified', status: undefined } };
  const data = jobForNotification(job);
  const body = JSON.stringify({ type: `job.${job.state}`, timestamp: data.endedAt, data });
  const signed = secrets.webhookHeaders(job.keyId, `msg_${job.id}`, Math.floor(Date.now() / 1000), body);
  const within = AbortSignal.any([signal, AbortSignal.timeout(NOTIFY_MS_MAX)]);
  const status = await sender
    .send(to.url, {
      method: 'POST',
      body: Buffer.from(body),
      headers: { 'content-type': 'application/json', ...signed },
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

/** Without the cause, which names hosts and addresses of this service's network. */
const wordsOf = (error: unknown): string =>
  error instanceof Error && error.name === 'FetchError'
    ? 'the address could not be reached, is not permitted, or was too slow'
    : 'the address was too slow';
