import { AppError } from '@scriptorium/contracts/errors';
import type { RequestContext } from '../http/context.ts';

/**
 * Runs `work` with a signal that aborts when the caller disconnects, or the deadline passes (its reason is DEADLINE_EXCEEDED). It
 * also aborts when `work` has ended, to stop everything that it left running.
 */
export async function abortOnDisconnect<Result>(
  { deadlineAt, signal }: Pick<RequestContext, 'deadlineAt' | 'signal'>,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ends = new AbortController();
  const timer = setTimeout(
    () =>
      ends.abort(
        new AppError('DEADLINE_EXCEEDED', 'The URLs of the request were not fetched before the deadline.'),
      ),
    deadlineAt - Date.now(),
  );
  try {
    return await work(AbortSignal.any([signal, ends.signal]));
  } finally {
    clearTimeout(timer);
    ends.abort();
  }
}
