import { AppError } from '@scriptorium/contracts/errors';
import type { Conversion } from '@scriptorium/contracts/jobs/convert';
import { PutBack } from '@scriptorium/shared/queue/crew';
import type { JobShare } from '@scriptorium/shared/queue/job-handler';
import type { Turn } from '@scriptorium/shares/lane';
import { currentTask } from '@scriptorium/shares/task';
import type { Convert, ConvertContext, Converted } from '../conversion/convert.ts';
import { EngineError, KilledError } from '../engines/engine.ts';
import type { KnownCosts } from './known-costs.ts';

const PUT_BACK_MS = 100;

/** `convert` for the job of the current task, which shares the engines with others. Also throws `PutBack`. */
export type FairConvert = (
  read: () => Promise<Buffer>,
  options: Conversion,
  context: ConvertContext,
  share: JobShare,
) => Promise<Converted>;

export function fairly(convert: Convert, costs: KnownCosts): FairConvert {
  return async (read, options, context, share) => {
    const turn = currentTask()?.turn;
    if (turn === undefined) throw new Error('a conversion runs outside of a lane');
    try {
      const bytes = await read();
      if (costs.check(bytes, options)) turn.expectSlow();
      return await convertInTurn(convert, costs, turn, { bytes, options, context, share });
    } catch (error) {
      throw isNotItsFault(error) ? new PutBack(PUT_BACK_MS, error) : error;
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
    signal: context.signal,
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
