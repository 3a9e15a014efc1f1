import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@scriptorium/contracts/errors';
import { toAppError } from '@scriptorium/shared/to-app-error';
import {
  type Outcome,
  type PackAnswer,
  type PackClient,
  ROW_MS_MAX,
  rowError,
  type Way,
} from './pack-client.ts';
import type { Row } from './row.ts';
import type { StandingBlobs } from './standing-blobs.ts';

const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 2_000;
/** Pauses of rows that fail alone: each attempt at one that kills its engine costs two engines. */
const ROW_PAUSE_MS_MAX = 15_000;
const ROW_PAUSE_GROWTH = 3;

export interface AttemptParts {
  packs: Pick<PackClient, 'run'>;
  standing: Pick<StandingBlobs, 'restore'>;
  signal: AbortSignal;
  /** The kinds of rows that have been compared (`filledRows`). */
  checked: readonly string[];
  /** The cause of a failure is for the log only. */
  onFailure(error: AppError, rows: number): void;
}

/** How a pack was made, for the choice of the next one. */
export type PackFacts = Pick<PackAnswer, 'compared' | 'checked' | 'isRefused' | 'plain' | 'runMs'>;

/**
 * Makes the documents of a pack and delivers each outcome exactly once. A fault of the service fails no row: the rows are
 * sent again for as long as a row may take. A pack that cannot be made is tried row by row. Throws only for an aborted signal.
 */
export async function finishPack(
  rows: readonly Row[],
  way: Way,
  deliver: (outcome: Outcome) => void,
  parts: AttemptParts,
  endsAt = Date.now() + ROW_MS_MAX,
  pauseMs = PAUSE_MS_MIN,
): Promise<PackFacts> {
  const answer = await untilAnswered(rows, way, parts, endsAt);
  if (answer instanceof AppError) {
    if (rows.length > 1 && mayBeOneRow(answer))
      for (const row of rows) await finishPack([row], 'plain', deliver, parts);
    else for (const row of rows) deliver({ row, error: rowError(answer) });
    // The next packs must be small.
    return { compared: undefined, plain: [], runMs: rows.length > 1 ? ROW_MS_MAX : 0 };
  }
  const lost: Row[] = [];
  for (const outcome of answer.outcomes)
    if ('error' in outcome && outcome.error.code === 'UNAVAILABLE' && Date.now() + pauseMs < endsAt)
      lost.push(outcome.row);
    else deliver(outcome);
  if (lost.length > 0) await delay(pauseMs, undefined, { signal: parts.signal });
  // The plain way has no other one to fall back to.
  const noAgain = way === 'plain' ? answer.again : [];
  for (const row of noAgain)
    deliver({ row, error: rowError(new AppError('INTERNAL_ERROR', 'The row failed.')) });
  const again = [...(way === 'plain' ? [] : answer.again), ...lost];
  const nextPauseMs = Math.min(pauseMs * ROW_PAUSE_GROWTH, ROW_PAUSE_MS_MAX);
  if (again.length > 0) await finishPack(again, 'plain', deliver, parts, endsAt, nextPauseMs);
  return answer;
}

/** The service may be able to do it later. */
const isTransient = ({ code }: AppError): boolean => code === 'UNAVAILABLE' || code === 'OVERLOADED';

/** One row may have killed its worker twice, or have taken the time of all. */
const mayBeOneRow = ({ code }: AppError): boolean =>
  code === 'INTERNAL_ERROR' || code === 'DEADLINE_EXCEEDED';

/** Returns the error of the last attempt if another one would be too late. */
async function untilAnswered(
  rows: readonly Row[],
  way: Way,
  { packs, standing, signal, checked, onFailure }: AttemptParts,
  endsAt: number,
): Promise<PackAnswer | AppError> {
  for (let pauseMs = PAUSE_MS_MIN; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
    signal.throwIfAborted();
    try {
      return await packs.run(rows, way, checked);
    } catch (thrown) {
      signal.throwIfAborted();
      const error = toAppError(thrown);
      onFailure(error, rows.length);
      if (!isTransient(error) || Date.now() + pauseMs >= endsAt) return error;
      await delay(pauseMs, undefined, { signal });
      // A server that was restarted has lost what was in it. The next attempt fails if it is not back.
      await standing.restore().catch(() => undefined);
    }
  }
}
