import { AppError } from '@scriptorium/contracts/errors';
import type { Fetcher } from '@scriptorium/shared/fetch/fetcher';
import { ownerOf, type Reply } from '../http/context.ts';

interface Turns {
  running: number;
  waiting: Set<() => void>;
}

/**
 * Bounds the fetches at a time of each owner, over all their requests: a fetch may take long, and it costs the caller nothing.
 * More fetches wait for their turn, in order, until the signal of their request fires.
 */
export function fetcherForOwners(fetcher: Fetcher, concurrencyMax: number): (response: Reply) => Fetcher {
  const owners = new Map<string, Turns>();

  const begin = async (turns: Turns, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (turns.running < concurrencyMax) {
      turns.running += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        turns.waiting.delete(go);
        reject(signal.reason);
      };
      const go = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      turns.waiting.add(go);
      signal.addEventListener('abort', abort, { once: true });
    });
  };
  const end = (owner: string, turns: Turns): void => {
    const [next] = turns.waiting;
    if (next !== undefined) {
      turns.waiting.delete(next);
      next();
      return;
    }
    turns.running -= 1;
    if (turns.running === 0) owners.delete(owner);
  };
  return (response) => ({
    async fetch(url, options) {
      const { ownerHash, rights } = ownerOf(response);
      if (rights.origin === 'trial')
        throw new AppError('FORBIDDEN', 'With a trial key, the service fetches no URLs: send the bytes.');
      const owner = ownerHash.toString('base64');
      const turns = owners.get(owner) ?? { running: 0, waiting: new Set() };
      owners.set(owner, turns);
      await begin(turns, options.signal);
      try {
        return await fetcher.fetch(url, options);
      } finally {
        end(owner, turns);
      }
    },
  });
}
