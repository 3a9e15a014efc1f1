import type { JobDefinition } from '@scriptorium/contracts/define-job';
import { AppError, unavailable } from '@scriptorium/contracts/errors';
import type { Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { z } from 'zod';
import { sendInSpan } from '../tracing/job-spans.ts';
import type { JobEnvelope } from './envelope.ts';
import { openQueues } from './open-queue.ts';
import { CANCEL_CHANNEL } from './reply.ts';
import type { ReplyInbox, Success } from './reply-inbox.ts';
import type { GatewaySealing } from './sealing.ts';

export interface RunOptions {
  requestId: string;
  /** Epoch milliseconds. */
  deadlineAt: number;
  /** Maximum wait until a worker starts the job. */
  waitMsMax: number;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
  /** 0 is served first. Jobs of equal priority are served in order of arrival. */
  priority: number;
  /** Blobs of the request. The worker removes them with its answer, and `run` removes them after a failure. */
  blobs: string[];
  /** Resolves when near blobs are in the store. Their commands were sent before, on the connection of the queue. */
  stored?: Promise<void>;
  /** Who asks, for fair shares of the engines. */
  share?: Pick<JobEnvelope, 'owner' | 'isOverBudget'> | undefined;
}

export interface RunResult<Output> {
  output: Output;
  queueMs: number;
  runMs: number;
}

type Step<Output extends z.ZodType = z.ZodType> = JobDefinition<z.ZodType, Output>;

/** The result of a request of several steps. Its times are those of all steps together. */
export interface ChainResult extends Omit<RunResult<never>, 'output'> {
  /** Returns the output of a step. Throws if it was not a step of this request. */
  outputOf<Output extends z.ZodType>(step: Step<Output>): z.output<Output>;
}

/** Sends jobs of one type to the workers and waits for their answers. */
export interface JobClient<Input, Output> {
  /**
   * Runs a job and returns its answer. Throws the AppError of the worker, OVERLOADED when no worker started in time,
   * DEADLINE_EXCEEDED, or UNAVAILABLE when the queue is down. After an error the job is canceled.
   */
  run(input: Input, options: RunOptions): Promise<RunResult<Output>>;
  /** The same for a request that each worker forwards to the next of `later`. The last one answers it. */
  runThrough(input: Input, options: RunOptions, later: readonly Step[]): Promise<ChainResult>;
  /** Returns the number of jobs that no worker has started. */
  waiting(): Promise<number>;
  close(): Promise<void>;
}

export interface JobClientParts {
  /** A connection that fails fast. */
  redis: Redis;
  inbox: ReplyInbox;
  sealing: GatewaySealing;
  removeBlobs(keys: string[]): Promise<void>;
}

export function createJobClient<Input extends z.ZodType, Output extends z.ZodType>(
  definition: JobDefinition<Input, Output>,
  { redis, inbox, sealing, removeBlobs }: JobClientParts,
): JobClient<z.input<Input>, z.output<Output>> {
  const queues = openQueues(redis);
  const first = queues.of(definition.name);

  const cancel = async (requestId: string, blobs: string[], later: readonly Queue[]): Promise<void> => {
    await Promise.allSettled([
      // Published first: a worker that adds the next step after this message removes it itself.
      redis.publish(CANCEL_CHANNEL, requestId),
      first.remove(requestId),
      ...later.map(async (queue) => removeBlobs(await takeBack(queue, requestId))),
      removeBlobs(blobs),
    ]);
  };

  const send = async <Result>(
    input: z.input<Input>,
    options: RunOptions,
    laterSteps: readonly Step[],
    read: (reply: Success, sentAt: number) => Result,
  ): Promise<Result> => {
    const { requestId, deadlineAt, blobs, priority, stored, share } = options;
    const sentAt = Date.now();
    const chain = [definition, ...laterSteps];
    const later = laterSteps.map(({ name }) => queues.of(name));
    const answer = inbox.expect(
      requestId,
      chain.map(({ name }) => name),
    );
    const envelope = {
      requestId,
      replyTo: inbox.gatewayId,
      deadlineAt,
      blobs,
      priority,
      ...share,
      trail: [],
      ...sealing.envelope(chain, requestId, input),
    } satisfies JobEnvelope;
    const watch = watchEnds(options, () => waitLeftMs(options, first, later));
    try {
      const added = sendInSpan(definition.name, requestId, (carried) =>
        first.add(definition.name, { ...envelope, ...carried }, { jobId: requestId, priority }),
      );
      await Promise.race([Promise.all([stored, added.catch(unavailable('queue'))]), watch.ended]);
      return read(await Promise.race([answer, watch.ended]), sentAt);
    } catch (error) {
      void cancel(requestId, blobs, later);
      // The answer may still have arrived, and its blobs must be removed.
      answer.then((reply) => removeBlobs(reply.blobs)).catch(() => undefined);
      throw error;
    } finally {
      watch.stop();
      inbox.forget(requestId);
    }
  };

  return {
    run: (input, options) =>
      send(input, options, [], (reply, sentAt) => ({
        output: definition.output.parse(reply.output),
        ...timesOf(reply, sentAt),
      })),
    runThrough: (input, options, later) =>
      send(input, options, later, (reply, sentAt) => ({
        outputOf: outputsOf([definition, ...later], reply, sealing),
        ...timesOf(reply, sentAt),
      })),
    async waiting() {
      const counts = await first.getJobCounts('wait', 'prioritized');
      return (counts.wait ?? 0) + (counts.prioritized ?? 0);
    },
    close: () => queues.close(),
  };
}

/** Removes the job of a later step. Returns its blobs, which only the workers before it know. */
async function takeBack(queue: Queue, requestId: string): Promise<string[]> {
  const job: Job<JobEnvelope> | undefined = await queue.getJob(requestId);
  await queue.remove(requestId);
  return job?.data.blobs ?? [];
}

/** Adds the waits and the runs of all steps of a request. */
function timesOf(reply: Success, sentAt: number): { queueMs: number; runMs: number } {
  const earlierMs = reply.trail.reduce((sum, step) => sum + step.runMs, 0);
  return {
    queueMs: Math.max(0, reply.startedAt - sentAt - earlierMs),
    runMs: reply.runMs + earlierMs,
  };
}

/** Throws for a reply of fewer steps: a worker of another version may answer instead of forwarding. */
function outputsOf(
  steps: readonly Step[],
  { requestId, trail, output }: Success,
  sealing: GatewaySealing,
): ChainResult['outputOf'] {
  if (trail.length + 1 !== steps.length)
    throw new Error(`a request of ${steps.length} steps was answered after ${trail.length + 1}`);
  const opened = trail.map((taken, at) => sealing.output(steps[at] as Step, requestId, taken.output));
  const outputs = [...opened, output];
  return (step) => {
    const at = steps.findIndex(({ name }) => name === step.name);
    if (at < 0) throw new Error(`${step.name} is no step of this request`);
    return step.output.parse(outputs[at]);
  };
}

/** Returns the remaining wait limit of a request, or Infinity once the last step has started. */
async function waitLeftMs(
  { requestId, waitMsMax }: RunOptions,
  first: Queue,
  later: readonly Queue[],
): Promise<number> {
  // The latest step counts: an earlier job waits again if its worker was killed after forwarding.
  for (const [at, queue] of [...later.entries()].reverse()) {
    const job = await queue.getJob(requestId);
    if (job === undefined) continue;
    if (isWaiting(await job.getState())) return Math.max(0, job.timestamp + waitMsMax - Date.now());
    return at === later.length - 1 ? Number.POSITIVE_INFINITY : waitMsMax;
  }
  if (isWaiting(await first.getJobState(requestId))) return 0;
  return later.length === 0 ? Number.POSITIVE_INFINITY : waitMsMax;
}

/** A job that a worker has put back is delayed. */
const isWaiting = (state: string): boolean => ['waiting', 'prioritized', 'delayed'].includes(state);

interface EndWatch {
  /** Never resolves. Rejects when a time limit of the job passes or the caller disconnects. */
  ended: Promise<never>;
  stop(): void;
}

function watchEnds(options: RunOptions, waitLeftMs: () => Promise<number>): EndWatch {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => undefined);
  const onDisconnect = (): void =>
    reject(new AppError('DEADLINE_EXCEEDED', 'The caller disconnected before the answer was ready.'));
  const deadline = setTimeout(
    () => reject(new AppError('DEADLINE_EXCEEDED', 'The document was not ready before the deadline.')),
    Math.max(0, options.deadlineAt - Date.now()),
  );
  let waitLimit: NodeJS.Timeout;
  let isOver = false;
  const checkAfter = (ms: number): void => {
    waitLimit = setTimeout(async () => {
      const leftMs = await waitLeftMs().catch(() => Number.POSITIVE_INFINITY);
      if (leftMs === 0)
        reject(new AppError('OVERLOADED', `No worker started the job within ${options.waitMsMax} ms.`));
      // A job that runs may be put back later.
      else if (!isOver) checkAfter(Number.isFinite(leftMs) ? leftMs : options.waitMsMax);
    }, ms);
  };
  checkAfter(options.waitMsMax);
  options.signal.addEventListener('abort', onDisconnect, { once: true });
  if (options.signal.aborted) onDisconnect();
  return {
    ended,
    stop() {
      isOver = true;
      clearTimeout(deadline);
      clearTimeout(waitLimit);
      options.signal.removeEventListener('abort', onDisconnect);
    },
  };
}
