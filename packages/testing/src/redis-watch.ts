import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** MONITOR reports a command after it has run. */
const REPORT_MS = 100;

/** A command that a Redis server executed for a client. Commands that a script called are not reported. */
export interface Executed {
  /** Milliseconds since the epoch, by the clock of the server. */
  at: number;
  /** Lower case. */
  name: string;
  args: string[];
  /** The connection. */
  source: string;
}

export interface RedisWatch {
  /** Returns the commands since the last call. */
  take(): Promise<Executed[]>;
  stop(): void;
}

/** Watches a server with MONITOR, which reduces its throughput. `url` is `redis://host:port` or the path of a socket. */
export async function watchRedis(url: string): Promise<RedisWatch> {
  const { hostname, port } = url.startsWith('/') ? { hostname: '', port: 0 } : new URL(url);
  const socket = createConnection(
    url.startsWith('/') ? { path: url } : { host: hostname, port: Number(port) },
  );
  let executed: Executed[] = [];
  let rest = '';
  socket.setEncoding('latin1');
  const isWatching = new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', (text: string) => {
      const lines = (rest + text).split('\r\n');
      rest = lines.pop() ?? '';
      executed.push(...lines.map(parse).filter((command) => command !== undefined));
      resolve();
    });
  });
  socket.write('MONITOR\r\n');
  await isWatching;
  return {
    async take() {
      await sleep(REPORT_MS);
      const taken = executed;
      executed = [];
      return taken;
    },
    stop: () => void socket.destroy(),
  };
}

/** Parses `+1700000000.123456 [0 127.0.0.1:5000] "get" "key"`. A script's command has the source `lua`. */
function parse(line: string): Executed | undefined {
  const [, seconds, source, words = ''] = /^\+([\d.]+) \[\d+ ([^\]]*)\] (.*)$/.exec(line) ?? [];
  if (source === undefined || source === 'lua') return undefined;
  const [name = '', ...args] = [...words.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) => word);
  return { at: Number(seconds) * 1000, name: name.toLowerCase(), args, source };
}

/** Counts commands by name, the most frequent first. */
export function countsOf(commands: readonly Executed[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { name } of commands) counts[name] = (counts[name] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([, a], [, b]) => b - a));
}
