import { orLate } from '@scriptorium/shared/or-late';
import { EngineError, type EngineErrorKind, type EngineRun } from './engine.ts';

/**
 * Runs one conversion under its caller's signal and its time limit, and distinguishes the two.
 *
 * `work` gets one signal for both, and calls `started` once an engine is free: if the time ends before that, the
 * document was not tried.
 */
export async function bounded<T>(
  run: EngineRun,
  work: (signal: AbortSignal, started: () => void) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let isStarted = false;
  const onAbort = () => controller.abort();
  const timer = setTimeout(onAbort, run.timeoutMs);
  run.signal.addEventListener('abort', onAbort, { once: true });
  if (run.signal.aborted) onAbort();
  try {
    return await work(controller.signal, () => {
      isStarted = true;
    });
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    if (run.signal.aborted) throw ended('aborted', 'the caller canceled', error);
    if (!isStarted) throw ended('unavailable', `no engine became free in ${run.timeoutMs} ms`, error);
    throw ended('timeout', `the engine did not finish in ${run.timeoutMs} ms`, error);
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener('abort', onAbort);
  }
}

/** The error for a run that was ended, with the processor time that it took. */
function ended(kind: EngineErrorKind, message: string, cause: unknown): EngineError {
  const error = new EngineError(kind, message, { cause });
  if (cause instanceof EngineError && cause.cpuMs !== undefined) error.cpuMs = cause.cpuMs;
  return error;
}

/** The promise's outcome, or `aborted` as soon as the signal fires. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new EngineError('aborted', 'aborted'));
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Whether the promise settles within that time. */
export function isSettledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = () => resolve(true);
    orLate(promise, ms, () => resolve(false)).then(settle, settle);
  });
}
