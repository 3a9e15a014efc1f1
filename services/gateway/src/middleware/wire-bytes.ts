import type { Socket } from 'node:net';

/** On the wire, headers included. */
export interface WireBytes {
  read: number;
  written: number;
}

const earlier = new WeakMap<Socket, WireBytes>();

/** What a connection has carried since it was last asked, or began: for a request, called when its answer has ended. */
export function wireBytesSince(socket: Socket): WireBytes {
  const before = earlier.get(socket) ?? { read: 0, written: 0 };
  const now = { read: socket.bytesRead, written: socket.bytesWritten };
  earlier.set(socket, now);
  return { read: now.read - before.read, written: now.written - before.written };
}
