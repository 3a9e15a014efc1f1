import { MustWait, type SlowLane, type Turn } from '@scriptorium/shares/lane';
import { inTask } from '@scriptorium/shares/task';
import { PutBack } from './crew.ts';
import type { JobHandler } from './job-handler.ts';

interface FairParts {
  lane: SlowLane;
  /** Whether a job of another owner is among the next in the queue. */
  anotherWaits(owner: string | undefined): Promise<boolean>;
}

/**
 * The handler, whose threads and engines count their time for the owner of the job, and give way to the jobs of others. It also throws
 * `PutBack`, and CONCURRENCY_LIMIT if others wait and the owner has most of what takes long.
 */
export function fairHandler<Input, Output>(
  handler: JobHandler<Input, Output>,
  { lane, anotherWaits }: FairParts,
): JobHandler<Input, Output> {
  return async (input, context, share) => {
    if (share === undefined) return await handler(input, context);
    const { owner, isOverBudget, starts } = share;
    const stepAside = () => share.stepAside();
    const othersWait = () => anotherWaits(owner);
    let turn: Turn | undefined;
    try {
      turn = lane.enter({ owner, isOverBudget, starts, stepAside, anotherWaits: othersWait });
      const signal = AbortSignal.any([context.signal, turn.evicted]);
      return await inTask({ turn, spend: share.spend }, () => handler(input, { ...context, signal }, share));
    } catch (error) {
      if (error instanceof MustWait) throw new PutBack(error.delayMs);
      throw turn?.evicted.aborted && !context.signal.aborted ? turn.evicted.reason : error;
    } finally {
      turn?.end();
    }
  };
}
