import { AppError } from '@scriptorium/contracts/errors';
import type { Conversion } from '@scriptorium/contracts/jobs/convert';
import { PutBack } from '@scriptorium/shared/queue/crew';
import type { JobShare } from '@scriptorium/shared/queue/job-handler';
import type { Convert, ConvertContext, Converted } from '../conversion/convert.ts';
import { EngineError, KilledError } from '../engines/engine.ts';
import type { KnownCosts } from './known-costs.ts';
import type { SlowLane, Turn } from './slow-lane.ts';

const PUT_BACK_MS = 100;

export interface FairParts {
  lane: SlowLane;
  costs: KnownCosts;
  /** Whether a job of another owner is among the next in the queue. */
  anotherWaits(owner: string | undefined): Promise<boolean>;
}

/**
 * `convert` for a job that shares the engines with others. `read` is called once the job has its place. Also throws `PutBack`,
 * and CONCURRENCY_LIMIT when others wait.
 */
export type FairConvert = (
  read: () => Promise<Buffer>,
  options: Conversion,
  context: ConvertContext,
  share: JobShare,
) => Promise<Converted>;

export function fairly(convert: Convert, { lane, costs, anotherWaits }: FairParts): FairConvert {
  return async (read, options, context, share) => {
    const { owner, isOverBudget, starts } = share;
    const turn = lane.enter({
      ...{ owner, isOverBudget, starts },
      stepAside: () => share.stepAside(),
      anotherWaits: () => anotherWaits(owner),
    });
    try {
      const bytes = await read();
      if (costs.check(bytes, options)) lane.expectSlow(turn);
      return await convertInTurn(convert, costs, turn, { bytes, options, context, share });
    } catch (error) {
      if (turn.evicted.aborted && !context.signal.aborted) throw turn.evicted.reason;
      throw isNotItsFault(error) ? new PutBack(PUT_BACK_MS, error) : error;
    } finally {
      turn.end();
    }
  };
}

interface Task {
  bytes: Buffer;
  options: Conversion;
  context: ConvertContext;
  share: JobShare;
}

/** Remembers a document that takes long or is refused for its cost. */
async function convertInTurn(
  convert: Convert,
  costs: KnownCosts,
  turn: Turn,
  task: Task,
): Promise<Converted> {
  const { bytes, options, context, share } = task;
  let refusal: string | undefined;
  try {
    return await convert(bytes, options, contextOf(context, turn, share));
  } catch (error) {
    if (isTooCostly(error)) refusal = error.message;
    throw error;
  } finally {
    if (turn.isLong || refusal !== undefined) costs.add(bytes, options, refusal);
  }
}

function contextOf(context: ConvertContext, turn: Turn, { spend }: JobShare): ConvertContext {
  return {
    deadlineAt: context.deadlineAt,
    signal: AbortSignal.any([context.signal, turn.evicted]),
    slow: turn.slow,
    isLow: turn.isLow,
    onStart: () => turn.start(),
    spend,
    title: context.title,
    finishing: context.finishing,
    password: context.password,
  };
}

function isTooCostly(error: unknown): error is AppError {
  return error instanceof AppError && error.cause instanceof EngineError && error.cause.kind === 'exhausted';
}

/** Another worker may succeed: this one could not try the document, or its engines were killed. */
function isNotItsFault(error: unknown): error is AppError {
  if (!(error instanceof AppError) || !(error.cause instanceof EngineError)) return false;
  return (
    error.code === 'UNAVAILABLE' && (error.cause instanceof KilledError || error.cause.kind === 'unavailable')
  );
}
