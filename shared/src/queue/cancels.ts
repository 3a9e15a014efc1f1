import type { Redis } from 'ioredis';
import { CANCEL_CHANNEL } from './reply.ts';

/** The requests that nobody waits for any more, as gateways publish them. */
export interface Cancels {
  /** Resolves when every cancel that was published before this call has been heard. */
  heard(): Promise<void>;
  stop(): void;
}

export function listenForCancels(
  redis: Redis,
  cancel: (requestId: string) => void,
  onError: (error: unknown) => void,
): Cancels {
  const subscriber = redis.duplicate();
  subscriber.on('error', () => undefined);
  subscriber.on('message', (_channel, requestId) => cancel(requestId));
  subscriber.subscribe(CANCEL_CHANNEL).catch(onError);
  return {
    // Messages and answers come over one connection, in the order of the server.
    heard: async () => void (await subscriber.ping()),
    stop: () => subscriber.disconnect(),
  };
}
