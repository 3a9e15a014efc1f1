import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  allProcesses,
  cpuSecondsOfGroups,
  cpuSecondsOfMachine,
  memoryOf,
  processTree,
} from '@scriptorium/testing/processes';
import type { Redis } from 'ioredis';
import type { News, Order, Seen, Task } from './load.ts';
import type { OperationName } from './operations.ts';
import { ROLES, type Role, type Stand } from './stand.ts';

const WARM_UP_MS = 1_000;

/** The process of the callers. */
export interface LoadProcess {
  pid: number;
  start(task: Task): Promise<void>;
  begin(): void;
  stop(): Promise<Seen>;
  close(): Promise<void>;
}

export function startLoad(): LoadProcess {
  const file = fileURLToPath(new URL('load.ts', import.meta.url));
  const child: ChildProcess = fork(file, { execArgv: ['--conditions=source'], serialization: 'advanced' });
  const ended = once(child, 'exit');
  const sendOrder = (order: Order): void => void child.send(order);
  const hear = async (): Promise<News> => {
    const news = once(child, 'message').then(([message]) => message as News);
    const end = ended.then(([code]) => Promise.reject(new Error(`the callers ended with ${code}`)));
    return await Promise.race([news, end]);
  };
  return {
    pid: child.pid ?? 0,
    async start(task) {
      sendOrder({ type: 'start', task });
      await hear();
    },
    begin: () => sendOrder({ type: 'begin' }),
    async stop() {
      sendOrder({ type: 'stop' });
      const news = await hear();
      if (news.type !== 'seen') throw new Error(`unexpected message of the callers: ${news.type}`);
      return news.seen;
    },
    async close() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/**
 * CPU seconds of the service by role, of the callers, of this process (with the balancer), and of all other processes.
 */
export type CpuSeconds = Record<Role | 'load' | 'bench' | 'others', number>;

export interface Sample extends Seen {
  cpuSeconds: CpuSeconds;
  /** Calls of each command, including those in scripts. */
  commands: { queue: Record<string, number>; blobs: Record<string, number> };
  /** The maximum of one process of a role and its descendants: each shared page counts once, MiB. */
  memoryMiB: Partial<Record<Role, number>>;
}

export interface Drive {
  operation: OperationName;
  /** API keys, one for each caller. */
  keys: string[];
  gateways: number;
  seconds: number;
}

/**
 * Lets callers send one operation to a stand; each sends the next request after a response. Throws if one is refused.
 */
export async function drive(stand: Stand, load: LoadProcess, options: Drive): Promise<Sample> {
  const { operation, keys, gateways, seconds } = options;
  const { url, close } = await stand.url(gateways);
  try {
    await load.start({ operation, url, keys });
    await sleep(WARM_UP_MS);
    const measured = await watch(stand, gateways, load.pid, async () => {
      load.begin();
      await sleep(seconds * 1000);
    });
    const memoryMiB = readMemory(stand.processes(gateways));
    const seen = await load.stop();
    if (seen.refusals.length > 0)
      throw new Error(`${operation}: ${seen.refusals.length} refused, the first: ${seen.refusals[0]}`);
    return { ...seen, ...measured, memoryMiB };
  } finally {
    await close();
  }
}

/** CPU time and commands during an action. */
export async function watch(
  stand: Stand,
  gateways: number,
  loadPid: number,
  during: () => Promise<void>,
): Promise<Pick<Sample, 'cpuSeconds' | 'commands'>> {
  const processes = stand.processes(gateways);
  const groups = { ...processes, load: [loadPid] };
  const commandsBefore = await Promise.all([stand.queue, stand.blobs].map(callsOf));
  const machineBefore = cpuSecondsOfMachine();
  const ownBefore = ownCpuSeconds();
  const before = cpuSecondsOfGroups(groups);
  await during();
  const after = cpuSecondsOfGroups(groups);
  const bench = ownCpuSeconds() - ownBefore;
  const machine = cpuSecondsOfMachine() - machineBefore;
  const [queue = {}, blobs = {}] = await Promise.all(
    [stand.queue, stand.blobs].map(async (redis, index) =>
      differences(await callsOf(redis), commandsBefore[index] ?? {}),
    ),
  );
  const known = differences(after, before);
  const ours = Object.values(known).reduce((sum, value) => sum + value, bench);
  const others = Math.max(0, machine - ours);
  return { cpuSeconds: { ...known, bench, others }, commands: { queue, blobs } };
}

function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}

async function callsOf(redis: Redis): Promise<Record<string, number>> {
  const lines = (await redis.info('commandstats')).matchAll(/cmdstat_([^:]+):calls=(\d+)/g);
  return Object.fromEntries([...lines].map(([, command = '', calls]) => [command, Number(calls)]));
}

function differences<Name extends string>(
  after: Record<Name, number>,
  before: Partial<Record<Name, number>>,
): Record<Name, number> {
  const entries = Object.entries<number>(after).map(([name, value]) => [
    name,
    value - (before[name as Name] ?? 0),
  ]);
  return Object.fromEntries(entries) as Record<Name, number>;
}

/** Read while the callers continue, after the clock has stopped: reading takes time. */
export function readMemory(processes: Record<Role, number[]>): Sample['memoryMiB'] {
  const all = allProcesses();
  const mostOf = (pids: number[]): number =>
    Math.max(0, ...pids.map((pid) => memoryOf(processTree(pid, all)).pssMiB));
  return Object.fromEntries(ROLES.map((role) => [role, mostOf(processes[role])]));
}
