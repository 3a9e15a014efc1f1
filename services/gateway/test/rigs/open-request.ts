import { connect } from 'node:net';

/** Opens a request on its own connection and leaves it open. Returns the received text and ways to continue. */
export function openRequest(
  url: string,
  key: string,
  path: string,
  headers: Record<string, string | number>,
  from = '127.0.0.1',
) {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, localAddress: from });
  const lines = Object.entries({ host: 'a', authorization: `Bearer ${key}`, ...headers });
  socket.write(
    `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  socket.on('error', () => undefined);
  return { socket, text: () => text };
}

/** Whether it comes true. The time only ends what hangs. */
export async function until(condition: () => Promise<boolean> | boolean, ms = 60_000): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    if (await condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}
