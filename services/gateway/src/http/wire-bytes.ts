import type { Socket } from 'node:net';

/** Bytes on the wire, including headers. */
export interface WireBytes {
  read: number;
  written: number;
}

const earlier = new WeakMap<Socket, WireBytes>();

/** Returns the bytes of a connection since the last call. Called at the end of each answer. */
export function wireBytesSince(socket: Socket): WireBytes {
  const before = earlier.get(socket) ?? { read: 0, written: 0 };
  const now = { read: socket.bytesRead, written: socket.bytesWritten };
  earlier.set(socket, now);
  return { read: now.read - before.read, written: now.written - before.written };
}
