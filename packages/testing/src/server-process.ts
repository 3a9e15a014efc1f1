import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessOptions {
  argv0?: string;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  /** Receives stdout and stderr; without it and `onOutput` they are dropped. */
  logFile?: string;
  /** Receives stdout and stderr in place of a file. */
  onOutput?: (chunk: Buffer) => void;
  /** The signal that requests an orderly end. */
  stopSignal?: NodeJS.Signals;
  /** After this time without an end, its whole group gets SIGKILL. */
  stopMsMax?: number;
}

/** A server that could not start, for a reason outside of the code: the message has what the server said. */
export class ServerError extends Error {}

const LAST_LINES = 4;
const RESTART_MS = 1_000;

/** The last lines of a text, indented. */
export const lastLines = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-LAST_LINES)
    .map((line) => `\n  ${line.trim()}`)
    .join('');

/** A server that runs beside this process and does not outlive it. */
export interface ServerProcess {
  readonly pid: number;
  /** Resolves with its end: `code 0`, `signal SIGKILL`. Never rejects. */
  readonly ended: Promise<string>;
  /** The last lines that it wrote into its log file. */
  lastWords(): string;
  /** Requests its end, and kills it if it does not end. */
  stop(): Promise<void>;
  /** SIGKILL to its group. */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
}

// Its pipe closes with this process however it ends, even by kill -9; only then does it act. Each line that it reads has all
// servers that run: the signal and the process group of each.
const GUARD = `while read -r line; do servers=$line; done
for server in $servers; do
  kill -s "\${server%%:*}" -- "-\${server#*:}" 2>/dev/null && left="$left \${server#*:}"
done
[ -n "$left" ] && sleep 3
for group in $left; do kill -s KILL -- "-$group" 2>/dev/null; done`;

const REMOVE = `read -r _
for _ in 1 2 3 4 5 6; do sleep 1; rm -rf -- "$1" 2>/dev/null; [ -e "$1" ] || exit 0; done`;

/** A shell that outlives this process, and gets its pipe. */
function startShell(script: string, ...args: string[]): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', script, 'guard', ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
  });
  shell.on('error', () => {});
  shell.stdin?.on('error', () => {});
  shell.unref();
  return shell;
}

/** The signal for each process group that must not outlive this process. */
const guarded = new Map<number, string>();
/** One for all servers: each start of a process costs some 30 ms. */
let guard: ChildProcess | undefined;

function updateGuard(): void {
  guard ??= startShell(GUARD);
  guard.stdin?.write(`${[...guarded].map(([pid, signal]) => `${signal}:${pid}`).join(' ')}\n`);
  if (guarded.size > 0) return;
  guard.stdin?.end();
  guard = undefined;
}

/** Ends a server with this process. Returns a function that cancels this: then another process may get its id. */
function endWithProcess(pid: number, signal: NodeJS.Signals): () => void {
  guarded.set(pid, signal.slice(3));
  updateGuard();
  return () => {
    guarded.delete(pid);
    updateGuard();
  };
}

/** Removes `folder` when this process ends, however it ends. Returns a function that cancels this. */
export function removeWithProcess(folder: string): () => void {
  const shell = startShell(REMOVE, folder);
  return () => {
    shell.kill('SIGKILL');
    shell.stdin?.destroy();
  };
}

function groupKill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has ended already.
  }
}

/**
 * Starts a server in its own process group: a Ctrl-C in the terminal reaches only this process, which stops it in
 * order.
 */
export function startProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): ServerProcess {
  const { logFile, onOutput, stopSignal = 'SIGTERM', stopMsMax = 10_000, ...spawnOptions } = options;
  const unlogged = onOutput === undefined ? 'ignore' : 'pipe';
  const output = logFile === undefined ? unlogged : openSync(logFile, 'a', 0o600);
  const logStart = logFile === undefined ? 0 : statSync(logFile).size;
  const child = spawn(command, args, { ...spawnOptions, detached: true, stdio: ['ignore', output, output] });
  if (typeof output === 'number') closeSync(output);
  if (onOutput !== undefined) {
    child.stdout?.on('data', onOutput);
    child.stderr?.on('data', onOutput);
  }
  const release = child.pid === undefined ? () => {} : endWithProcess(child.pid, stopSignal);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`not started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(signal === null ? `code ${code}` : `signal ${signal}`));
  }).finally(release);
  const alive = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const kill = async () => {
    if (alive()) groupKill(child, 'SIGKILL');
    await ended;
  };
  return {
    pid: child.pid ?? 0,
    ended,
    lastWords: () =>
      logFile === undefined ? '' : lastLines(readFileSync(logFile).subarray(logStart).toString()),
    kill,
    async stop() {
      if (alive()) {
        child.kill(stopSignal);
        groupKill(child, 'SIGCONT');
      }
      const timer = new AbortController();
      const inTime = await Promise.race([
        ended.then(() => true),
        sleep(stopMsMax, false, { signal: timer.signal }).catch(() => false),
      ]);
      timer.abort();
      if (!inTime) await kill();
    },
    pause: () => groupKill(child, 'SIGSTOP'),
    resume: () => groupKill(child, 'SIGCONT'),
  };
}

/** Starts a server again whenever it ends by itself, as after its disk was full. */
export interface Restarter {
  /** From now on, for this process of it. */
  watch(server: ServerProcess): void;
  /** Its end is wanted. */
  rest(): void;
}

/** `onEnd` gets the reason, once until the server runs again. Without it, nothing is started. */
export function restarter(start: () => Promise<void>, onEnd?: (reason: string) => void): Restarter {
  let isWanted = false;
  const restart = async (): Promise<void> => {
    await sleep(RESTART_MS);
    if (isWanted) await start().catch(restart);
  };
  return {
    watch(server) {
      isWanted = onEnd !== undefined;
      void server.ended.then((how) => {
        if (!isWanted) return;
        onEnd?.(`ended (${how})${server.lastWords()}`);
        void restart();
      });
    },
    rest() {
      isWanted = false;
    },
  };
}

/** A TCP port of 127.0.0.1 that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('No TCP port is free on 127.0.0.1.');
  return address.port;
}

/** Tries `probe` until it succeeds; throws its last error once `timeoutMs` has passed or the server has ended. */
export async function waitUntilReady(
  name: string,
  server: ServerProcess,
  probe: () => Promise<void>,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let end: string | undefined;
  server.ended.then((how) => {
    end = how;
  });
  for (;;) {
    try {
      return await probe();
    } catch (cause) {
      if (end !== undefined)
        throw new ServerError(`${name} ended while starting (${end}).${server.lastWords()}`, { cause });
      if (Date.now() > deadline) {
        await server.kill();
        throw new ServerError(`${name} was not ready within ${timeoutMs} ms.${server.lastWords()}`, {
          cause,
        });
      }
    }
    await sleep(20);
  }
}
