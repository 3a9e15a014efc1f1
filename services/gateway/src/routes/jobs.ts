import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, unavailable } from '@scriptorium/contracts/errors';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import { validate } from '@scriptorium/shared/http/validation';
import { z } from 'zod';
import { waitMsOf } from '../deferred/fields.ts';
import { hasEnded, type ShownJob, shownJob } from '../deferred/job.ts';
import type { JobSecrets } from '../deferred/job-secrets.ts';
import type { JobTable, StoredJob } from '../deferred/job-table.ts';
import { next } from '../deferred/next.ts';
import { showJob } from '../deferred/show-job.ts';
import { bytesOf } from '../deferred/steps.ts';
import { ownerOf, type Reply } from '../http/context.ts';
import type { Route } from '../http/route.ts';

const JSON_TYPE = 'application/json';
const POLL_MS = 500;
/** For the answer, before the deadline. */
const ANSWER_MS = 2_000;
const LIST_MAX = 100;
const ATTEMPTS_MAX = 3;

const EXAMPLE_ID = 'job_aaaaaaaaaaaaaaaaaaaaaaaaaa';
const id = z.string().regex(/^job_[a-z2-7]{26}$/, 'must be the id of a job');
const parameters = z.strictObject({ id });
const listQuery = z.strictObject({
  after: id.optional().describe('The last job of the page before. The list is sorted from the newest job on'),
});
const jobList = z.strictObject({ jobs: z.array(shownJob) }).meta({ id: 'Jobs' });
const webhookSecret = z
  .strictObject({ secret: z.string().meta({ description: 'For libraries of Standard Webhooks: `whsec_…`' }) })
  .meta({ id: 'WebhookSecret' });

export interface JobRouteParts {
  table: JobTable;
  secrets: JobSecrets;
  blobs: BlobStore;
  /** Is called after a job has ended. */
  nudge(): void;
}

interface JobTools {
  /** Throws NOT_FOUND unless the caller has this job. */
  found(response: Reply, jobId: string): Promise<StoredJob>;
  shown(job: StoredJob): ShownJob;
}

const COMMON = { access: 'key', tag: 'Jobs' } as const;

/** Routes for jobs: requests with `Prefer: respond-async`. Only the owner of a job sees it. */
export function jobRoutes(parts: JobRouteParts): Route[] {
  const { table } = parts;
  const tools: JobTools = {
    async found(response, jobId) {
      const job = await table.find(ownerOf(response).ownerHash, jobId).catch(unavailable('key store'));
      if (job === null) throw new AppError('NOT_FOUND', 'You have no job with this id.');
      return job;
    },
    shown: showJob,
  };
  return [
    listRoute(parts, tools),
    secretRoute(parts),
    stateRoute(tools),
    resultRoute(parts, tools),
    cancelRoute(parts, tools),
  ];
}

function send(response: Reply, body: unknown): void {
  response.setHeader('Cache-Control', 'no-store');
  response.json(body);
}

function listRoute({ table }: JobRouteParts, { found, shown }: JobTools): Route {
  return {
    ...COMMON,
    operationId: 'listJobs',
    method: 'get',
    path: '/v1/jobs',
    summary: 'List your jobs of the last 24 hours',
    query: listQuery,
    success: [
      { description: `At most ${LIST_MAX} jobs, newest first`, contentType: JSON_TYPE, schema: jobList },
    ],
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    async handle(request, response) {
      const { after } = validate(listQuery, request.query, { within: 'query' });
      const { ownerHash } = ownerOf(response);
      // Behind a job that is forgotten, there would seem to be no more.
      if (after !== undefined) await found(response, after);
      const jobs = await table.list(ownerHash, after, LIST_MAX).catch(unavailable('key store'));
      send(response, { jobs: jobs.map(shown) });
    },
  };
}

function secretRoute({ secrets }: JobRouteParts): Route {
  return {
    ...COMMON,
    operationId: 'getWebhookSecret',
    method: 'get',
    path: '/v1/jobs/webhook-secret',
    summary: 'The secret with which the webhooks of your key are signed',
    description:
      'Webhooks are signed as Standard Webhooks says: `webhook-id`, `webhook-timestamp`, `webhook-signature`. Each key has its own secret.',
    success: [{ description: 'The secret', contentType: JSON_TYPE, schema: webhookSecret }],
    errors: [],
    handle(_request, response) {
      send(response, { secret: secrets.webhookSecretOf(ownerOf(response).id) });
    },
  };
}

