import type { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { z } from 'zod';
import { AppError, unavailable } from '../errors.ts';
import { sendInSpan } from '../tracing/job-spans.ts';
import type { JobDefinition, JobEnvelope } from './define-job.ts';
import { openQueue } from './open-queue.ts';
import { CANCEL_CHANNEL } from './reply.ts';
import type { ReplyInbox, Success } from './reply-inbox.ts';

export interface RunOptions {
  requestId: string;
  /** Epoch milliseconds. */
  deadlineAt: number;
  /** Longest wait for a worker to begin. */
  waitMsMax: number;
  /** Aborted when the caller has gone. */
  signal: AbortSignal;
  /** 0 is served first; jobs of equal priority in order of arrival. */
  priority: number;
  /** Blobs of the request; the worker removes them with its answer, `run` on every other end. */
  blobs: string[];
}

export interface RunResult<Output> {
  output: Output;
  queueMs: number;
  runMs: number;
}

/** Of a job whose worker handed the request on: what that one told, and the answer of the next. */
export interface ChainResult<First, Output> extends RunResult<Output> {
  first: First;
}

/** Sends jobs of one kind to the workers and waits for their answers. */
export interface JobClient<Input, Output> {
  /**
   * One answer to one job. Throws AppError: the worker's own, OVERLOADED when no worker began in time,
   * DEADLINE_EXCEEDED, or UNAVAILABLE when the queue is away. After a throw the job is cancelled.
   */
  run(input: Input, options: RunOptions): Promise<RunResult<Output>>;
  /** The same for a job whose worker hands the request on to the worker of `next`, which answers it. */
  runThrough<Next extends z.ZodType>(
    input: Input,
    options: RunOptions,
    next: JobDefinition<z.ZodType, Next>,
  ): Promise<ChainResult<Output, z.output<Next>>>;
  /** Jobs that no worker has begun. */
  waiting(): Promise<number>;
  close(): Promise<void>;
}

export interface JobClientParts {
  /** A connection that fails fast. */
  redis: Redis;
  inbox: ReplyInbox;
  removeBlobs(keys: string[]): Promise<void>;
}

export function createJobClient<Input extends z.ZodType, Output extends z.ZodType>(
  definition: JobDefinition<Input, Output>,
  { redis, inbox, removeBlobs }: JobClientParts,
): JobClient<z.input<Input>, z.output<Output>> {
  const steps = openSteps(definition.name, redis);

  const removeHandedOn = async (next: Queue, requestId: string): Promise<void> => {
    // It names a blob that this side has not heard of.
    const job: Job<JobEnvelope> | undefined = await next.getJob(requestId);
    await next.remove(requestId);
    await removeBlobs(job?.data.blobs ?? []);
  };

  const cancel = async (requestId: string, blobs: string[], next: Queue | undefined): Promise<void> => {
    await Promise.allSettled([
      // First: a worker that adds the next step after this has passed Redis takes it back by itself.
      redis.publish(CANCEL_CHANNEL, requestId),
      steps.first.remove(requestId),
      next && removeHandedOn(next, requestId),
      removeBlobs(blobs),
    ]);
  };

  const send = async <Result>(
    input: z.input<Input>,
    options: RunOptions,
    next: Queue | undefined,
    read: (reply: Success, sentAt: number) => Result,
  ): Promise<Result> => {
    const { requestId, deadlineAt, blobs, priority } = options;
    const sentAt = Date.now();
    const answer = inbox.expect(requestId);
    const envelope = {
      requestId,
      replyTo: inbox.gatewayId,
      deadlineAt,
      blobs,
      priority,
      trail: [],
      input,
    } satisfies JobEnvelope;
    const watch = watchEnds(options, () => waitLeftMs(options, steps.first, next));
    try {
      const added = sendInSpan(definition.name, requestId, (carried) =>
        steps.first.add(definition.name, { ...envelope, ...carried }, { jobId: requestId, priority }),
      );
      await Promise.race([added.catch(unavailable('queue')), watch.ended]);
      return read(await Promise.race([answer, watch.ended]), sentAt);
    } catch (error) {
      void cancel(requestId, blobs, next);
      // The answer may have come all the same; nobody else removes what it brought.
      answer.then((reply) => removeBlobs(reply.blobs)).catch(() => undefined);
      throw error;
    } finally {
      watch.stop();
      inbox.forget(requestId);
    }
  };

  return {
    run: (input, options) =>
      send(input, options, undefined, (reply, sentAt) => ({
        output: definition.output.parse(reply.output),
        ...timesOf(reply, sentAt),
      })),
    runThrough: (input, options, next) =>
      send(input, options, steps.next(next.name), (reply, sentAt) => ({
        first: definition.output.parse(reply.trail[0]?.output),
        output: next.output.parse(reply.output),
        ...timesOf(reply, sentAt),
      })),
    async waiting() {
      const counts = await steps.first.getJobCounts('wait', 'prioritized');
      return (counts.wait ?? 0) + (counts.prioritized ?? 0);
    },
    close: () => steps.close(),
  };
}

/** The queues of a job and of those that its worker may hand requests on to. */
function openSteps(name: string, redis: Redis) {
  const first = openQueue(name, redis, { attempts: 1 });
  const others = new Map<string, Queue>();
  return {
    first,
    next(other: string): Queue {
      const queue = others.get(other) ?? openQueue(other, redis, { attempts: 1 });
      others.set(other, queue);
      return queue;
    },
    async close(): Promise<void> {
      await Promise.all([first, ...others.values()].map((queue) => queue.close()));
    },
  };
}

/** A request that takes several steps waits before each; its run is that of all. */
function timesOf(reply: Success, sentAt: number): { queueMs: number; runMs: number } {
  const earlierMs = reply.trail.reduce((sum, step) => sum + step.runMs, 0);
  return {
    queueMs: Math.max(0, reply.startedAt - sentAt - earlierMs),
    runMs: reply.runMs + earlierMs,
  };
}

/** How long the request may still wait for a worker; Infinity once the last step has been begun. */
async function waitLeftMs(
  { requestId, waitMsMax }: RunOptions,
  first: Queue,
  next: Queue | undefined,
): Promise<number> {
  if (isWaiting(await first.getJobState(requestId))) return 0;
  if (next === undefined) return Number.POSITIVE_INFINITY;
  const job = await next.getJob(requestId);
  if (job === undefined) return waitMsMax;
  if (!isWaiting(await job.getState())) return Number.POSITIVE_INFINITY;
  return Math.max(0, job.timestamp + waitMsMax - Date.now());
}

const isWaiting = (state: string): boolean => state === 'waiting' || state === 'prioritized';

interface EndWatch {
  /** Never resolves; rejects when the job's time is over or its caller has gone. */
  ended: Promise<never>;
  stop(): void;
}

function watchEnds(options: RunOptions, waitLeftMs: () => Promise<number>): EndWatch {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => undefined);
  const leave = (): void =>
    reject(new AppError('DEADLINE_EXCEEDED', 'The caller left before the answer was ready.'));
  const deadline = setTimeout(
    () => reject(new AppError('DEADLINE_EXCEEDED', 'The document was not ready before the deadline.')),
    Math.max(0, options.deadlineAt - Date.now()),
  );
  let waitLimit: NodeJS.Timeout;
  let isOver = false;
  const lookIn = (ms: number): void => {
    waitLimit = setTimeout(async () => {
      const leftMs = await waitLeftMs().catch(() => Number.POSITIVE_INFINITY);
      if (leftMs === 0) reject(new AppError('OVERLOADED', `No worker began within ${options.waitMsMax} ms.`));
      else if (Number.isFinite(leftMs) && !isOver) lookIn(leftMs);
    }, ms);
  };
  lookIn(options.waitMsMax);
  options.signal.addEventListener('abort', leave, { once: true });
  if (options.signal.aborted) leave();
  return {
    ended,
    stop() {
      isOver = true;
      clearTimeout(deadline);
      clearTimeout(waitLimit);
      options.signal.removeEventListener('abort', leave);
    },
  };
}
