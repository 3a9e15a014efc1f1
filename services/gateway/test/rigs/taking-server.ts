import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a store or a listener got. */
export interface Got {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

export interface TakingServer {
  host: string;
  got: Got[];
  /** The next statuses that it answers with; 200 without one. */
  statuses: number[];
  /** Forgets both. */
  reset(): void;
  close(): void;
}

/** A server on loopback that takes everything, as an object store or the listener of a webhook. */
export async function startTakingServer(): Promise<TakingServer> {
  const [got, statuses]: [Got[], number[]] = [[], []];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { method = '', url = '', headers } = request;
    got.push({ method, path: url, headers, body: Buffer.concat(pieces).toString() });
    response.writeHead(statuses.shift() ?? 200, { etag: '"abc"' }).end('what the store says');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    statuses,
    reset() {
      got.length = 0;
      statuses.length = 0;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
