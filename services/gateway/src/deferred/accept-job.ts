import { AppError, unavailable } from '@scriptorium/contracts/errors';
import { FetchError } from '@scriptorium/fetching/error';
import { sealBlob } from '@scriptorium/sealing/blob';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { Sender } from '@scriptorium/shared/fetch/fetcher';
import { invalid, validate } from '@scriptorium/shared/http/validation';
import type { Request } from 'express';
import { type Middleware, ownerOf, type Reply } from '../http/context.ts';
import type { Route } from '../http/route.ts';
import { addressesOnly } from './addresses-only.ts';
import { type Deferral, type DeferredFields, idempotencyKeyOf, prefersLater } from './fields.ts';
import type { JobSecrets } from './job-secrets.ts';
import {
  BATCH_OPERATION,
  type JobTable,
  type NewJob,
  newJobId,
  type OwnerLimits,
  type StoredJob,
} from './job-table.ts';
import { BATCH_MS_MAX } from './next.ts';
import { removeUnused } from './remove-unused.ts';
import { keyReused } from './repeatable-calls.ts';
import { showJob } from './show-job.ts';

/** A document outlives the time in which its job must begin by the longest run. A batch may wait for others until its own end. */
const INPUT_GRACE_MS = 900_000;
const CHECK_MS_MAX = 5_000;
/** Servers with the addresses of one upload. */
const PART_ORIGINS_MAX = 8;
const ADDRESSES_OFF = 'is not possible: this service uses no addresses';
export const ADDRESS_ISSUE = 'must be a public address over http or https, on a port that is permitted';
const FULL_RETRY_SECONDS = 30;

export interface AcceptParts {
  table: JobTable;
  secrets: JobSecrets;
  blobs: BlobStore;
  sender: Sender;
  /** Reads rows of batches. */
  reader: Sender;
  /** Throws UNAVAILABLE while documents cannot be kept. */
  checkStores(): Promise<void>;
  /** Reads a JSON body into `request.body`. */
  receive: Middleware;
  /** Reads any body into `request.body`, as bytes. */
  receiveBytes: Middleware;
  limits: OwnerLimits;
  /** The time in which a job must end, ms. */
  waitMsMax: number;
  /** Is called after a job was accepted. */
  nudge(): void;
}

/** Accepts a request to be answered later. It is checked as far as it can be before it runs, kept, and answered with 202. */
export function acceptLater(
  { operationId = '', path, query }: Pick<Route, 'operationId' | 'path' | 'query'>,
  { fields: schema, check }: Deferral,
  parts: AcceptParts,
): Middleware {
  return async (request, response, next) => {
    if (!prefersLater(request)) return next();
    if (ownerOf(response).rights.origin === 'trial')
      throw new AppError('FORBIDDEN', 'With a trial key, requests are answered at once only.');
    if (!request.is('application/json'))
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'With `Prefer: respond-async`, send a JSON body.');
    const idempotencyKey = idempotencyKeyOf(request);
    if (query !== undefined) validate(query, request.query, { within: 'query' });
    await parts.checkStores();
    await parts.receive(request, response, () => undefined);
    const { fields, sent } = splitBody(request);
    const all = validate(schema, fields);
    const rowsUrl = check(sent, all, request);
    await checkAddresses(parts, all, rowsUrl, response.locals.signal);
    // There may be thousands of addresses.
    const isInBody = all.deliver?.parts !== undefined;
    const { deliver, ...others } = all;
    const asked = isInBody ? others : all;
    const accept = request.headers.accept ?? '*/*';
    const about = { operation: operationId, path: path + searchOf(request), accept, asked, idempotencyKey };
    const text = JSON.stringify(isInBody ? { ...(sent as object), deliver } : sent);
    const body = addressesOnly(operationId, sent, text);
    const job = await keep(response, parts, { ...about, body, isWhole: isInBody }, Buffer.from(text));
    response.setHeader('Preference-Applied', 'respond-async');
    response.setHeader('Location', `/v1/jobs/${job.id}`);
    response.setHeader('Cache-Control', 'no-store');
    response.status(202).json(showJob(job));
  };
}

const searchOf = ({ originalUrl }: Request): string => {
  const at = originalUrl.indexOf('?');
  return at < 0 ? '' : originalUrl.slice(at);
};

/** The body of the request itself, and what it says about its answer. Empties `request.body`. */
function splitBody(request: Request): { fields: object; sent: unknown } {
  const { body } = request;
  request.body = undefined;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { fields: {}, sent: body };
  const { deliver, notify, ...sent } = body;
  return {
    fields: { ...(deliver !== undefined && { deliver }), ...(notify !== undefined && { notify }) },
    sent,
  };
}

