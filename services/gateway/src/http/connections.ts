import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type HttpServer, listen } from '@scriptorium/shared/http/server';
import type { GatewayConfig } from '../settings/config.ts';
import { networkOf } from './network.ts';

/** With this share of a limit in use, connections without a request are closed early. */
const CROWDED_SHARE = 1 / 2;
const IDLE_MS_MAX = 3_000;
const SWEEP_MS = 1_000;
const BODY_MS_MIN = 10_000;
const REQUEST_EVENTS = ['request', 'checkContinue', 'checkExpectation'];

/** The end of the time in which the body of a request must arrive. */
const bodyLimits = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/** Lifts that limit for a request whose body is read as slowly as it is processed. */
export function acceptLongBody(request: IncomingMessage): void {
  clearTimeout(bodyLimits.get(request));
}

export interface ConnectionLimits {
  /** All connections. */
  connectionsMax: number;
  /** Connections of one client network. Infinity behind a proxy, from which all connections come. */
  perNetworkMax: number;
  /** Time for the body of a request. */
  bodyMsMax: number;
}

/** Why a connection was closed at once. */
export type ConnectionRefusal = 'network' | 'total';

interface Connection {
  network: string;
  requests: number;
  /** Epoch milliseconds: when it was opened, or its last request ended. */
  idleSince: number;
}

/** Listens as the settings say, within their bounds on connections. */
export function openServer(
  app: RequestListener,
  config: GatewayConfig,
  refused: (reason: ConnectionRefusal) => void,
): Promise<HttpServer> {
  const limits = {
    connectionsMax: config.CONNECTIONS_MAX,
    perNetworkMax: config.TRUST_PROXY_HOPS > 0 ? Number.POSITIVE_INFINITY : config.NETWORK_CONNECTIONS_MAX,
    bodyMsMax: Math.max(config.DEADLINE_MS, BODY_MS_MIN),
  };
  return listen(app, config.HOST, config.PORT, 0, (server) => guardConnections(server, limits, refused));
}

/**
 * Bounds the connections of a server, and those of each client network, so that one network cannot keep others from connecting.
 * Where many are open, those without a request are closed after three seconds. Also bounds the time for a body. `refused` is
 * called for each connection that is closed at once.
 */
function guardConnections(
  server: Server,
  limits: ConnectionLimits,
  refused: (reason: ConnectionRefusal) => void,
): void {
  const open = new Map<Socket, Connection>();
  const byNetwork = new Map<string, number>();
  const count = (network: string, change: 1 | -1): void => {
    const own = (byNetwork.get(network) ?? 0) + change;
    if (own === 0) byNetwork.delete(network);
    else byNetwork.set(network, own);
  };
  const isCrowded = (network: string): boolean =>
    open.size >= limits.connectionsMax * CROWDED_SHARE ||
    (byNetwork.get(network) ?? 0) >= limits.perNetworkMax * CROWDED_SHARE;

  server.maxConnections = limits.connectionsMax;
  server.on('drop', () => refused('total'));
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket.remoteAddress ?? '');
    if ((byNetwork.get(network) ?? 0) >= limits.perNetworkMax) {
      refused('network');
      socket.resetAndDestroy();
      return;
    }
    count(network, 1);
    open.set(socket, { network, requests: 0, idleSince: Date.now() });
    socket.once('close', () => {
      open.delete(socket);
      count(network, -1);
    });
  });
  for (const event of REQUEST_EVENTS)
    server.on(event, ({ socket }: IncomingMessage, response: ServerResponse) => {
      const connection = open.get(socket);
      if (connection === undefined) return;
      connection.requests += 1;
      response.once('close', () => {
        connection.requests -= 1;
        connection.idleSince = Date.now();
      });
    });
  const sweep = setInterval(() => {
    const before = Date.now() - IDLE_MS_MAX;
    for (const [socket, { network, requests, idleSince }] of open)
      if (requests === 0 && idleSince < before && isCrowded(network)) socket.destroy();
  }, SWEEP_MS).unref();
  server.once('close', () => clearInterval(sweep));
  limitBodies(server, limits.bodyMsMax);
}

/** Refuses requests whose bodies do not arrive in time. Node's own limit has no exceptions. */
function limitBodies(server: Server, msMax: number): void {
  for (const event of REQUEST_EVENTS)
    server.on(event, (request: IncomingMessage) => {
      const refuse = (): void => {
        if (request.complete) return;
        const late = Object.assign(new Error('the body did not arrive in time'), {
          code: 'ERR_HTTP_REQUEST_TIMEOUT',
        });
        server.emit('clientError', late, request.socket);
      };
      const limit = setTimeout(refuse, msMax).unref();
      bodyLimits.set(request, limit);
      request.once('close', () => clearTimeout(limit));
    });
}