function stateRoute({ found, shown }: JobTools): Route {
  return {
    ...COMMON,
    operationId: 'getJob',
    method: 'get',
    path: '/v1/jobs/:id',
    summary: 'The state of a job',
    description: 'With `Prefer: wait=30`, it waits up to 30 seconds (at most 60) for the end of the job.',
    parameters,
    example: { summary: 'The id of an answer with status 202', parameters: { id: EXAMPLE_ID } },
    success: [{ description: 'The job', contentType: JSON_TYPE, schema: shownJob }],
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    async handle(request, response) {
      const { id: jobId } = validate(parameters, request.params);
      const { deadlineAt, signal } = response.locals;
      const until = Math.min(Date.now() + waitMsOf(request), deadlineAt - ANSWER_MS);
      let job = await found(response, jobId);
      while (!hasEnded(job.state) && Date.now() < until && !signal.aborted) {
        await sleep(Math.min(POLL_MS, until - Date.now()), undefined, { signal }).catch(() => undefined);
        job = await found(response, jobId);
      }
      send(response, shown(job));
    },
  };
}

function resultRoute(parts: JobRouteParts, { found }: JobTools): Route {
  return {
    ...COMMON,
    operationId: 'getJobResult',
    method: 'get',
    path: '/v1/jobs/:id/result',
    summary: 'The result of a job, once',
    description:
      'The body and the headers are those of the answer without `Prefer`. A second request gets `GONE`.',
    parameters,
    example: { summary: 'The id of a job that has succeeded', parameters: { id: EXAMPLE_ID } },
    success: [{ description: 'The result', contentType: 'application/octet-stream' }],
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'GONE'],
    async handle(request, response) {
      const job = await found(response, validate(parameters, request.params).id);
      if (request.method === 'HEAD')
        throw new AppError('METHOD_NOT_ALLOWED', 'A result is fetched with GET.');
      await sendResult(job, parts, response);
    },
  };
}

function cancelRoute(parts: JobRouteParts, { found, shown }: JobTools): Route {
  return {
    ...COMMON,
    operationId: 'cancelJob',
    method: 'delete',
    path: '/v1/jobs/:id',
    summary: 'Cancel a job',
    description: 'What was delivered already stays where it is.',
    parameters,
    example: { summary: 'The id of a job that has not ended', parameters: { id: EXAMPLE_ID } },
    success: [{ description: 'The canceled job', contentType: JSON_TYPE, schema: shownJob }],
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'JOB_ENDED'],
    async handle(request, response) {
      const { id: jobId } = validate(parameters, request.params);
      send(response, shown(await cancelJob(() => found(response, jobId), parts)));
    },
  };
}

/** Throws NOT_FOUND unless the job has a result that waits, and GONE if that was fetched. */
async function sendResult(job: StoredJob, { table, blobs }: JobRouteParts, response: Reply): Promise<void> {
  const { result, headers = {} } = job.parts ?? {};
  if (job.state !== 'succeeded' || job.delivery !== null || result === undefined)
    throw new AppError('NOT_FOUND', `This job has no result to fetch: it is ${wordsOf(job)}.`);
  if (!table.isHere(job))
    throw new AppError('UNAVAILABLE', 'The result is in the region that took the request.');
  const bytes = await bytesOf(blobs, result);
  if (bytes === null) throw new AppError('GONE', 'The result was fetched already, or its time has passed.');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('Cache-Control', 'no-store');
  // A caller who did not get all of it may ask again.
  response.once('finish', () => {
    void blobs.remove([result.key]).catch(() => undefined);
    void table.fetched(job.id).catch(() => undefined);
  });
  response.end(bytes);
}

const wordsOf = ({ state, delivery }: StoredJob): string =>
  state === 'succeeded' && delivery !== null ? 'delivered' : state;

/** Throws JOB_ENDED. */
export async function cancelJob(
  read: () => Promise<StoredJob>,
  { table, blobs, nudge }: Pick<JobRouteParts, 'table' | 'blobs' | 'nudge'>,
): Promise<StoredJob> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const job = await read();
    if (hasEnded(job.state) || job.parts === null) break;
    const canceled = { ...job, ...next(job, { kind: 'canceled' }, Date.now(), 0), held: 0 };
    if (!(await table.replace(canceled, job).catch(unavailable('key store')))) continue;
    const { input, result } = job.parts;
    const keys = [input.key, ...(result === undefined ? [] : [result.key])];
    await blobs.remove(keys).catch(() => undefined);
    nudge();
    return canceled;
  }
  throw new AppError('JOB_ENDED', 'The job has ended, so it cannot be canceled.');
}
