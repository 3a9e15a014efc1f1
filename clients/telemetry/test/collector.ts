import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Collector {
  readonly endpoint: string;
  readonly requests: Recorded[];
  /** Returns the next POST. */
  next(): Promise<Recorded>;
  close(): Promise<void>;
}

/** `answers`: like the collector; `refuses origins`: without CORS; `is silent`: accepts requests without an answer. */
export type Manner = 'answers' | 'refuses origins' | 'is silent';

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** A server on loopback that replaces the collector and records requests. */
export async function startCollector(manner: Manner = 'answers'): Promise<Collector> {
  const requests: Recorded[] = [];
  const unread: Recorded[] = [];
  const waiting: ((request: Recorded) => void)[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const recorded = { method, path: url, headers, body: await bodyOf(request) };
    requests.push(recorded);
    if (method === 'POST') {
      const next = waiting.shift();
      if (next) next(recorded);
      else unread.push(recorded);
    }
    if (manner === 'is silent') return;
    if (manner === 'answers')
      response
        .setHeader('Access-Control-Allow-Origin', '*')
        .setHeader('Access-Control-Allow-Headers', ['Content-Type', 'X-License-Key']);
    response.writeHead(method === 'OPTIONS' ? 204 : 202).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/collect`,
    requests,
    next: () => {
      const request = unread.shift();
      return request ? Promise.resolve(request) : new Promise((resolve) => waiting.push(resolve));
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
