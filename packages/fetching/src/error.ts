/** The public texts. `refused` covers all failures that would reveal hosts that only this service can reach. */
const TEXTS = {
  off: 'This service does not fetch URLs.',
  refused:
    'The URL cannot be fetched: its host was not found, could not be reached or is not permitted. Only public addresses over http and https on ports 80 and 443, without a user name, are permitted.',
  redirects: 'The URL cannot be fetched: it redirects too often, or from https to http.',
  status: 'The URL cannot be fetched: the status of the response is not 200.',
  large: 'The URL cannot be fetched: the response is too large.',
  slow: 'The URL cannot be fetched: the server is too slow.',
  unreadable:
    'The URL cannot be fetched: the response is incomplete, is not valid HTTP, or has a content encoding or oversized headers.',
} as const;

export type FetchFailure = keyof typeof TEXTS;

/** A failed fetch. `message` is public. `cause` names hosts and addresses and is for the log only. */
export class FetchError extends Error {
  readonly failure: FetchFailure;

  constructor(failure: FetchFailure, cause: unknown) {
    super(TEXTS[failure], { cause: typeof cause === 'string' ? new Error(cause) : cause });
    this.name = 'FetchError';
    this.failure = failure;
  }
}
