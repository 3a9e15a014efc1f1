import type { Redis } from 'ioredis';
import { CANCEL_CHANNEL } from './reply.ts';

/** The cancellations that gateways publish when callers disconnect. */
export interface Cancels {
  /** Resolves after all cancellations that were published before this call have been received. */
  received(): Promise<void>;
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
    // Messages and replies arrive on one connection, in the order of the server.
    received: async () => void (await subscriber.ping()),
    stop: () => subscriber.disconnect(),
  };
}
