import { type Job, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { z } from 'zod';
import { AppError, unavailable } from '../errors.ts';
import { within } from '../health.ts';
import { newId } from '../ids.ts';
import { toAppError } from '../to-app-error.ts';
import { processInSpan, reportOnSpan } from '../tracing/job-spans.ts';
import { listenForCancels } from './cancels.ts';
import { closeWorker, trackRunningJobs } from './close-worker.ts';
import { completed, KEY_PREFIX } from './connection.ts';
import {
  type JobDefinition,
  type JobEnvelope,
  jobEnvelope,
  type NextStep,
  type Trail,
} from './define-job.ts';
import { type Forwarding, openForwarding } from './forwarding.ts';
import type { JobEvents, JobHandler } from './job-handler.ts';
import { watchLeases } from './leases.ts';
import {
  failure,
  LEASE_MS,
  LEASE_RENEWAL_MS,
  type Reply,
  replyList,
  type WorkerNotice,
  workersOf,
} from './reply.ts';

/** Another worker takes the job of a killed worker after at most LOCK_MS + STALLED_CHECK_MS. */
const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5_000;
const REPLY_TTL_MS = 60_000;
const RUN_MEAN_WEIGHT = 0.1;
const SEND_PAUSE_MS_MIN = 100;
const SEND_PAUSE_MS_MAX = 1_000;

export interface JobWorkerParts {
  /** A connection that waits for Redis to come back. BullMQ duplicates it for its blocking read. */
  redis: Redis;
  concurrency: number;
  removeBlobs(keys: string[]): Promise<void>;
  /** Returns how many jobs this worker can run now: 0 while its engine is not available. */
  capacity(): number;
  /** Reported in the notice of the worker; see `workerNotice`. */
  engine?(): Pick<WorkerNotice, 'sandbox' | 'loader'>;
  events: JobEvents;
}

export interface JobWorker {
  /** Stops taking jobs and waits for running jobs. */
  close(): Promise<void>;
}

/** Takes jobs of one type from the queue and sends each reply to the gateway that waits for it. */
export function startJobWorker<Input extends z.ZodType, Output extends z.ZodType>(
  definition: JobDefinition<Input, Output>,
  handler: JobHandler<z.output<Input>, z.input<Output>>,
  given: JobWorkerParts,
): JobWorker {
  const parts = { ...given, events: reportOnSpan(given.events) };
  const { redis, events, removeBlobs } = parts;
  const cancels = listenForCancels(redis, (requestId) => worker.cancelJob(requestId), events.queueError);
  const forwarding = openForwarding({ redis, cancels, removeBlobs });
  const answering = answerJobs(definition, handler, parts, forwarding);

  const running = trackRunningJobs();
  const leases = watchLeases(redis, (requestId) => worker.cancelJob(requestId), events.queueError);
  const work = async (job: Job<JobEnvelope>, signal = new AbortController().signal): Promise<void> => {
    const envelope = jobEnvelope.parse(job.data);
    return processInSpan(definition.name, envelope, async () => {
      const reason = Date.now() >= envelope.deadlineAt ? 'deadline' : await leases.reasonToDrop(envelope);
      if (reason === null) {
        events.began?.(envelope.requestId, Math.max(0, Date.now() - job.timestamp));
        return leases.during(envelope, answering.run(envelope, signal));
      }
      await removeBlobs(envelope.blobs);
      events.dropped(envelope.requestId, reason);
    });
  };

  const worker = new Worker<JobEnvelope>(
    definition.name,
    (job, _token, signal) => running.track(work(job, signal)),
    {
      connection: redis,
      prefix: KEY_PREFIX,
      concurrency: parts.concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: 1,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
  );
  worker.on('error', events.queueError);
  // A job that stalled twice, or whose envelope cannot be parsed, still gets exactly one answer.
  worker.on('failed', (job, error) => {
    const envelope = jobEnvelope.safeParse(job?.data).data;
    if (envelope === undefined) return events.queueError(error);
    const failed = toAppError(error);
    events.failed(envelope.requestId, failed);
    running.track(answering.send(envelope, failure(envelope, failed))).catch(events.queueError);
  });

  const stopAnnouncing = announce(redis, definition.name, events, () => ({
    capacity: parts.capacity(),
    runMsMean: answering.runMsMean(),
    expiresAt: Date.now() + LEASE_MS,
    ...parts.engine?.(),
  }));
  return {
    async close() {
      await stopAnnouncing();
      await closeWorker(worker, running);
      leases.stop();
      cancels.stop();
      await forwarding.close();
    },
  };
}

interface Answering {
  run(envelope: JobEnvelope, canceled: AbortSignal): Promise<void>;
  send(envelope: JobEnvelope, reply: Reply): Promise<void>;
  runMsMean(): number;
}

/** Runs the handler and sends exactly one reply or next step, or none if the request was canceled. */
function answerJobs<Input extends z.ZodType, Output extends z.ZodType>(
  definition: JobDefinition<Input, Output>,
  handler: JobHandler<z.output<Input>, z.input<Output>>,
  parts: JobWorkerParts,
  forwarding: Forwarding,
): Answering {
  const { events, removeBlobs } = parts;
  let runMsMean = 0;

  const send = (envelope: JobEnvelope, reply: Reply): Promise<void> =>
    untilTaken(envelope, parts, async () => {
      await pushReply(parts.redis, envelope.replyTo, reply);
      await removeBlobs(envelope.blobs);
    });

  const drop = async (envelope: JobEnvelope, blobs: string[]): Promise<void> => {
    await removeBlobs([...blobs, ...envelope.blobs]);
    events.dropped(envelope.requestId, 'cancelled');
  };

  /** The job of the next step owns all blobs, since an envelope that runs a second time needs them. */
  const forward = (
    envelope: JobEnvelope,
    next: NextStep,
    taken: Trail[number],
    made: string[],
    signal: AbortSignal,
  ): Promise<void> => {
    const onward = {
      ...envelope,
      blobs: [...envelope.blobs, ...made],
      trail: [...envelope.trail, taken],
    };
    const spare = envelope.blobs.filter((key) => !next.blobs.includes(key));
    const give = () => forwarding.forward(next, onward, made, signal);
    return untilTaken({ ...envelope, blobs: spare }, parts, give, signal);
  };

  return {
    send,
    runMsMean: () => runMsMean,
    async run(envelope, canceled) {
      const { requestId, deadlineAt } = envelope;
      const startedAt = Date.now();
      const timeoutMs = Math.max(1, Math.min(deadlineAt - startedAt, definition.timeoutMs));
      const deadline = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([canceled, deadline]);
      let result: string[] = [];
      try {
        const input = definition.input.parse(envelope.input);
        const { output, blobs, next } = await handler(input, { requestId, deadlineAt, signal });
        result = blobs;
        const runMs = Date.now() - startedAt;
        runMsMean += (runMs - runMsMean) * (runMsMean === 0 ? 1 : RUN_MEAN_WEIGHT);
        if (canceled.aborted) return await drop(envelope, blobs);
        if (next === undefined)
          await send(envelope, {
            ok: true,
            requestId,
            output,
            trail: envelope.trail,
            blobs,
            startedAt,
            runMs,
          });
        else await forward(envelope, next, { output, runMs }, blobs, signal);
        events.answered(requestId, runMs);
      } catch (error) {
        if (canceled.aborted) return await drop(envelope, result);
        // The answer could not be sent.
        await removeBlobs(result).catch(events.queueError);
        const failed = deadline.aborted ? deadlinePassed(error) : toAppError(error);
        events.failed(requestId, failed);
        // An error is only logged: a failed job would report its failure a second time.
        await send(envelope, failure(envelope, failed)).catch(events.queueError);
      }
    },
  };
}

async function pushReply(redis: Redis, gatewayId: string, reply: Reply): Promise<void> {
  const list = replyList(gatewayId);
  await completed(redis.multi().rpush(list, JSON.stringify(reply)).pexpire(list, REPLY_TTL_MS).exec());
}

/**
 * Retries until Redis accepts the command or the request ends: a full Redis may have room later. The blobs of `envelope` are
 * no longer needed and are removed first.
 */
async function untilTaken(
  envelope: JobEnvelope,
  { events, removeBlobs }: JobWorkerParts,
  give: () => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  for (let pauseMs = SEND_PAUSE_MS_MIN; ; pauseMs = Math.min(2 * pauseMs, SEND_PAUSE_MS_MAX)) {
    try {
      return await give();
    } catch (error) {
      signal?.throwIfAborted();
      // Removing the document makes room in a full Redis.
      await removeBlobs(envelope.blobs).catch(events.queueError);
      if (Date.now() + pauseMs >= envelope.deadlineAt) return unavailable('queue')(error);
      events.queueError(error);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

function deadlinePassed(cause: unknown): AppError {
  return new AppError('DEADLINE_EXCEEDED', 'The document was not ready before the deadline.', { cause });
}

function announce(
  redis: Redis,
  queue: string,
  events: JobEvents,
  notice: () => WorkerNotice,
): () => Promise<void> {
  const id = newId('wrk');
  const sendNotice = (): void => {
    if (redis.status === 'ready')
      redis
        .multi()
        .hset(workersOf(queue), id, JSON.stringify(notice()))
        .pexpire(workersOf(queue), LEASE_MS)
        .exec()
        .catch(events.queueError);
  };
  redis.on('ready', sendNotice);
  sendNotice();
  const timer = setInterval(sendNotice, LEASE_RENEWAL_MS);
  return async () => {
    clearInterval(timer);
    redis.off('ready', sendNotice);
    if (redis.status === 'ready') await within(redis.hdel(workersOf(queue), id)).catch(events.queueError);
  };
}
