import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

export interface Process {
  pid: number;
  parent: number;
  name: string;
  cwd: string;
}

function readProcess(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z') return undefined;
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    return { pid, parent: Number(parent), name, cwd: readlinkSync(`/proc/${pid}/cwd`) };
  } catch {
    return undefined;
  }
}

function allDescendants(): Process[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((process) => process !== undefined);
  const found: Process[] = [];
  for (let parents = [process.pid]; parents.length > 0; ) {
    const next = all.filter(({ parent }) => parents.includes(parent));
    found.push(...next);
    parents = next.map(({ pid }) => pid);
  }
  return found;
}

/** Jest runs many test files in one process: earlier ones may have left processes. */
const foreign = new Set(allDescendants().map(({ pid }) => pid));

/** Every process that descends from this one and was started after the test file was loaded. */
export function descendants(): Process[] {
  return allDescendants().filter(({ pid }) => !foreign.has(pid));
}

/** Every file under a directory. */
export function filesUnder(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Waits until a condition holds. Fails after a bounded time. */
export async function until<T>(
  what: string,
  probe: () => T | undefined | false,
  limitMs = 15_000,
): Promise<T> {
  for (const end = Date.now() + limitMs; Date.now() < end; ) {
    const value = probe();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`not within ${limitMs} ms: ${what}`);
}
