import type { JobDefinition, NextStep } from '@scriptorium/contracts/define-job';
import { AppError } from '@scriptorium/contracts/errors';
import type { Secrets } from '@scriptorium/sealing/secret-bytes';
import type { SlowLane } from '@scriptorium/shares/lane';
import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { z } from 'zod';
import type { BlobStore, NewBlob } from '../blob/store.ts';
import { within } from '../health.ts';
import { newId } from '../ids.ts';
import { toAppError } from '../to-app-error.ts';
import { processInSpan, reportOnSpan } from '../tracing/job-spans.ts';
import { anotherWaits } from './another-waits.ts';
import { charge, collectFor, openAnswering, untilTaken } from './answering.ts';
import { listenForCancels } from './cancels.ts';
import { trackRunningJobs } from './close-worker.ts';
import { whileConnected } from './connection.ts';
import { type Crew, openCrew, PutBack } from './crew.ts';
import { type JobEnvelope, jobEnvelope, type Trail } from './envelope.ts';
import { fairHandler } from './fair-handler.ts';
import { type Forwarding, openForwarding, unlessEnded } from './forwarding.ts';
import type { JobEvents, JobHandler, JobShare } from './job-handler.ts';
import { watchLeases } from './leases.ts';
import { failure, LEASE_MS, LEASE_RENEWAL_MS, type Reply, type WorkerNotice, workersOf } from './reply.ts';
import { runScript, type Script } from './script.ts';
import { workerSealing } from './sealing.ts';
import { countWorkers } from './workers.ts';

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
  /** What the workers of this role share with the gateways: a secret, and the one that it replaces. Without one, nothing is sealed. */
  secret?: Secrets | undefined;
  blobs: Pick<BlobStore, 'put' | 'remove'>;
  /** Returns how many jobs this worker can run now: 0 while its engine is not available. */
  capacity(): number;
  /** Whether it takes jobs from the start, and not only after `setTaking`. By default true. */
  isTaking?: boolean;
  /** Reported in the notice of the worker; see `workerNotice`. */
  engine?(): Pick<WorkerNotice, 'sandbox' | 'loader'>;
  events: JobEvents;
  /** Shares the threads or engines among the owners of the jobs. Without one, the handler has no turn. */
  lane?: SlowLane;
}

export interface JobWorker {
  /** Takes no jobs while its process cannot work. Running jobs go on. */
  setTaking(isTaking: boolean): void;
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
  const workerId = newId('wrk');
  const cancel = (requestId: string): void => crew.cancel(requestId);
  const cancels = listenForCancels(redis, cancel, events.queueError);
  const forwarding = openForwarding({ redis, cancels, removeBlobs: (keys) => blobs.remove(keys) });
  const { lane } = parts;
  const othersWait = (owner?: string) => anotherWaits(redis, definition.name, owner);
  const fair = lane === undefined ? handler : fairHandler(handler, { lane, anotherWaits: othersWait });
  const answering = answerJobs(definition, fair, parts, { forwarding, workerId });

  const running = trackRunningJobs();
  const leases = watchLeases(redis, cancel, events.queueError);
  const work = async (job: Job<JobEnvelope>, signal: AbortSignal): Promise<void> => {
    const envelope = jobEnvelope.parse(job.data);
    return processInSpan(definition.name, envelope, async () => {
      const isLate = Date.now() >= envelope.deadlineAt;
      const reason = isLate ? 'deadline' : await leases.reasonToDrop(envelope, job.timestamp);
      if (reason === null) {
        events.began?.(envelope.requestId, Math.max(0, Date.now() - job.timestamp));
        const post = { starts: job.attemptsStarted, ...placesOf(crew) };
        try {
          return await leases.during(envelope, answering.run(envelope, signal, post));
        } finally {
          post.end();
        }
      }
      await blobs.remove(envelope.blobs);
      events.dropped(envelope.requestId, reason);
    });
  };

  const crew = openCrew({
    ...{ name: definition.name, redis, concurrency: parts.concurrency, running, workerId, work },
    onError: events.queueError,
    // A job that stalled twice, or whose envelope cannot be parsed, still gets exactly one answer.
    failed(job, error) {
      const envelope = jobEnvelope.safeParse(job?.data).data;
      if (envelope === undefined) return events.queueError(error);
      const failed = toAppError(error);
      events.failed(envelope.requestId, failed);
      running.track(answering.send(envelope, failure(envelope, failed))).catch(events.queueError);
    },
  });

  let isTaking = parts.isTaking ?? true;
  if (isTaking) crew.start();
  const notices = announce(redis, definition.name, workerId, events, () => ({
    capacity: isTaking ? parts.capacity() : 0,
    runMsMean: answering.runMsMean(),
    expiresAt: Date.now() + LEASE_MS,
    ...parts.engine?.(),
  }));
  return {
    setTaking(next) {
      if (next === isTaking) return;
      isTaking = next;
      if (redis.status === 'ready') notices.send();
      if (isTaking) crew.start();
      else crew.stop();
    },
    async close() {
      await notices.stop();
      await crew.close();
      leases.stop();
      cancels.stop();
      await forwarding.close();
    },
  };
}

/** What a running job may do about its place in the worker. */
type Post = Pick<JobShare, 'starts' | 'stepAside'>;

/** The share of one run. `heldMs` is the time until it stepped aside. */
function shareOf({ owner, isOverBudget = false, trail }: JobEnvelope, startedAt: number, post: Post) {
  const share = {
    ...{ owner, isOverBudget, starts: post.starts },
    spentMs: trail.reduce((sum, step) => sum + (step.spentMs ?? 0), 0),
    heldMs: undefined as number | undefined,
    spend(ms: number) {
      share.spentMs += Math.max(0, Math.round(ms));
    },
    stepAside() {
      share.heldMs ??= Date.now() - startedAt;
      post.stepAside();
    },
  };
  return share;
}

