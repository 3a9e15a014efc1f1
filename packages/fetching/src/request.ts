import { type Client, type Dispatcher, errors } from 'undici';
import type { Address } from './address.ts';
import type { Connections } from './connections.ts';
import { FetchError, type FetchFailure } from './error.ts';
import { type Bounds, IDLE_MS_MAX, openClient } from './open-client.ts';
import type { FetchTarget } from './target.ts';

/** Limit of 1xx responses, which cost far more to read than to send. */
const INTERIM_ANSWERS_MAX = 100;

/** Pieces of a body that are not joined yet. */
const PIECES_MAX = 1_024;

const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'scriptorium' };
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Time for the answer to a document that was sent: a store writes it first. */
const SENT_MS_MAX = 60_000;
/** Time between two pieces of a body that is read for long. */
const OPENED_MS_MAX = 30_000;
/** What is read of such an answer. */
const SENT_ANSWER_BYTES_MAX = 16_384;

/** What a POST sends. */
export interface Post {
  body: Uint8Array;
  contentType: string;
  /** Additional headers, in lower case. They cannot replace the headers of every request. */
  headers?: Record<string, string>;
}

export type Answer = { body: Buffer } | { location: string };

export interface RequestOptions {
  bytesMax: number;
  signal: AbortSignal;
  post: Post | undefined;
  onBytes: ((bytes: number) => void) | undefined;
}

/**
 * Sends one GET or POST over a new connection, only to these addresses. Returns the bytes, or the location if a GET is
 * redirected. Throws FetchError, and the reason of the signal if that fires.
 */
export async function request(
  target: FetchTarget,
  addresses: Address[],
  { bytesMax, signal, post, onBytes }: RequestOptions,
): Promise<Answer> {
  const bounds = { bytesMax, answerMsMax: IDLE_MS_MAX, signal };
  return onceTo(target, addresses, bounds, messageOf(post), async (response) => {
    const { location } = response.headers;
    if (post === undefined && REDIRECTS.has(response.statusCode) && typeof location === 'string')
      return { location };
    if (response.statusCode !== 200) throw new FetchError('status', `${target.host}: ${response.statusCode}`);
    refuseHeaders(response.headers, bytesMax);
    return { body: await bytesOf(response.body, onBytes) };
  });
}

/** What `send` sends. The headers of every request cannot be replaced. */
export interface Sending {
  method: 'PUT' | 'POST' | 'PATCH';
  body: Uint8Array;
  /** In lower case. */
  headers: Record<string, string>;
  signal: AbortSignal;
}

/** The answer of a server to what it was sent. */
export interface SentAnswer {
  status: number;
  etag: string | undefined;
  /** The start of the body. */
  text: string;
}

/**
 * Sends bytes over a new connection, only to these addresses, or over one that was kept. Returns the answer whatever its status
 * is; a redirect is not followed. Throws FetchError if there is none, and the reason of the signal if that fires.
 */
export async function send(
  target: FetchTarget,
  addressesOf: () => Promise<Address[]>,
  { method, body, headers, signal }: Sending,
  connections?: Connections,
): Promise<SentAnswer> {
  const bounds = { bytesMax: -1, answerMsMax: SENT_MS_MAX, isKept: connections !== undefined };
  const message = { method, headers: { ...headers, ...HEADERS }, body } as const;
  const kept = connections?.take(target.origin);
  const client = kept?.client ?? openClient(target, await addressesOf(), bounds);
  const end = (isWhole: boolean): Promise<void> | undefined =>
    isWhole && connections !== undefined
      ? connections.keep(target.origin, { client, since: kept?.since ?? Date.now() })
      : client.destroy();
  return over(client, target, signal, message, end, async (response) => {
    const { etag } = response.headers;
    return {
      status: response.statusCode,
      etag: typeof etag === 'string' ? etag : undefined,
      // The status is the answer; the rest may be missing.
      text: await firstBytes(response.body).then(
        (bytes) => bytes.toString(),
        () => '',
      ),
    };
  });
}

/** What `open` reads. */
export interface Opening {
  /** The place of the first byte. A server may begin earlier: `Opened.start`. */
  from: number;
  signal: AbortSignal;
}

/** The answer of a server to `open`. */
export interface Opened {
  status: number;
  /** The place of the first byte of the body, if the status is 200 or 206. */
  start: number;
  /** Names the present content: an `ETag`, or else the time of the last change. Empty if the server states neither. */
  version: string;
  /** It is compressed, so that it is not what was asked for. */
  isEncoded: boolean;
  /** Throws FetchError for a connection that breaks. A reader that is slow slows the server down. */
  body: AsyncIterable<Buffer>;
  /** To be called when nothing more is read. */
  close(): Promise<void>;
}

