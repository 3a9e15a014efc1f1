import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { nodeBinary } from './setup.mjs';

const ORPHAN_CHECK_MS = 500;

/**
 * The parent's id and, if /proc shows it, its parent's: npm runs its scripts through a shell, which may outlive npm.
 */
function ancestry() {
  try {
    const stat = readFileSync(`/proc/${process.ppid}/stat`, 'latin1');
    const [, grandparent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${process.ppid} ${grandparent}`;
  } catch {
    return `${process.ppid}`;
  }
}

/**
 * Runs the project's own Node with these arguments in place of this process: output, signals and exit code are
 * forwarded. Under npm, the end of npm counts as SIGTERM, because it cannot forward a kill -9. Returns the exit code;
 * `deadlineMs` bounds the whole run.
 */
export async function handOver(args, { env = {}, deadlineMs = Number.POSITIVE_INFINITY } = {}) {
  const preload = new URL('end-with-parent.mjs', import.meta.url).href;
  const child = spawn(nodeBinary, ['--import', preload, ...args], {
    env: { ...process.env, ...env, SCRIPTORIUM_ENTRY_PID: String(process.pid) },
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
  });
  const pass = (signal) => child.kill(signal);
  // A Ctrl-C in the terminal has already reached the child; this process only has to outlive it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', pass);
  process.on('SIGHUP', pass);
  const born = ancestry();
  const orphanCheck = setInterval(() => {
    if (process.env.npm_lifecycle_event !== undefined && ancestry() !== born) pass('SIGTERM');
  }, ORPHAN_CHECK_MS);
  const deadline = Number.isFinite(deadlineMs) ? setTimeout(() => pass('SIGKILL'), deadlineMs) : undefined;
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signal) => resolve(signal === null ? exitCode : 1));
  });
  clearInterval(orphanCheck);
  clearTimeout(deadline);
  return code;
}
