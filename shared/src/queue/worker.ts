import { type Job, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { z } from 'zod';
import type { BlobStore, NewBlob } from '../blob/store.ts';
import { AppError } from '../errors.ts';
import { within } from '../health.ts';
import { newId } from '../ids.ts';
import { toAppError } from '../to-app-error.ts';
import { processInSpan, reportOnSpan } from '../tracing/job-spans.ts';
import { collectFor, openAnswering, untilTaken } from './answering.ts';
import { listenForCancels } from './cancels.ts';
import { closeWorker, trackRunningJobs } from './close-worker.ts';
import { KEY_PREFIX } from './connection.ts';
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
import { failure, LEASE_MS, LEASE_RENEWAL_MS, type Reply, type WorkerNotice, workersOf } from './reply.ts';
import { runScript, type Script } from './script.ts';

/** Another worker takes the job of a killed worker after at most LOCK_MS + STALLED_CHECK_MS. */
const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5_000;
const RUN_MEAN_WEIGHT = 0.1;

/** KEYS: notices. ARGV: id of the worker, notice, time to live ms. */
const NOTICE: Script = {
  name: 'scriptoriumNotice',
  lua: `
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
`,
};

export interface JobWorkerParts {
  /** A connection that waits for Redis to come back. BullMQ duplicates it for its blocking read. */
  redis: Redis;
  concurrency: number;
  blobs: Pick<BlobStore, 'put' | 'remove'>;
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
  const { redis, events, blobs } = parts;
  const cancels = listenForCancels(redis, (requestId) => worker.cancelJob(requestId), events.queueError);
  const forwarding = openForwarding({ redis, cancels, removeBlobs: (keys) => blobs.remove(keys) });
  const answering = answerJobs(definition, handler, parts, forwarding);

  const running = trackRunningJobs();
  const leases = watchLeases(redis, (requestId) => worker.cancelJob(requestId), events.queueError);
  const work = async (job: Job<JobEnvelope>, signal = new AbortController().signal): Promise<void> => {
    const envelope = jobEnvelope.parse(job.data);
    return processInSpan(definition.name, envelope, async () => {
      const isLate = Date.now() >= envelope.deadlineAt;
      const reason = isLate ? 'deadline' : await leases.reasonToDrop(envelope, job.timestamp);
      if (reason === null) {
        events.began?.(envelope.requestId, Math.max(0, Date.now() - job.timestamp));
        return leases.during(envelope, answering.run(envelope, signal));
      }
      await blobs.remove(envelope.blobs);
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
    near: true,
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

interface Runs {
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
): Runs {
  const { events, blobs } = parts;
  const answering = openAnswering(parts);
  let runMsMean = 0;

  const drop = async (envelope: JobEnvelope): Promise<void> => {
    await blobs.remove(envelope.blobs);
    events.dropped(envelope.requestId, 'cancelled');
  };

  /** The job of the next step owns all blobs, since an envelope that runs a second time needs them. */
  const forward = async (
    envelope: JobEnvelope,
    next: NextStep,
    taken: Trail[number],
    kept: NewBlob[],
    signal: AbortSignal,
  ): Promise<void> => {
    const made = kept.map(({ key }) => key);
    const onward = {
      ...envelope,
      blobs: [...envelope.blobs, ...made],
      trail: [...envelope.trail, taken],
    };
    const spare = envelope.blobs.filter((key) => !next.blobs.includes(key));
    await answering.store(kept, envelope, spare);
    const give = () => forwarding.forward(next, onward, made, signal);
    await untilTaken(parts, spare, envelope.deadlineAt, give, 'queue', signal);
  };

  return {
    send: answering.send,
    runMsMean: () => runMsMean,
    async run(envelope, canceled) {
      const { requestId, deadlineAt, trail } = envelope;
      const startedAt = Date.now();
      const timeoutMs = Math.max(1, Math.min(deadlineAt - startedAt, definition.timeoutMs));
      const deadline = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([canceled, deadline]);
      const { keep, kept } = collectFor(envelope, events.made);
      const made = () => kept.map(({ key }) => key);
      try {
        const input = definition.input.parse(envelope.input);
        const { output, next } = await handler(input, { requestId, deadlineAt, signal, keep });
        const runMs = Date.now() - startedAt;
        runMsMean += (runMs - runMsMean) * (runMsMean === 0 ? 1 : RUN_MEAN_WEIGHT);
        if (canceled.aborted) return await drop(envelope);
        if (next === undefined)
          await answering.sendWith(kept, envelope, {
            ok: true,
            requestId,
            output,
            trail,
            blobs: made(),
            startedAt,
            runMs,
          });
        else await forward(envelope, next, { output, runMs }, kept, signal);
        events.answered(requestId, runMs);
      } catch (error) {
        // The answer could not be sent, or not be forwarded.
        await blobs.remove(made()).catch(events.queueError);
        if (canceled.aborted) return await drop(envelope);
        const failed = deadline.aborted ? deadlinePassed(error) : toAppError(error);
        events.failed(requestId, failed);
        // An error is only logged: a failed job would report its failure a second time.
        await answering.send(envelope, failure(envelope, failed)).catch(events.queueError);
      }
    },
  };
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
      runScript(redis, NOTICE, [workersOf(queue)], [id, JSON.stringify(notice()), LEASE_MS]).catch(
        events.queueError,
      );
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
