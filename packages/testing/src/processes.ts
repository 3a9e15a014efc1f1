import { readdirSync, readFileSync } from 'node:fs';

/** proc(5): the unit of the times in /proc/PID/stat, on every Linux that Node runs on. */
const TICKS_A_SECOND = 100;

export interface ProcessInfo {
  pid: number;
  parent: number;
  name: string;
  commandLine: string;
  cpuSeconds: number;
  /** The same without the children that it waited for. */
  ownCpuSeconds: number;
}

function readProcess(pid: number): ProcessInfo | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // utime, stime, and those of waited-for children.
    const seconds = (...at: number[]): number =>
      at.reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS_A_SECOND;
    return {
      pid,
      parent: Number(fields[1]),
      name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
      commandLine: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '),
      cpuSeconds: seconds(11, 12, 13, 14),
      ownCpuSeconds: seconds(11, 12),
    };
  } catch {
    return undefined;
  }
}

/** All processes of the machine. */
export function allProcesses(): ProcessInfo[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((process) => process !== undefined);
}

/** A process, by default this one, and its descendants. */
export function processTree(root = process.pid, all = allProcesses()): ProcessInfo[] {
  const tree = all.filter(({ pid }) => pid === root);
  for (let parents = [root]; parents.length > 0; ) {
    const children = all.filter(({ parent }) => parents.includes(parent));
    tree.push(...children);
    parents = children.map(({ pid }) => pid);
  }
  return tree;
}

/** CPU time of a process and its descendants, including ended ones. */
export function cpuSecondsOfTree(root = process.pid): number {
  return processTree(root).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
}

/** CPU time of several groups of processes by name, read at one time, each with its descendants. */
export function cpuSecondsOfGroups<Name extends string>(
  groups: Record<Name, readonly number[]>,
): Record<Name, number> {
  const all = allProcesses();
  const sum = (roots: readonly number[]): number =>
    roots.flatMap((root) => processTree(root, all)).reduce((total, { cpuSeconds }) => total + cpuSeconds, 0);
  const entries = Object.entries<readonly number[]>(groups).map(([name, roots]) => [name, sum(roots)]);
  return Object.fromEntries(entries) as Record<Name, number>;
}

/** CPU time of all processes of this machine. */
export function cpuSecondsOfMachine(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] =
    readFileSync('/proc/stat', 'latin1').split('\n', 1)[0]?.split(/\s+/).slice(1).map(Number) ?? [];
  return (user + nice + system + irq + softirq) / TICKS_A_SECOND;
}

/** CPU time of this process's ended children. */
export function cpuSecondsOfEndedChildren(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_A_SECOND;
}

export interface Memory {
  /** Sum of the proportional set sizes: a shared page counts once. */
  pssMiB: number;
  /** Sum of the resident set sizes: a shared page counts in each process. */
  rssMiB: number;
}

/** Memory of some processes. */
export function memoryOf(processes: readonly ProcessInfo[]): Memory {
  const memory = { pssMiB: 0, rssMiB: 0 };
  for (const { pid } of processes) {
    try {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      memory.pssMiB += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
      memory.rssMiB += Number(/^Rss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
    } catch {
      // It has ended.
    }
  }
  return memory;
}
