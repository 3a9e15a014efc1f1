import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME_PREFIX = 'scriptorium-engine';
const SHARED_MEMORY = '/dev/shm';
/** linux/magic.h */
const TMPFS_MAGIC = 0x01021994;

/** Where engines keep documents while they convert them: memory where the host has it, so that no disk sees one. */
export async function defaultWorkRoot(): Promise<string> {
  try {
    await access(SHARED_MEMORY, constants.W_OK);
    if ((await statfs(SHARED_MEMORY)).type === TMPFS_MAGIC) return SHARED_MEMORY;
  } catch {
    // Not there, or not ours.
  }
  return tmpdir();
}

/** When a process started, in the kernel's ticks since boot: with its id, a name that is not used twice. */
async function startTicks(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The second field is the command in parentheses, and may hold spaces. proc_pid_stat(5): starttime is field 22.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
  } catch {
    return '0';
  }
}

async function isOwnerAlive(pid: number, ticks: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return (await startTicks(pid)) === ticks;
}

/** Makes a directory that only this user can enter, named for this process. */
export async function makeWorkDir(root: string): Promise<string> {
  const dir = await mkdtemp(join(root, `${NAME_PREFIX}-${process.pid}-${await startTicks(process.pid)}-`));
  if (!/^[!-~]+$/.test(dir)) {
    await rm(dir, { recursive: true, force: true });
    throw new Error(
      `The engines need a work directory with a plain ASCII path, not ${JSON.stringify(root)}.`,
    );
  }
  return dir;
}

/** Makes one job's directory inside a work directory. */
export async function makeJobDir(workDir: string, name: string): Promise<string> {
  const dir = join(workDir, name);
  await mkdir(dir, { mode: 0o700 });
  return dir;
}

/** Removes a directory and all in it. A process that is just dying may still write to it, hence the retries. */
export async function removeDir(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}

/**
 * Kills every LibreOffice whose user installation is below the directory, then removes it.
 *
 * For LibreOffice started by a script that starts a launcher: its parent can end it only by looking for it.
 */
export async function killAndRemove(dir: string): Promise<void> {
  for (const entry of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(entry)) continue;
    const commandLine = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
    if (!commandLine.includes(`-env:UserInstallation=file://${dir}/`)) continue;
    try {
      process.kill(Number(entry), 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  }
  await removeDir(dir);
}

/** Removes the work directories whose process is gone: killed, it could not do so itself. */
export async function removeStaleWorkDirs(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    const match = /^scriptorium-engine-(\d+)-(\d+)-/.exec(name);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    if (!(await isOwnerAlive(Number(match[1]), match[2]))) await killAndRemove(join(root, name));
  }
}
