/** How this package reaches authorities: whoever uses it lends it a way out, with its own rules on where that leads. */
export interface Fetcher {
  /**
   * The bytes that a URL holds, `bytesMax` at most; with `post`, what the URL answers to it. Rejects with the signal's
   * reason when that fires, and with an error that `isFetchFailure` knows where there is no such answer.
   */
  fetch(url: string, options: FetchOptions): Promise<Buffer>;
}

export interface FetchOptions {
  bytesMax: number;
  signal: AbortSignal;
  post?: { body: Uint8Array; contentType: string; headers?: Record<string, string> };
}

/** Why there is no answer; `failure` is `slow` where its time ran out. Known by its shape: fetchers have classes of their own. */
export function isFetchFailure(error: unknown): error is Error & { failure: string } {
  return error instanceof Error && error.name === 'FetchError' && 'failure' in error;
}
