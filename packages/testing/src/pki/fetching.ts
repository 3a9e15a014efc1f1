import type { Pki } from './pki.ts';

const ANSWER_MS_MAX = 60_000;
/** The same where a fault is set by which a server never answers. */
const SLOW_MS = 1_000;

interface FetchOptions {
  bytesMax: number;
  signal: AbortSignal;
  post?: { body: Uint8Array; contentType: string; headers?: Record<string, string> };
}

/** The fetcher interface of packages that contact authorities. */
export interface TestFetcher {
  fetch(url: string, options: FetchOptions): Promise<Buffer>;
}

/** A fetcher's error; the cause contains the address. */
export class FetchError extends Error {
  readonly failure: 'refused' | 'status' | 'large' | 'slow';

  constructor(failure: FetchError['failure'], cause: unknown) {
    super(`not fetched: ${failure}`, { cause: typeof cause === 'string' ? new Error(cause) : cause });
    this.name = 'FetchError';
    this.failure = failure;
  }
}

/** A fetcher that reaches only the servers of these authorities. */
export const fetcherTo = (...pkis: Pick<Pki, 'fetchAllow' | 'faults'>[]): TestFetcher => ({
  async fetch(url, { bytesMax, signal, post }) {
    const { host } = new URL(url);
    if (!pkis.some(({ fetchAllow }) => fetchAllow === host))
      throw new FetchError('refused', `${host} is not open`);
    const isSlow = pkis.some(({ faults }) => Object.values(faults).includes('slow'));
    const timeout = AbortSignal.timeout(isSlow ? SLOW_MS : ANSWER_MS_MAX);
    const request = { signal: AbortSignal.any([signal, timeout]), redirect: 'error' } as const;
    const posted = post && {
      method: 'POST',
      body: post.body,
      headers: { 'content-type': post.contentType, ...post.headers },
    };
    try {
      const answer = await fetch(url, { ...request, ...posted });
      if (answer.status !== 200) throw new FetchError('status', `${host} answered ${answer.status}`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (bytes.length > bytesMax) throw new FetchError('large', `the answer of ${host} is too large`);
      return bytes;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof FetchError) throw error;
      // If a test runs in its own context, the error belongs to another realm: only its text is usable there.
      const { cause = error } = error as { cause?: unknown };
      throw new FetchError(timeout.aborted ? 'slow' : 'refused', String(cause));
    }
  },
});

export const never = (): AbortSignal => new AbortController().signal;

/** The last part of the paths requested after the first `since` visits. */
export const pathsSince = (pki: Pki, since: number): string[] =>
  pki.visits.slice(since).map(({ path }) => path.split('/').at(-1) ?? '');

/** Sets a fault of these authorities while `work` runs. */
export async function withFault<T>(pki: Pki, fault: Pki['faults'], work: () => Promise<T>): Promise<T> {
  Object.assign(pki.faults, fault);
  try {
    return await work();
  } finally {
    for (const part of Object.keys(fault) as (keyof Pki['faults'])[]) delete pki.faults[part];
  }
}
