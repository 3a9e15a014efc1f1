/** The public texts. `refused` covers all that would tell a caller about hosts that only this service can see. */
const TEXTS = {
  off: 'This service fetches no URLs.',
  refused:
    'The URL cannot be fetched: its host was not found or not reached, or this service may not fetch it. Only public addresses are fetched, over http and https, from ports 80 and 443, without a user name.',
  redirects: 'The URL cannot be fetched: it is redirected too often, or from https to http.',
  status: 'The URL cannot be fetched: its server answered with another status than 200.',
  large: 'The URL cannot be fetched: what it holds is too large.',
  slow: 'The URL cannot be fetched: its server is too slow.',
  unreadable:
    'The URL cannot be fetched: its server broke off, or answered with a content coding, oversized headers or no HTTP.',
} as const;

export type FetchFailure = keyof typeof TEXTS;

/** Why a URL was not fetched. `message` is public; `cause` names hosts and addresses and is for the log only. */
export class FetchError extends Error {
  readonly failure: FetchFailure;

  constructor(failure: FetchFailure, cause: unknown) {
    super(TEXTS[failure], { cause: typeof cause === 'string' ? new Error(cause) : cause });
    this.name = 'FetchError';
    this.failure = failure;
  }
}
