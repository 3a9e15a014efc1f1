import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** An authority's reaction to a request: `down` breaks the connection, `slow` never answers. */
export type Answer = { type: string; body: Buffer; status?: number } | 'down' | 'slow';

export interface Visit {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** An HTTP server on its own port of 127.0.0.1. */
export interface Loopback {
  port: number;
  /** Every request so far. */
  visits: Visit[];
  close(): Promise<void>;
}

/** Looks paths up at each request, so that `routes` may grow. */
export async function startLoopback(routes: Map<string, (visit: Visit) => Answer>): Promise<Loopback> {
  const visits: Visit[] = [];
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = request;
    const visit = { method, path, headers, body: await buffer(request) };
    visits.push(visit);
    const route = routes.get(path);
    if (route === undefined) {
      response.writeHead(404).end();
      return;
    }
    const answer = route(visit);
    if (answer === 'slow') return;
    if (answer === 'down') request.socket.destroy();
    else response.writeHead(answer.status ?? 200, { 'content-type': answer.type }).end(answer.body);
  };
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    visits,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
