import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RowsServer {
  url: string;
  host: string;
  /** What it sends. */
  content: Buffer;
  version: string;
  hasRanges: boolean;
  /** A content encoding that it names. */
  encoding: string | undefined;
  /** The next answers break off after so many bytes. */
  breaks: number[];
  /** The ranges that it was asked for. */
  asked: (string | undefined)[];
  close(): void;
}

/** A server on loopback for the rows of a batch. */
export async function startRowsServer(): Promise<RowsServer> {
  const server = createServer((request, response) => {
    const { range } = request.headers;
    rows.asked.push(range);
    const from = rows.hasRanges ? Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0) : 0;
    const rest = rows.content.subarray(from);
    const size = rows.content.length;
    response.writeHead(range !== undefined && rows.hasRanges ? 206 : 200, {
      etag: rows.version,
      ...(rows.encoding !== undefined && { 'content-encoding': rows.encoding }),
      'content-length': rest.length,
      ...(rows.hasRanges && range !== undefined && { 'content-range': `bytes ${from}-${size - 1}/${size}` }),
    });
    const until = rows.breaks.shift();
    if (until === undefined) response.end(rest);
    else response.write(rest.subarray(0, until), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rows: RowsServer = {
    ...{ host, url: `http://${host}/rows.ndjson`, content: Buffer.alloc(0), version: '"1"', hasRanges: true },
    ...{ breaks: [], asked: [], encoding: undefined },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return rows;
}
