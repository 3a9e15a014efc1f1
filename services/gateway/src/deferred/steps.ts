import { createHash } from 'node:crypto';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import { unavailable } from '@scriptorium/contracts/errors';
import { sealBlob } from '@scriptorium/sealing/blob';
import { openedBlob } from '@scriptorium/shared/blob/exchange';
import { type BlobStore, blobKey } from '@scriptorium/shared/blob/store';
import type { Sender } from '@scriptorium/shared/fetch/fetcher';
import type { KeyOwner } from '../auth/api-keys.ts';
import { hasEnded } from './job.ts';
import type { JobSecrets, SealedPart } from './job-secrets.ts';
import type { StoredJob } from './job-table.ts';
import type { Happening } from './next.ts';
import type { Replay } from './replay.ts';
import { showJob } from './show-job.ts';

/** A result outlives the time for its delivery. */
const RESULT_GRACE_MS = 4_200_000;
const SEND_MS_MAX = 300_000;
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

/** What a step of a job came to. `sealed` replaces the sealed part; `unused` is no longer needed once that is saved. */
export interface Stepped {
  happening: Happening;
  sealed?: Buffer;
  unused: string[];
}

/** Does what is due for a job. Rejects only with the reason of the signal. */
export function step(job: StoredJob, lease: string, parts: StepParts, signal: AbortSignal): Promise<Stepped> {
  const part = parts.secrets.open(job.id, job.sealed);
  if (hasEnded(job.state)) return notify(job, part, parts, signal);
  return job.state === 'delivering' ? deliver(part, parts, signal) : run(job, lease, part, parts, signal);
}

const lost = (unused: string[] = []): Stepped => ({ happening: { kind: 'input lost' }, unused });

/** The bytes of a blob. Null if they are gone. Throws UNAVAILABLE while the store is away. */
const bytesOf = async (blobs: BlobStore, ref: BlobRef): Promise<Buffer | null> =>
  openedBlob(ref, await blobs.get(ref.key).catch(unavailable('document store')));

async function run(
  job: StoredJob,
  lease: string,
  part: SealedPart,
  parts: StepParts,
  signal: AbortSignal,
): Promise<Stepped> {
  const unused = [part.input.key];
  const owner = await parts.ownerOf(job.keyId);
  if (owner === null) {
    const error = {
      code: 'AUTHENTICATION_ERROR',
      message: 'The API key was revoked, or has expired.',
    } as const;
    return { happening: { kind: 'refused', error }, unused };
  }
  const body = await bytesOf(parts.blobs, part.input);
  if (body === null) return lost();
  const { path, accept } = part;
  const maySignAsService = parts.maySignAsService(owner);
  const outcome = await parts.replay.run(
    { jobId: job.id, owner, maySignAsService, path, accept, body },
    signal,
  );
  body.fill(0);
  if ('failure' in outcome) {
    const { failure: error, retryAfterMs: afterMs } = outcome;
    return { happening: { kind: 'refused', error, afterMs }, unused };
  }
  const { bytes, contentType, headers } = outcome;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { box, seal } = sealBlob(bytes);
  const result = { key: blobKey(`${job.id}.${lease}.result`, box), bytes: bytes.length, seal };
  bytes.fill(0);
  const keepMs = job.delivery === null ? parts.resultMs : RESULT_GRACE_MS;
  await parts.blobs.put(result.key, box, keepMs).catch(unavailable('document store'));
  return {
    happening: { kind: 'answered', result: { contentType, bytes: result.bytes, sha256 } },
    sealed: parts.secrets.seal(job.id, {
      ...part,
      result,
      headers: { ...headers, 'content-type': contentType },
    }),
    unused,
  };
}

async function deliver(
  { result, headers = {}, deliver: asked }: SealedPart,
  { blobs, sender }: StepParts,
  signal: AbortSignal,
): Promise<Stepped> {
  if (result === undefined || asked === undefined) return lost();
  const body = await bytesOf(blobs, result);
  if (body === null) return lost();
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
  return { happening, unused: [result.key] };
}

async function notify(
  job: StoredJob,
  part: SealedPart,
  { secrets, sender }: StepParts,
  signal: AbortSignal,
): Promise<Stepped> {
  if (part.notify === undefined) return { happening: { kind: 'notified', status: undefined }, unused: [] };
  const data = showJob({ ...job, notification: null }, part);
  const body = JSON.stringify({ type: `job.${job.state}`, timestamp: data.endedAt, data });
  const signed = secrets.webhookHeaders(job.keyId, `msg_${job.id}`, Math.floor(Date.now() / 1000), body);
  const within = AbortSignal.any([signal, AbortSignal.timeout(NOTIFY_MS_MAX)]);
  const status = await sender
    .send(part.notify.url, {
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
  return { happening: { kind: 'notified', status }, unused: [] };
}

/** Without the cause, which names hosts and addresses of this service's network. */
const wordsOf = (error: unknown): string =>
  error instanceof Error && error.name === 'FetchError'
    ? 'the address could not be reached, is not permitted, or was too slow'
    : 'the address was too slow';
