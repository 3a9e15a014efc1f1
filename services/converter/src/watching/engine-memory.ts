import { readFile } from 'node:fs/promises';

/**
 * Memory of all processes that this process and its descendants have started, in bytes. These are the engines'
 * processes: a converter starts no others. Uses the proportional set size, because forks share most of their memory. 0
 * if the system has no /proc. https://docs.kernel.org/filesystems/proc.html
 */
export async function engineMemory(): Promise<number> {
  const sizes = await Promise.all((await descendants(process.pid)).map(proportionalBytes));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function descendants(pid: number): Promise<number[]> {
  const threads = await readProc(`/proc/${pid}/task/${pid}/children`);
  const children = threads.split(' ').filter(Boolean).map(Number);
  return [...children, ...(await Promise.all(children.map(descendants))).flat()];
}

async function proportionalBytes(pid: number): Promise<number> {
  const rollup = await readProc(`/proc/${pid}/smaps_rollup`);
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024;
}

/** Empty if the process has ended. */
const readProc = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
