/** How this package reaches authorities. The caller provides it and decides which addresses are allowed. */
export interface Fetcher {
  /**
   * Returns the bytes at a URL, at most `bytesMax`. With `post`, returns the response to it. Rejects with the signal's reason
   * when it fires. Without such a response, rejects with an error that `isFetchFailure` recognizes.
   */
  fetch(url: string, options: FetchOptions): Promise<Buffer>;
}

export interface FetchOptions {
  bytesMax: number;
  signal: AbortSignal;
  post?: { body: Uint8Array; contentType: string; headers?: Record<string, string> };
}

/**
 * Whether the error means that a response is missing; `failure` is `slow` for a timeout. Recognized by shape, since fetchers have
 * their own error classes.
 */
export function isFetchFailure(error: unknown): error is Error & { failure: string } {
  return error instanceof Error && error.name === 'FetchError' && 'failure' in error;
}
