import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessInfo, processTree } from '@scriptorium/testing/processes';

export interface Process extends Pick<ProcessInfo, 'pid' | 'parent' | 'name'> {
  cwd: string;
}

/** A zombie has no working directory any more, and is not listed. */
function withFolder({ pid, parent, name }: ProcessInfo): Process[] {
  try {
    return [{ pid, parent, name, cwd: readlinkSync(`/proc/${pid}/cwd`) }];
  } catch {
    return [];
  }
}

const allDescendants = (): Process[] =>
  processTree()
    .filter(({ pid }) => pid !== process.pid)
    .flatMap(withFolder);

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
  limitMs = 120_000,
): Promise<T> {
  for (const end = Date.now() + limitMs; Date.now() < end; ) {
    const value = probe();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`not within ${limitMs} ms: ${what}`);
}

/** The children of zygotes whose directories hold a document. */
export function busyProcesses(): Process[] {
  return descendants().filter(
    ({ parent, name, cwd }) =>
      name === 'engine-host' && parent !== process.pid && existsSync(join(cwd, 'input.docx')),
  );
}
