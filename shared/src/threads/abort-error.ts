import { AppError } from '../errors.ts';
import type { WorkerThreadsOptions } from './worker-threads.ts';

/** The errors for work aborted through no fault of the caller: `what` was given up, such as `signing`, on a `document`. */
export function abortError(what: string, document: 'document' | 'template'): WorkerThreadsOptions['fail'] {
  return (kind, reason) => {
    const cause = new Error(reason);
    return kind === 'aborted'
      ? new AppError('DEADLINE_EXCEEDED', `The ${what} was given up.`, { cause })
      : new AppError('UNAVAILABLE', `The work on the ${document} was stopped; send it again.`, { cause });
  };
}
