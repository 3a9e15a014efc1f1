import { AppError } from '@scriptorium/contracts/errors';
import type { WorkerThreadsOptions } from './worker-threads.ts';

/** Makes the errors for work that was aborted through no fault of the caller. `what` is the work, such as `signing`. */
export function abortError(what: string, document: 'document' | 'template'): WorkerThreadsOptions['fail'] {
  return (kind, reason) => {
    const cause = new Error(reason);
    return kind === 'aborted'
      ? new AppError('DEADLINE_EXCEEDED', `The ${what} was aborted.`, { cause })
      : new AppError('UNAVAILABLE', `The work on the ${document} was stopped; send it again.`, { cause });
  };
}
