import { AppError } from '@scriptorium/shared/errors';
import type { Reply } from '../context.ts';

const RETRY_SECONDS = 1;

/** The bytes of requests that one gateway holds at a time, whatever they came as. */
export interface ByteBudget {
  /**
   * Takes `bytes` out of the budget until the answer is out. Throws OVERLOADED when so many are not left. What it
   * returns gives back all but `bytes`, once the true size is known.
   */
  hold(response: Reply, bytes: number): (bytes: number) => void;
}

export function createByteBudget(bytesMax: number): ByteBudget {
  let inFlight = 0;
  return {
    hold(response, bytes) {
      if (response.closed) throw new AppError('DEADLINE_EXCEEDED', 'The caller left.');
      if (inFlight + bytes > bytesMax)
        throw new AppError('OVERLOADED', 'This gateway holds as many bytes of documents as it may.', {
          retryAfterSeconds: RETRY_SECONDS,
        });
      let held = bytes;
      inFlight += held;
      const keep = (rest: number): void => {
        inFlight -= held - Math.min(held, rest);
        held = Math.min(held, rest);
      };
      response.on('close', () => keep(0));
      return keep;
    },
  };
}
