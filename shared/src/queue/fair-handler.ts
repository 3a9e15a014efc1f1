import { type LaneJob, MustWait, type SlowLane, type Turn } from '@scriptorium/shares/lane';
import { inTask } from '@scriptorium/shares/task';
import { PutBack } from './crew.ts';
import type { JobHandler, JobShare } from './job-handler.ts';

interface FairParts {
  lane: SlowLane;
  /** Whether a job of another owner is among the next in the queue. */
  anotherWaits(owner: string | undefined): Promise<boolean>;
}

/** Enters the lane for a job. Throws `PutBack` if it must wait for others. */
function enterLane({ lane, anotherWaits }: FairParts, share: JobShare): Turn {
  const { owner, isOverBudget, starts } = share;
  const job: LaneJob = {
    ...{ owner, isOverBudget, starts },
    stepAside: () => share.stepAside(),
    anotherWaits: () => anotherWaits(owner),
  };
  try {
    return lane.enter(job);
  } catch (error) {
    throw error instanceof MustWait ? new PutBack(error.delayMs) : error;
  }
}

/**
 * The handler, whose threads and engines count their time for the owner of the job, and give way to the jobs of others. It also throws
 * `PutBack`, and CONCURRENCY_LIMIT if others wait and the owner has most of what takes long.
 */
export function fairHandler<Input, Output>(
  handler: JobHandler<Input, Output>,
  parts: FairParts,
): JobHandler<Input, Output> {
  return async (input, context, share) => {
    if (share === undefined) return await handler(input, context);
    const turn = enterLane(parts, share);
    const signal = AbortSignal.any([context.signal, turn.evicted]);
    try {
      return await inTask({ turn, spend: share.spend }, () => handler(input, { ...context, signal }, share));
    } catch (error) {
      throw turn.evicted.aborted && !context.signal.aborted ? turn.evicted.reason : error;
    } finally {
      turn.end();
    }
  };
}
