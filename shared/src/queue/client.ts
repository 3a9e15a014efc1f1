import type { Redis } from 'ioredis';
import type { z } from 'zod';
import { AppError, unavailable } from '../errors.ts';
import type { JobDefinition, JobEnvelope } from './define-job.ts';
import { openQueue } from './open-queue.ts';
import { CANCEL_CHANNEL } from './reply.ts';
import type { ReplyInbox } from './reply-inbox.ts';

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

/** Sends jobs of one kind to the workers and waits for their answers. */
export interface JobClient<Input, Output> {
  /**
   * One answer to one job. Throws AppError: the worker's own, OVERLOADED when no worker began in time,
   * DEADLINE_EXCEEDED, or UNAVAILABLE when the queue is away. After a throw the job is cancelled.
   */
  run(input: Input, options: RunOptions): Promise<RunResult<Output>>;
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
  const queue = openQueue(definition.name, redis, { attempts: 1 });

  const cancel = async (requestId: string, blobs: string[]): Promise<void> => {
    await Promise.allSettled([
      redis.publish(CANCEL_CHANNEL, requestId),
      queue.remove(requestId),
      removeBlobs(blobs),
    ]);
  };

  return {
    async run(input, options) {
      const { requestId, deadlineAt, blobs } = options;
      const sentAt = Date.now();
      const answer = inbox.expect(requestId);
      const envelope: JobEnvelope = { requestId, replyTo: inbox.gatewayId, deadlineAt, blobs, input };
      const watch = watchEnds(options, () => queue.getJobState(requestId));
      try {
        const added = queue.add(definition.name, envelope, {
          jobId: requestId,
          priority: options.priority,
        });
        await Promise.race([added.catch(unavailable('queue')), watch.ended]);
        const reply = await Promise.race([answer, watch.ended]);
        return {
          output: definition.output.parse(reply.output),
          queueMs: Math.max(0, reply.startedAt - sentAt),
          runMs: reply.runMs,
        };
      } catch (error) {
        void cancel(requestId, blobs);
        // The answer may have come all the same; nobody else removes what it brought.
        answer.then((reply) => removeBlobs(reply.blobs)).catch(() => undefined);
        throw error;
      } finally {
        watch.stop();
        inbox.forget(requestId);
      }
    },
    async waiting() {
      const counts = await queue.getJobCounts('wait', 'prioritized');
      return (counts.wait ?? 0) + (counts.prioritized ?? 0);
    },
    close: () => queue.close(),
  };
}

interface EndWatch {
  /** Never resolves; rejects when the job's time is over or its caller has gone. */
  ended: Promise<never>;
  stop(): void;
}

function watchEnds(options: RunOptions, stateOf: () => Promise<string>): EndWatch {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => undefined);
  const leave = (): void =>
    reject(new AppError('DEADLINE_EXCEEDED', 'The caller left before the answer was ready.'));
  const deadline = setTimeout(
    () => reject(new AppError('DEADLINE_EXCEEDED', 'The document was not ready before the deadline.')),
    Math.max(0, options.deadlineAt - Date.now()),
  );
  const waitLimit = setTimeout(async () => {
    const state = await stateOf().catch(() => 'unknown');
    if (state === 'waiting' || state === 'prioritized')
      reject(new AppError('OVERLOADED', `No worker began within ${options.waitMsMax} ms.`));
  }, options.waitMsMax);
  options.signal.addEventListener('abort', leave, { once: true });
  if (options.signal.aborted) leave();
  return {
    ended,
    stop() {
      clearTimeout(deadline);
      clearTimeout(waitLimit);
      options.signal.removeEventListener('abort', leave);
    },
  };
}
