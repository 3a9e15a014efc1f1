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
import { AppError, errorBody } from '../errors.ts';
import { newId } from '../ids.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const CHECK_INTERVAL_MS = 5_000;
const KEEP_ALIVE_MS = 65_000;
const REQUESTS_PER_SOCKET_MAX = 1_000;
const CONNECTIONS_MAX = 10_000;
const IDLE_SWEEP_MS = 50;
/** For the first request of a connection that was opened just before the listening ended. */
const UNUSED_MS = 1_000;
/** A caller that asks first (`Expect: 100-continue`) is refused before it has sent its document. */
const REQUEST_EVENTS = ['request', 'checkContinue', 'checkExpectation'];
/** For a refusal to reach the caller before his connection is gone. */
const LINGER_MS = 500;

export interface HttpServer {
  /** The address that it really listens on, as `host:port`. */
  address: string;
  /**
   * For `drainMs`, goes on as before, but for the `Connection: close` on answers: callers who hold a connection move,
   * and a load balancer has time to notice. Then takes no more connections, and waits for the answers that are due, for
   * `answerMsMax` at most: who sends ever more, or never reads, is cut off.
   */
  close(drainMs: number, answerMsMax: number): Promise<void>;
}

/** Serves `app`, which also gets requests that expect 100-continue. A request must arrive in `requestMsMax` (10 s or more). */
export async function listen(
  app: RequestListener,
  host: string,
  port: number,
  requestMsMax: number,
): Promise<HttpServer> {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: Math.max(requestMsMax, HEADERS_TIMEOUT_MS),
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Checked with the other headers, for an answer of our own.
    requireHostHeader: false,
  });
  server.maxRequestsPerSocket = REQUESTS_PER_SOCKET_MAX;
  server.maxConnections = CONNECTIONS_MAX;
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (request, response) => answers.set(request.socket, response));
  const farewell = sayFarewell();
  const connections = watchConnections(server);
  for (const event of REQUEST_EVENTS) {
    server.on(event, farewell.onRequest);
    server.on(event, app);
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // An answer that is out, or on its way, must not be followed by a second one.
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
      farewell.begin();
      await sleep(drainMs);
      await close(server, connections, answerMsMax);
    },
  };
}

/**
 * From `begin` on, answers ask their caller to send his next request over another connection. Not those that refuse a
 * body before it has come: with its connection closed under what is still being sent, a caller would not get to read the
 * answer (RFC 9112 §9.6).
 */
function sayFarewell(): {
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

/** A request without a body (RFC 9112 §6.3) is not yet marked as complete while its handler runs. */
function isStillComing({ complete, headers }: IncomingMessage): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return hasBody && !complete;
}

/** `host:port`, an IPv6 address in brackets. */
export function describeAddress(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

interface Connections {
  /** Closes those on which no request is coming and no answer going. */
  closeIdle(): void;
  /** Closes all, and with a reset: what a slow reader has not taken would stay in the kernel's memory until he has. */
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
      // Node takes a connection for idle whose answer is complete, and would cut off what its caller has yet to read.
      if (![...answers].some(({ writableEnded }) => writableEnded)) server.closeIdleConnections();
      // It takes one for busy that browsers open ahead of need.
      for (const [socket, at] of openedAt)
        if (socket.bytesRead === 0 && Date.now() - at >= UNUSED_MS) socket.destroy();
    },
    cutOff() {
      for (const socket of openedAt.keys()) socket.resetAndDestroy();
    },
  };
}

async function close(server: Server, connections: Connections, answerMsMax: number): Promise<void> {
  // A connection that was busy when the listening ended becomes idle with its answer, and is closed then.
  const sweep = setInterval(connections.closeIdle, IDLE_SWEEP_MS);
  const limit = setTimeout(connections.cutOff, answerMsMax);
  await new Promise<void>((resolve) => {
    // HTTP's own `close` would no longer look for requests that take too long to arrive, and wait for them.
    NetServer.prototype.close.call(server, () => resolve());
  });
  clearInterval(sweep);
  clearTimeout(limit);
  server.close();
}

/** Answers what never became a request: broken framing, too large or too slow headers. */
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
    // The other side may never close its half.
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
