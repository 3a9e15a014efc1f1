import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

const PROBE_INTERVAL_MS = 200;
const PROBE_MS_MAX = 1_000;

/** A TCP balancer like those in front of gateways: round robin by connection. */
export interface Balancer {
  readonly port: number;
  /** Adds a server to the rotation. */
  add(port: number): void;
  close(): Promise<void>;
}

interface Target {
  port: number;
  isReady: boolean;
}

/**
 * Listens on a free port of 127.0.0.1, and passes each connection to the next ready server: it polls `/readyz` of each
 * every 200 ms. A server that refuses the connection is skipped.
 */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const targets: Target[] = ports.map((port) => ({ port, isReady: true }));
  const sockets = new Set<Socket>();
  let turn = 0;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  };

  const handOver = (caller: Socket, untried: Target[]): void => {
    const [target, ...others] = untried;
    if (target === undefined) return void caller.destroy();
    const callee = createConnection({ port: target.port, host: '127.0.0.1', noDelay: true });
    const passOver = (): void => {
      target.isReady = false;
      handOver(caller, others);
    };
    keep(callee);
    callee.once('error', passOver);
    callee.once('connect', () => {
      callee.off('error', passOver);
      join(caller, callee);
    });
  };
  const server = createServer({ noDelay: true, pauseOnConnect: true }, (caller) => {
    keep(caller);
    caller.on('error', () => undefined);
    const ready = targets.filter(({ isReady }) => isReady);
    const first = turn++ % Math.max(1, ready.length);
    handOver(caller, [...ready.slice(first), ...ready.slice(0, first)]);
  });
  const probing = setInterval(() => {
    for (const target of targets) void probe(target);
  }, PROBE_INTERVAL_MS);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    add: (port) => void targets.push({ port, isReady: true }),
    async close() {
      clearInterval(probing);
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Relays in both directions; if one side ends or breaks, so does the other. */
function join(caller: Socket, callee: Socket): void {
  for (const [from, to] of [
    [caller, callee],
    [callee, caller],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.resetAndDestroy());
    from.on('close', () => to.destroySoon());
  }
  caller.resume();
}

async function probe(target: Target): Promise<void> {
  const signal = AbortSignal.timeout(PROBE_MS_MAX);
  const answer = await fetch(`http://127.0.0.1:${target.port}/readyz`, { signal }).catch(() => undefined);
  await answer?.arrayBuffer().catch(() => undefined);
  target.isReady = answer?.ok ?? false;
}
