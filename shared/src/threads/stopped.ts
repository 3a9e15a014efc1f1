import { AppError } from '../errors.ts';
import type { WorkerThreadsOptions } from './worker-threads.ts';

/** What a caller is told of work that was ended for no fault of his: `what` was given up, such as `signing`, on a `document`. */
export function stopped(what: string, document: 'document' | 'template'): WorkerThreadsOptions['fail'] {
  return (kind, reason) => {
    const cause = new Error(reason);
    return kind === 'aborted'
      ? new AppError('DEADLINE_EXCEEDED', `The ${what} was given up.`, { cause })
      : new AppError('UNAVAILABLE', `The work on the ${document} was stopped; send it again.`, { cause });
  };
}