/** Begins to read a body of any length over a new connection, only from these addresses. Throws as `request` does. */
export async function open(
  target: FetchTarget,
  addresses: Address[],
  { from, signal }: Opening,
): Promise<Opened> {
  const client = openClient(target, addresses, {
    bytesMax: -1,
    answerMsMax: OPENED_MS_MAX,
    bodyMsMax: OPENED_MS_MAX,
  });
  let isConnected = false;
  client.on('connect', () => {
    isConnected = true;
  });
  const fail = (error: unknown): never => {
    if (signal.aborted || error instanceof FetchError) throw error;
    throw new FetchError(failureOf(error, isConnected), error);
  };
  try {
    const headers = { ...HEADERS, ...(from > 0 && { range: `bytes=${from}-` }) };
    const onInfo = refuseManyInterims();
    const answer = await client.request({ method: 'GET', path: target.path, headers, signal, onInfo });
    answer.body.on('error', () => undefined);
    const { etag, 'last-modified': changed, 'content-range': range = '' } = answer.headers;
    return {
      status: answer.statusCode,
      start:
        answer.statusCode === 206 ? Number(/^bytes (\d{1,15})-/.exec(String(range))?.[1] ?? Number.NaN) : 0,
      version: String(etag ?? changed ?? ''),
      isEncoded: isEncoded(answer.headers),
      body: piecesOf(answer.body, fail),
      close: () => client.destroy(),
    };
  } catch (error) {
    await client.destroy();
    return fail(error);
  }
}

async function* piecesOf(
  body: AsyncIterable<Buffer>,
  fail: (error: unknown) => never,
): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (error) {
    fail(error);
  }
}

interface Message {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  headers: Record<string, string>;
  body?: Uint8Array;
}

/** Sends one message over a connection of its own, and reads the answer. Throws FetchError, and the reason of the signal. */
function onceTo<Read>(
  target: FetchTarget,
  addresses: Address[],
  { signal, ...bounds }: Bounds & { signal: AbortSignal },
  message: Message,
  read: (response: Dispatcher.ResponseData) => Promise<Read>,
): Promise<Read> {
  const client = openClient(target, addresses, bounds);
  return over(client, target, signal, message, () => client.destroy(), read);
}

/** The same over this client. `end` gets whether the answer came to its end. */
async function over<Read>(
  client: Client,
  target: FetchTarget,
  signal: AbortSignal,
  message: Message,
  end: (isWhole: boolean) => Promise<void> | undefined,
  read: (response: Dispatcher.ResponseData) => Promise<Read>,
): Promise<Read> {
  let isConnected = false;
  let isWhole = false;
  const onConnect = (): void => {
    isConnected = true;
  };
  client.once('connect', onConnect);
  try {
    const onInfo = refuseManyInterims();
    const response = await client.request({ ...message, path: target.path, signal, onInfo });
    response.body.on('error', () => undefined);
    const answer = await read(response);
    isWhole = response.body.readableEnded;
    return answer;
  } catch (error) {
    if (signal.aborted || error instanceof FetchError) throw error;
    throw new FetchError(failureOf(error, isConnected), error);
  } finally {
    client.off('connect', onConnect);
    await end(isWhole);
  }
}

async function firstBytes(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= SENT_ANSWER_BYTES_MAX) break;
  }
  return Buffer.concat(pieces).subarray(0, SENT_ANSWER_BYTES_MAX);
}

/** Joins small pieces early: a body can come in millions of them, and each takes far more memory than its bytes. */
async function bytesOf(body: AsyncIterable<Buffer>, onBytes: RequestOptions['onBytes']): Promise<Buffer> {
  const joined: Buffer[] = [];
  const pieces: Buffer[] = [];
  for await (const piece of body) {
    onBytes?.(piece.length);
    pieces.push(piece);
    if (pieces.length === PIECES_MAX) joined.push(Buffer.concat(pieces.splice(0)));
  }
  return Buffer.concat([...joined, ...pieces]);
}

function messageOf(post: Post | undefined): Message {
  if (post === undefined) return { method: 'GET', headers: HEADERS };
  const headers = { ...post.headers, ...HEADERS, 'content-type': post.contentType };
  return { method: 'POST', headers, body: post.body };
}

function refuseManyInterims(): () => void {
  let answers = 0;
  return () => {
    answers += 1;
    if (answers > INTERIM_ANSWERS_MAX)
      throw new FetchError('unreadable', `more than ${INTERIM_ANSWERS_MAX} interim responses`);
  };
}

type Headers = Record<string, string | string[] | undefined>;

function isEncoded(headers: Headers): boolean {
  const { 'content-encoding': coding = 'identity', 'transfer-encoding': transfer = 'chunked' } = headers;
  return String(coding).toLowerCase() !== 'identity' || String(transfer).toLowerCase() !== 'chunked';
}

function refuseHeaders(headers: Headers, bytesMax: number): void {
  if (isEncoded(headers)) throw new FetchError('unreadable', 'the response is encoded');
  const declared = Number(headers['content-length'] ?? 0);
  if (declared > bytesMax) throw new FetchError('large', `${declared} bytes of ${bytesMax}`);
}

function failureOf(error: unknown, isConnected: boolean): FetchFailure {
  if (error instanceof errors.ResponseExceededMaxSizeError) return 'large';
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) return 'slow';
  return isConnected ? 'unreadable' : 'refused';
}
