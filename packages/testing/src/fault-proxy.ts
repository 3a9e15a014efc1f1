import { rmSync } from 'node:fs';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Bytes that one direction of a connection buffers before its sender must wait. */
const HELD_BYTES_MAX = 1024 * 1024;
const BLACK_HOLE_LOOK_MS = 5;

/** Address of a server on this machine: a TCP port of 127.0.0.1, or a unix socket. */
export type Address = { port: number } | { path: string };

/** What a line does to the bytes of each connection, separately in each direction. */
export interface Faults {
  delayMs: number;
  /** Longest piece that is forwarded at once. */
  sliceBytes: number;
  bytesPerSecond: number;
  /** Accepts connections and bytes, but forwards nothing until this ends. */
  isBlackHole: boolean;
}

/** A line to a server that a test can break and repair while connections use it. */
export interface FaultProxy {
  /** Its listening address. */
  readonly address: Address;
  /** Applies to current and new connections; omitted faults stay unchanged. */
  spoil(faults: Partial<Faults>): void;
  mend(): void;
  /** Breaks every connection and returns their number. New ones are accepted. */
  cut(): number;
  /** Breaks every connection and stops listening. */
  close(): Promise<void>;
}

const SOUND: Faults = {
  delayMs: 0,
  sliceBytes: Number.POSITIVE_INFINITY,
  bytesPerSecond: Number.POSITIVE_INFINITY,
  isBlackHole: false,
};

/** A proxy in front of `target`, on a free port of 127.0.0.1 or on the unix socket `path`. */
export async function startFaultProxy(target: Address, path?: string): Promise<FaultProxy> {
  let faults = SOUND;
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (caller) => {
    const callee = createConnection({ ...target, allowHalfOpen: true, noDelay: true });
    for (const socket of [caller, callee]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    relay(caller, callee, () => faults);
    relay(callee, caller, () => faults);
  });
  const cut = (): number => {
    const count = sockets.size / 2;
    for (const socket of sockets) breakOff(socket);
    return count;
  };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (path === undefined) server.listen(0, '127.0.0.1', resolve);
    else server.listen(path, resolve);
  });
  return {
    address: path === undefined ? { port: (server.address() as AddressInfo).port } : { path },
    spoil(more) {
      faults = { ...faults, ...more };
    },
    mend() {
      faults = SOUND;
    },
    cut,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
      if (path !== undefined) rmSync(path, { force: true });
    },
  };
}

/** Uses a reset if the line has one: a unix socket and an unconnected socket do not. */
function breakOff(socket: Socket): void {
  if (socket.remoteAddress === undefined) socket.destroy();
  else socket.resetAndDestroy();
}

interface Held {
  /** Null for the end of the stream. */
  bytes: Buffer | null;
  dueAt: number;
}

/** Forwards what `from` sends, in order, and its end. If one side breaks, the other breaks too. */
function relay(from: Socket, to: Socket, faults: () => Faults): void {
  const held: Held[] = [];
  let heldBytes = 0;
  let isMoving = false;

  const move = async (): Promise<void> => {
    if (isMoving) return;
    isMoving = true;
    for (let next = held[0]; next !== undefined && !to.destroyed; next = held[0]) {
      await due(next, faults);
      if (next.bytes === null) to.end();
      else await write(to, next.bytes, faults);
      held.shift();
      heldBytes -= next.bytes?.length ?? 0;
      if (heldBytes < HELD_BYTES_MAX) from.resume();
    }
    isMoving = false;
  };
  const hold = (bytes: Buffer | null): void => {
    held.push({ bytes, dueAt: Date.now() + faults().delayMs });
    heldBytes += bytes?.length ?? 0;
    if (heldBytes >= HELD_BYTES_MAX) from.pause();
    void move();
  };
  from.on('data', hold);
  from.on('end', () => hold(null));
  from.on('error', () => to.destroy());
  from.on('close', (hadError) => {
    if (hadError || !from.readableEnded) to.destroy();
  });
}

async function due({ dueAt }: Held, faults: () => Faults): Promise<void> {
  const leftMs = dueAt - Date.now();
  if (leftMs > 0) await sleep(leftMs);
  while (faults().isBlackHole) await sleep(BLACK_HOLE_LOOK_MS);
}

async function write(to: Socket, bytes: Buffer, faults: () => Faults): Promise<void> {
  for (let sent = 0; sent < bytes.length && !to.destroyed; ) {
    const { sliceBytes, bytesPerSecond } = faults();
    const piece = bytes.subarray(sent, sent + Math.min(sliceBytes, bytesPerSecond));
    sent += piece.length;
    if (!to.write(piece)) await drained(to);
    // Each slice is sent separately, not joined with the next.
    if (sliceBytes < bytes.length) await nextTurn();
    if (bytesPerSecond !== Number.POSITIVE_INFINITY) await sleep((1000 * piece.length) / bytesPerSecond);
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    if (socket.destroyed) return resolve();
    socket.on('drain', done).on('close', done);
  });
}