/** Throws VALIDATION_ERROR for an address to which the service would not send, or from which it would not read. */
async function checkAddresses(
  { sender, reader }: Pick<AcceptParts, 'sender' | 'reader'>,
  { deliver, notify }: DeferredFields,
  rowsUrl: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const urls = deliver?.parts?.urls ?? [];
  await checkAddress(reader, 'rows.url', rowsUrl, signal);
  await checkAddress(sender, 'deliver.put.url', deliver?.put?.url, signal);
  await checkAddress(sender, 'notify.url', notify?.url, signal);
  const origins = new Map(
    urls.map((url, at) => [URL.parse(url)?.origin, [`deliver.parts.urls[${at}]`, url]]),
  );
  if (origins.size > PART_ORIGINS_MAX)
    throw invalid([
      { field: 'deliver.parts.urls', issue: `must be addresses of at most ${PART_ORIGINS_MAX} servers` },
    ]);
  for (const [field = '', url] of origins.values()) await checkAddress(sender, field, url, signal);
}

export async function checkAddress(
  to: Sender,
  field: string,
  url: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (url === undefined) return;
  await to
    .check(url, AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS_MAX)]))
    .catch((error: unknown) => {
      if (signal.aborted) throw error;
      const isOff = error instanceof FetchError && error.failure === 'off';
      throw invalid([{ field, issue: isOff ? ADDRESSES_OFF : ADDRESS_ISSUE }]);
    });
}

interface About {
  operation: string;
  path: string;
  accept: string;
  asked: DeferredFields;
  idempotencyKey: string | undefined;
  isWhole?: boolean;
  /** Its body, if it may be in the database. */
  body?: string | undefined;
  /** Headers of a form. */
  form?: Record<string, string>;
}

/** Keeps a job, or finds the one with its key. Throws CONCURRENCY_LIMIT and IDEMPOTENCY_KEY_REUSED. */
export async function keep(
  response: Reply,
  { table, secrets, blobs, limits, waitMsMax, nudge }: AcceptParts,
  { operation, path, accept, asked, idempotencyKey, isWhole = false, body, form }: About,
  bytes: Buffer,
): Promise<StoredJob> {
  const { ownerHash, id: keyId } = ownerOf(response);
  const keyHashes = idempotencyKey === undefined ? [] : secrets.hashes('idempotency', idempotencyKey);
  const requestHashes = secrets.hashes('request', path, accept, JSON.stringify(asked), bytes);
  const id = newJobId();
  const { box, seal } = sealBlob(bytes);
  // Not a near one: it waits for longer than those.
  const input = { key: `${id}.input`, bytes: bytes.length, seal };
  bytes.fill(0);
  const job: NewJob = {
    ...{ id, ownerHash, keyId, operation, held: box.length },
    ...{ requestHash: requestHashes[0], keyHashes, isWhole },
    parts: { path, accept, input, ...(body !== undefined && { body }), ...(form && { form }), ...asked },
    delivery: asked.deliver === undefined ? null : { tries: 0 },
    notification: asked.notify === undefined ? null : { outcome: 'pending', tries: 0 },
  };
  const keptMs = operation === BATCH_OPERATION ? BATCH_MS_MAX : waitMsMax + INPUT_GRACE_MS;
  await blobs.put(input.key, box, keptMs).catch(unavailable('document store'));
  const remove = () => blobs.remove([input.key]).catch(() => undefined);
  const kept = await table.insert(job, limits).catch(async (error: unknown) => {
    // If it is not an answer of the database, the job may have been kept.
    if ((error as { severity?: string }).severity !== undefined) await remove();
    else void removeUnused({ table, blobs }, { id, ownerHash }, [input.key]);
    return unavailable('key store')(error);
  });
  if (typeof kept === 'string' || !kept.isNew) await remove();
  if (kept === 'called') throw keyReused();
  if (typeof kept === 'string')
    throw new AppError('CONCURRENCY_LIMIT', limitWords(kept, limits), {
      retryAfterSeconds: FULL_RETRY_SECONDS,
    });
  if (!kept.isNew) {
    if (!requestHashes.some((hash) => kept.job.requestHash.equals(hash))) throw keyReused();
    response.setHeader('Idempotent-Replayed', 'true');
  }
  nudge();
  return kept.job;
}

const limitWords = (what: 'jobs' | 'bytes', { jobsMax, bytesMax }: OwnerLimits): string =>
  what === 'jobs'
    ? `You have reached the limit of ${jobsMax} jobs that have not ended, or whose notification is pending.`
    : `The documents of your jobs, and results that wait, may have ${bytesMax} bytes together.`;
