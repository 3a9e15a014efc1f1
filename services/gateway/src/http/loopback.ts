import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Closeable } from '@scriptorium/shared/lifecycle';

/** A server for requests of this process. */
export interface Loopback extends Closeable {
  port: number;
}

/** Listens on a free port of loopback. `close` also ends open connections. Rejects if no port is free. */
export async function listenOnLoopback(app: RequestListener): Promise<Loopback> {
  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
