import { randomUUID } from 'node:crypto';
import { constants, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import {
  access,
  chmod,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  statfs,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineError } from './engine.ts';

const NAME_PREFIX = 'scriptorium-engine';
/** What a synchronous write or read may take of the event loop's time: less than a millisecond. */
export const SYNC_BYTES_MAX = 2 ** 20;
const SHARED_MEMORY = '/dev/shm';
/** linux/magic.h */
const TMPFS_MAGIC = 0x01021994;

/** Where engines keep documents during conversion: in memory if the host supports it, so that no disk stores one. */
export async function defaultWorkRoot(): Promise<string> {
  try {
    await access(SHARED_MEMORY, constants.W_OK);
    if ((await statfs(SHARED_MEMORY)).type === TMPFS_MAGIC) return SHARED_MEMORY;
  } catch {
    // Missing, or owned by another user.
  }
  return tmpdir();
}

/**
 * When a process started, in kernel ticks since boot: with its id, this name is never reused. A process that has ended counts
 * as none, even if its parent has not noticed.
 */
async function startTicks(pid: number): Promise<string> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The second field is the command in parentheses, and may hold spaces. proc_pid_stat(5): state is field 3, starttime 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? '0' : (fields[19] ?? '0');
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

/** Room below which no document can be converted: the largest ones take more. */
const ROOM_BYTES_MIN = 32 * 2 ** 20;
const ROOM_FILES_MIN = 100;

/** Throws `unavailable` if the file system of a directory has no room for documents. */
export async function requireRoom(dir: string, bytesMin = ROOM_BYTES_MIN): Promise<void> {
  const { bavail, bsize, ffree, files } = await statfs(dir).catch(workDirFails);
  // A file system without a limit on files reports 0 of both.
  if (bavail * bsize >= bytesMin && (files === 0 || ffree >= ROOM_FILES_MIN)) return;
  throw new EngineError('unavailable', `the work directory has no room: ${bavail * bsize} bytes are free`);
}

/** The error of a job in this directory: `unavailable` if room for the job was missing, which was not the document's fault. */
export async function blamedError(error: unknown, dir: string): Promise<unknown> {
  if (!(error instanceof EngineError) || error.kind === 'aborted') return error;
  return await requireRoom(dir).then(
    () => error,
    (full) => full,
  );
}

/** Throws `unavailable`: a full file system is not the document's fault. */
export function workDirFails(error: Error): never {
  throw new EngineError('unavailable', `the work directory fails: ${error.message}`, { cause: error });
}

/** Creates a directory that only this user can enter, named after this process. Throws `unavailable` on failure. */
export async function makeWorkDir(root: string): Promise<string> {
  const name = `${NAME_PREFIX}-${process.pid}-${await startTicks(process.pid)}-`;
  const dir = await mkdtemp(join(root, name)).catch(workDirFails);
  if (!/^[!-~]+$/.test(dir)) {
    await rm(dir, { recursive: true, force: true });
    throw new Error(
      `The engines need a work directory with a plain ASCII path, not ${JSON.stringify(root)}.`,
    );
  }
  return dir;
}

/**
 * Creates one job's directory inside a work directory. Throws `unavailable` on failure. Synchronous, as is most of what
 * follows: in memory it takes microseconds, and the way to a thread and back takes ten times as long.
 */
export function makeJobDir(workDir: string, name: string): string {
  const dir = join(workDir, name);
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    workDirFails(error as Error);
  }
  return dir;
}

/**
 * Writes a job's document, or other input. Throws `unavailable` on failure. Creates the file, so that it follows no link that
 * an earlier document of the child has left.
 */
export async function writeInput(path: string, bytes: Uint8Array): Promise<void> {
  const options = { mode: 0o600, flag: 'wx' };
  try {
    if (bytes.length <= SYNC_BYTES_MAX) writeFileSync(path, bytes, options);
    else await writeFile(path, bytes, options);
  } catch (error) {
    workDirFails(error as Error);
  }
}

/**
 * Removes a directory with everything that a document's process created there: folders that cannot be listed, or whose
 * paths are too long. A dying process may still write to it, hence the retries.
 */
export async function removeDir(dir: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 20 };
  try {
    rmSync(dir, { recursive: true, force: true });
  } catch {
    await flatten(dir);
    await rm(dir, options);
  }
}

/** Ignores a missing file: the attempt that timed out may still be removing files. */
function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Empties a directory: moves each folder in it, however deep, to the top and empties it there. */
async function flatten(dir: string): Promise<void> {
  const unique = randomUUID();
  let moved = 0;
  const folders = [dir];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { encoding: 'buffer', withFileTypes: true })) {
      const path = Buffer.concat([Buffer.from(`${folder}/`), entry.name]);
      if (!entry.isDirectory()) {
        await unlink(path).catch(unlessGone);
        continue;
      }
      const top = join(dir, `${unique}-${++moved}`);
      // A folder without write permission can be neither moved nor emptied.
      await chmod(path, 0o700).catch(unlessGone);
      await rename(path, top).then(() => folders.push(top), unlessGone);
    }
    if (folder !== dir) await rmdir(folder).catch(unlessGone);
  }
}

/**
 * Kills every LibreOffice whose user installation is below the directory, then removes the directory.
 *
 * A script starts a launcher that starts LibreOffice, so the parent must search for the process to end it.
 */
export async function killAndRemove(dir: string): Promise<void> {
  for (const entry of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(entry)) continue;
    const commandLine = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
    if (!commandLine.includes(`-env:UserInstallation=file://${dir}/`)) continue;
    try {
      process.kill(Number(entry), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  await removeDir(dir);
}

/** Whether this user owns it: in a shared directory, other users could have created it with any content. */
async function isOwn(path: string): Promise<boolean> {
  const status = await lstat(path).catch(unlessGone);
  return status?.isDirectory() === true && status.uid === process.geteuid?.();
}

/**
 * Removes this user's work directories whose process has ended: a killed process cannot remove its own. Rejects with
 * `unavailable` if the root cannot be read.
 */
export async function removeStaleWorkDirs(root: string): Promise<void> {
  for (const name of await readdir(root).catch(workDirFails)) {
    const match = /^scriptorium-engine-(\d+)-(\d+)-/.exec(name);
    if (match?.[1] === undefined || match[2] === undefined || !(await isOwn(join(root, name)))) continue;
    if (!(await isOwnerAlive(Number(match[1]), match[2]))) await killAndRemove(join(root, name));
  }
}
