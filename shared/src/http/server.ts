import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, errorBody } from '@scriptorium/contracts/errors';
import { newId } from '../ids.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const CHECK_INTERVAL_MS = 5_000;
const KEEP_ALIVE_MS = 65_000;
const REQUESTS_PER_SOCKET_MAX = 1_000;
const CONNECTIONS_MAX = 10_000;
const IDLE_SWEEP_MS = 50;
/** Time for the first request of a connection that was opened just before the server stopped listening. */
const UNUSED_MS = 1_000;
/** With `Expect: 100-continue`, the app can reject a request before the caller sends the document. */
const REQUEST_EVENTS = ['request', 'checkContinue', 'checkExpectation'];
/** Time for an error to reach the caller before the connection is destroyed. */
const LINGER_MS = 500;

export interface HttpServer {
  /** The server listens on this `host:port`. */
  address: string;
  /**
   * Keeps serving for `drainMs`, with `Connection: close` on answers: callers move to other connections, and a load balancer
   * has time to react. Then it accepts no more connections and waits for pending answers, at most `answerMsMax`. After that
   * it resets the remaining connections.
   */
  close(drainMs: number, answerMsMax: number): Promise<void>;
}

/**
 * Serves `app`, which also gets requests with 100-continue. A request must arrive within `requestMsMax` (10 s or more; 0 for no
 * limit). `prepare` gets the server before it listens.
 */
export async function listen(
  app: RequestListener,
  host: string,
  port: number,
  requestMsMax: number,
  prepare: (server: Server) => void = () => undefined,
): Promise<HttpServer> {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: requestMsMax === 0 ? 0 : Math.max(requestMsMax, HEADERS_TIMEOUT_MS),
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // `refuseAmbiguity` checks the header and sends the Error response.
    requireHostHeader: false,
  });
  server.maxRequestsPerSocket = REQUESTS_PER_SOCKET_MAX;
  server.maxConnections = CONNECTIONS_MAX;
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (request, response) => answers.set(request.socket, response));
  const drain = openDrain();
  const connections = watchConnections(server);
  prepare(server);
  for (const event of REQUEST_EVENTS) {
    server.on(event, drain.onRequest);
    server.on(event, app);
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A second answer must not follow one that has been started.
    if (answers.get(socket)?.headersSent) socket.destroy();
    else answerClientError(error, socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    address: describeAddress(server),
    async close(drainMs, answerMsMax) {
      drain.begin();
      await sleep(drainMs);
      await close(server, connections, answerMsMax);
    },
  };
}

/**
 * From `begin` on, answers have `Connection: close`. An answer that precedes the end of the request body does not have it. The
 * caller could lose the answer when the connection closes while they are sending (RFC 9112 §9.6).
 */
function openDrain(): {
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  begin(): void;
} {
  let hasBegun = false;
  return {
    onRequest(request, response) {
      const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => ServerResponse;
      response.writeHead = (...head: unknown[]) => {
        if (hasBegun && !isStillComing(request)) response.setHeader('Connection', 'close');
        return writeHead(...head);
      };
    },
    begin() {
      hasBegun = true;
    },
  };
}

/** A request without a body (RFC 9112 §6.3) is not marked as complete while its handler runs. */
function isStillComing({ complete, headers }: IncomingMessage): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return hasBody && !complete;
}

/** Returns `host:port`, with an IPv6 address in brackets. */
export function describeAddress(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

interface Connections {
  /** Closes connections without a request or an answer in transit. */
  closeIdle(): void;
  /** Resets all connections, which also frees the unread bytes of slow callers in the kernel. */
  cutOff(): void;
}

function watchConnections(server: Server): Connections {
  const answers = new Set<ServerResponse>();
  const openedAt = new Map<Socket, number>();
  for (const event of REQUEST_EVENTS)
    server.on(event, (_request, response: ServerResponse) => {
      answers.add(response);
      response.once('close', () => answers.delete(response));
    });
  server.on('connection', (socket: Socket) => {
    openedAt.set(socket, Date.now());
    socket.once('close', () => openedAt.delete(socket));
  });
  return {
    closeIdle() {
      // Node treats a connection as idle once the answer is complete, even if the caller has not read all of it.
      if (![...answers].some(({ writableEnded }) => writableEnded)) server.closeIdleConnections();
      // Node treats unused connections, which browsers open in advance, as busy.
      for (const [socket, at] of openedAt)
        if (socket.bytesRead === 0 && Date.now() - at >= UNUSED_MS) socket.destroy();
    },
    cutOff() {
      for (const socket of openedAt.keys()) socket.resetAndDestroy();
    },
  };
}

async function close(server: Server, connections: Connections, answerMsMax: number): Promise<void> {
  // A busy connection becomes idle after its answer and is closed then.
  const sweep = setInterval(connections.closeIdle, IDLE_SWEEP_MS);
  const limit = setTimeout(connections.cutOff, answerMsMax);
  await new Promise<void>((resolve) => {
    // The `close` of HTTP would stop the request timeouts and wait for slow requests.
    NetServer.prototype.close.call(server, () => resolve());
  });
  clearInterval(sweep);
  clearTimeout(limit);
  server.close();
}

/** Answers errors before a request exists: invalid framing, headers that are too large or too slow. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = refusalFor(error.code);
  const requestId = newId('req');
  const body = JSON.stringify(errorBody(refusal, requestId));
  socket.end(
    `HTTP/1.1 ${refusal.status} ${errorBody(refusal, requestId).error}\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
    // The caller may never close its side.
    () => setTimeout(() => socket.destroy(), LINGER_MS).unref(),
  );
}

function refusalFor(code: string | undefined): AppError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new AppError('REQUEST_TIMEOUT', 'The request did not arrive in time.');
  if (code === 'HPE_HEADER_OVERFLOW')
    return new AppError('PAYLOAD_TOO_LARGE', 'The headers exceed the limit of 16384 bytes.');
  return new AppError('VALIDATION_ERROR', 'The request is not valid HTTP.', {
    details: [{ field: 'request', issue: 'is not valid HTTP/1.1' }],
  });
}
