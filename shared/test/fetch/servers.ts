import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { FetchError } from '@scriptorium/fetching/error';
import type { Resolve } from '@scriptorium/fetching/resolver';
import { z } from 'zod';
import { loadConfig } from '../../src/config.ts';
import {
  createFetcher,
  createSender,
  type Fetcher,
  type FetchOptions,
  type Sender,
} from '../../src/fetch/fetcher.ts';
import { fetchSettings } from '../../src/fetch/settings.ts';

const closers: (() => void)[] = [];

/** For `afterEach`: closes all servers of a test and their connections. */
export function closeServers(): void {
  for (const close of closers.splice(0)) close();
}

/** Starts a server on an address of this machine, by default on all, and returns its port. */
export async function listen(
  server: Server,
  { host, port = 0 }: { host?: string; port?: number } = { host: '127.0.0.1' },
): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

export const serve = (handler: RequestListener): Promise<number> => listen(createHttpServer(handler));

/** A server that writes raw bytes to each connection after the first data. */
export const serveRaw = (speak: (socket: Socket) => void): Promise<number> =>
  listen(createServer((socket) => socket.once('data', () => speak(socket))));

export interface Canary {
  port: number;
  /** Returns the number of connections, which should be 0. */
  visits(): number;
}

/** Listens on a forbidden address, by default on every address of this machine. */
export async function startCanary(host?: string, port = 0): Promise<Canary> {
  let visits = 0;
  const server = createServer((socket) => {
    visits += 1;
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret');
  });
  return {
    port: await listen(server, { ...(host === undefined ? {} : { host }), port }),
    visits: () => visits,
  };
}

export const fetcherOf = (settings: Record<string, string>, resolve?: Resolve): Fetcher =>
  createFetcher(loadConfig(z.object(fetchSettings), settings), resolve);

export const senderOf = (settings: Record<string, string>, resolve?: Resolve): Sender =>
  createSender(loadConfig(z.object(fetchSettings), settings), resolve);

/** A fetcher with access to one port of 127.0.0.1. */
export const fetcherTo = (port: number, resolve?: Resolve): Fetcher =>
  fetcherOf({ FETCH_ALLOW: `127.0.0.1:${port}` }, resolve);

export const options = (changes: Partial<FetchOptions> = {}): FetchOptions => ({
  bytesMax: 1_000_000,
  signal: new AbortController().signal,
  ...changes,
});

export const resolvesTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses;

/** Returns the FetchError of a fetch. Throws for any other outcome. */
export async function failureOf(fetching: Promise<unknown>): Promise<FetchError> {
  const outcome = await fetching.catch((error: unknown) => error);
  if (outcome instanceof FetchError) return outcome;
  throw new Error(`expected a FetchError, not ${String(outcome)}`, { cause: outcome });
}

/** Returns the logged cause of a failure. */
export const causeOf = (error: FetchError): string => (error.cause as Error).message;
