import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connections } from '@scriptorium/fetching/connections';
import type { Sender } from '@scriptorium/shared/fetch/fetcher';
import type { Put, Webhook } from './fields.ts';
import { DELIVERY_MS_MAX, isPassing, pauseMs, wordsOf } from './next.ts';

const SEND_MS_MAX = 120_000;

/** What a store gets. */
export interface Content {
  body: Buffer;
  contentType: string;
}

/** The answer of a store, or why there is none, without what is inside of this service's network. */
export type Sent = { status: number; etag?: string; text: string } | { reason: string };

/** The same headers, by names in lower case. */
export const lowerCase = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Sends bytes to a store once. Rejects with the reason of the signal. */
export async function sendPut(
  sender: Sender,
  { url, headers: own, method = 'PUT' }: Put & Partial<Pick<Webhook, 'method'>>,
  { body, contentType }: Content,
  signal: AbortSignal,
  connections?: Connections,
): Promise<Sent> {
  const headers = {
    'content-type': contentType,
    ...lowerCase(own),
    'content-md5': createHash('md5').update(body).digest('base64'),
  };
  // A composed signal with a timeout lives as long as the timeout: thousands of them, in a batch.
  const ending = new AbortController();
  const end = (): void => ending.abort();
  signal.throwIfAborted();
  signal.addEventListener('abort', end, { once: true });
  const timer = setTimeout(end, SEND_MS_MAX);
  try {
    const sending = { method, body, headers, signal: ending.signal } as const;
    const { status, etag, text } = await sender.send(url, sending, connections);
    return { status, text, ...(etag !== undefined && { etag: etag.slice(0, 200) }) };
  } catch (error) {
    signal.throwIfAborted();
    return { reason: reasonOf(error) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

export interface Patience {
  signal: AbortSignal;
  connections: Connections;
  /** Is called after each attempt. */
  tried(outcome: 'delivered' | 'retried' | 'given_up'): void;
}

/** Sends bytes until a store takes them, refuses them, or the time for a delivery is over. */
export async function sendPatiently(
  sender: Sender,
  put: Put,
  content: Content,
  { signal, connections, tried }: Patience,
): Promise<{ etag?: string } | { refusal: string }> {
  const until = Date.now() + DELIVERY_MS_MAX;
  for (let tries = 0; ; tries++) {
    const sent = await sendPut(sender, put, content, signal, connections);
    if ('status' in sent && sent.status >= 200 && sent.status < 300) {
      tried('delivered');
      return sent.etag === undefined ? {} : { etag: sent.etag };
    }
    const mayPass = 'reason' in sent || isPassing(sent.status);
    if (!mayPass || Date.now() + pauseMs(tries) > until) {
      tried('given_up');
      return { refusal: 'reason' in sent ? sent.reason : wordsOf(sent.status, sent.text) };
    }
    tried('retried');
    await delay(pauseMs(tries), undefined, { signal });
  }
}

/** Without the cause, which names hosts and addresses of this service's network. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.name === 'FetchError'
    ? 'the address could not be reached, is not permitted, or was too slow'
    : 'the address was too slow';