/** Lets the worker take one more job from `stepAside` until `end`. */
function placesOf({ add }: Crew): Pick<Post, 'stepAside'> & { end(): void } {
  let end: (() => void) | undefined;
  return {
    stepAside() {
      end ??= add();
    },
    end: () => end?.(),
  };
}

interface Runs {
  /** Throws `PutBack` as the handler does. */
  run(envelope: JobEnvelope, canceled: AbortSignal, post: Post): Promise<void>;
  send(envelope: JobEnvelope, reply: Reply): Promise<void>;
  runMsMean(): number;
}

/** Runs the handler and sends exactly one reply or next step, or none if the request was canceled. */
function answerJobs<Input extends z.ZodType, Output extends z.ZodType>(
  definition: JobDefinition<Input, Output>,
  handler: JobHandler<z.output<Input>, z.input<Output>>,
  parts: JobWorkerParts,
  { forwarding, workerId }: { forwarding: Forwarding; workerId: string },
): Runs {
  const { events, blobs } = parts;
  const sealing = workerSealing(definition.name, parts.secret);
  const answering = openAnswering({ ...parts, sealing });
  let runMsMean = 0;

  const mayGoBack = async ({ instead }: PutBack, envelope: JobEnvelope): Promise<boolean> =>
    instead === undefined || mayGoElsewhere(parts.redis, definition.name, envelope, workerId);

  const drop = async (envelope: JobEnvelope, spentMs: number): Promise<void> => {
    await blobs.remove(envelope.blobs);
    await charge(parts.redis, envelope.owner, spentMs).catch(events.queueError);
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
    const all = [...envelope.blobs, ...made];
    const onward = { ...envelope, ...sealing.next(envelope, taken, next), blobs: all };
    const spare = envelope.blobs.filter((key) => !next.blobs.includes(key));
    await answering.store(kept, envelope, spare);
    const give = () => forwarding.forward(next, onward, made, signal);
    await untilTaken(parts, spare, envelope.deadlineAt, give, 'queue', signal);
  };

  return {
    send: answering.send,
    runMsMean: () => runMsMean,
    async run(envelope, canceled, post) {
      const { requestId, deadlineAt, trail } = envelope;
      const startedAt = Date.now();
      const timeoutMs = Math.max(1, Math.min(deadlineAt - startedAt, definition.timeoutMs));
      const deadline = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([canceled, deadline]);
      const { keep, kept } = collectFor(envelope, events.made);
      const made = () => kept.map(({ key }) => key);
      const share = shareOf(envelope, startedAt, post);
      try {
        const input = definition.input.parse(sealing.input(envelope));
        const { output, next } = await handler(input, { requestId, deadlineAt, signal, keep }, share);
        const runMs = Date.now() - startedAt;
        runMsMean += ((share.heldMs ?? runMs) - runMsMean) * (runMsMean === 0 ? 1 : RUN_MEAN_WEIGHT);
        if (canceled.aborted) return await drop(envelope, share.spentMs);
        const done = { output, runMs, spentMs: share.spentMs };
        if (next === undefined)
          await answering.sendWith(kept, envelope, {
            ...{ ok: true, requestId, ...done, trail, blobs: made(), startedAt },
          });
        else await forward(envelope, next, done, kept, signal).catch(unlessEnded(signal));
        events.answered(requestId, runMs);
      } catch (error) {
        // The answer could not be sent, or not be forwarded.
        await blobs.remove(made()).catch(events.queueError);
        if (canceled.aborted) return await drop(envelope, share.spentMs);
        if (error instanceof PutBack && (await mayGoBack(error, envelope))) {
          await charge(parts.redis, envelope.owner, share.spentMs).catch(events.queueError);
          events.putBack?.(requestId);
          throw error;
        }
        const failed = failureOf(error, deadline);
        events.failed(requestId, failed);
        // An error is only logged: a failed job would report its failure a second time.
        await answering
          .send(envelope, { ...failure(envelope, failed), spentMs: share.spentMs })
          .catch(events.queueError);
      }
    },
  };
}

/** A job goes to another worker once, if there is one. */
async function mayGoElsewhere(redis: Redis, queue: string, { avoid }: JobEnvelope, workerId: string) {
  if (avoid !== undefined) return false;
  const others = await countWorkers(redis, queue, workerId).catch(() => undefined);
  return (others?.capacity ?? 0) > 0;
}

function failureOf(error: unknown, { aborted: isLate }: AbortSignal): AppError {
  const cause = error instanceof PutBack ? error.instead : error;
  if (!isLate) return toAppError(cause);
  return new AppError('DEADLINE_EXCEEDED', 'The document was not ready before the deadline.', { cause });
}

function announce(
  redis: Redis,
  queue: string,
  id: string,
  events: JobEvents,
  notice: () => WorkerNotice,
): { send(): void; stop(): Promise<void> } {
  let tookAt = performance.now();
  const send = (): void => {
    const state = notice();
    if (state.capacity > 0) tookAt = performance.now();
    const isAway = performance.now() - tookAt >= LEASE_MS;
    const text = JSON.stringify({ ...state, isAway });
    runScript(redis, NOTICE, [workersOf(queue)], [id, text, LEASE_MS]).catch(events.queueError);
  };
  const stop = whileConnected(redis, LEASE_RENEWAL_MS, send);
  return {
    send,
    async stop() {
      stop();
      if (redis.status === 'ready') await within(redis.hdel(workersOf(queue), id)).catch(events.queueError);
    },
  };
}
