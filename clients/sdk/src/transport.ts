import { errorOf, ScriptoriumError } from './error.ts';

export interface ClientOptions {
  apiKey?: string;
  /** Address of the service, such as `https://documents.example.com`. */
  baseUrl: string;
  /** By default the global `fetch`. */
  fetch?: typeof fetch;
  /** How often a request is sent again after 429, 503, 504 or a broken connection: 2 by default. */
  retries?: number;
  /** Time for one answer: 70,000 by default, which is more than the service takes. */
  timeoutMs?: number;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface Call extends CallOptions {
  method?: 'GET' | 'POST' | 'DELETE';
  path: string;
  query?: Record<string, unknown> | undefined;
  accept?: string;
  /** Further headers. */
  headers?: Record<string, string>;
  /** A form, or anything else as JSON. */
  body?: unknown;
  /** The request has an effect: only an answer shows whether it may be sent again. */
  isOnce?: boolean;
}

const WAIT_MS_MIN = 500;
const WAIT_MS_MAX = 8_000;

/** Sends requests, again if that may help. */
export class Transport {
  readonly #options: Required<Omit<ClientOptions, 'apiKey'>> & { apiKey?: string };

  constructor(options: ClientOptions) {
    // A global fetch works only without an object before it.
    const fetch: ClientOptions['fetch'] = (...request) => globalThis.fetch(...request);
    this.#options = { retries: 2, timeoutMs: 70_000, fetch, ...options };
  }

  /** Returns what `read` makes of the answer. Throws ScriptoriumError, and the reason of `signal`. */
  async send<Result>(call: Call, read: (response: Response) => Promise<Result>): Promise<Result> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once(call, read);
      } catch (error) {
        if (call.isOnce && (error as ScriptoriumError).status === 0) throw error;
        await this.pause(error, attempt, call.signal);
      }
    }
  }

  /** Waits before another attempt. Throws the error if there is none. */
  async pause(error: unknown, attempt: number, signal?: AbortSignal): Promise<void> {
    const { retries, timeoutMs } = this.#options;
    if (!(error instanceof ScriptoriumError) || !error.isRetryable || attempt >= retries) throw error;
    const jitter = Math.random() * Math.min(WAIT_MS_MAX, WAIT_MS_MIN * 2 ** attempt);
    const waitMs = error.retryAfterMs ?? jitter;
    if (waitMs > timeoutMs) throw error;
    signal?.throwIfAborted();
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        // A signal may live much longer than the wait.
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, waitMs);
      signal?.addEventListener('abort', end);
    });
    signal?.throwIfAborted();
  }

  async #once<Result>(call: Call, read: (response: Response) => Promise<Result>): Promise<Result> {
    const { baseUrl, apiKey, fetch, timeoutMs } = this.#options;
    const { method = 'POST', path, query = {}, accept = 'application/json', headers, body, signal } = call;
    const url = new URL(`${baseUrl.replace(/\/$/, '')}${path}`);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const isForm = body === undefined || body instanceof FormData;
    signal?.throwIfAborted();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      const response = await fetch(url, {
        method,
        headers: {
          ...headers,
          accept,
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
          ...(!isForm && { 'content-type': 'application/json' }),
        },
        body: isForm ? (body ?? null) : JSON.stringify(body),
        signal: AbortSignal.any(signal === undefined ? [late.signal] : [signal, late.signal]),
      });
      if (!response.ok) throw await errorOf(response);
      return await read(response);
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof ScriptoriumError) throw cause;
      if (late.signal.aborted)
        throw new ScriptoriumError({ code: 'TIMEOUT', message: `No answer within ${timeoutMs} ms.` });
      const message = `The connection to ${url.origin} failed${reasonOf(cause)}.`;
      throw new ScriptoriumError({ code: 'CONNECTION_FAILED', message }, { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The reason of a broken connection, which fetch hides in the innermost error: `ECONNREFUSED`, for example. */
function reasonOf(cause: unknown): string {
  const {
    code,
    message,
    cause: inner,
  } = (cause ?? {}) as { code?: string; message?: string; cause?: unknown };
  if (typeof inner === 'object' && inner !== null) return reasonOf(inner);
  const reason = code || message;
  return reason ? ` (${reason})` : '';
}
