import { setTimeout as sleep } from 'node:timers/promises';
import { Secret } from '@scriptorium/shared/config';
import { connectPatient } from '@scriptorium/shared/queue/connection';

/** MONITOR reports a command after it has run. */
const REPORT_MS = 100;

/** A command that the server executed, without those that a script called. */
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

/** Watches one server with MONITOR, which costs it about a third of its throughput. */
export async function watchRedis(url: string): Promise<RedisWatch> {
  const redis = connectPatient(new Secret(url));
  const monitor = await redis.monitor();
  let executed: Executed[] = [];
  monitor.on('monitor', (time: string, args: string[], source: string) => {
    const [name = '', ...rest] = args;
    if (source !== 'lua')
      executed.push({ at: Number(time) * 1000, name: name.toLowerCase(), args: rest, source });
  });
  return {
    async take() {
      await sleep(REPORT_MS);
      const taken = executed;
      executed = [];
      return taken;
    },
    stop() {
      monitor.disconnect();
      redis.disconnect();
    },
  };
}

/** Counts commands by name. */
export function countsOf(commands: readonly Executed[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { name } of commands) counts[name] = (counts[name] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([, a], [, b]) => b - a));
}
