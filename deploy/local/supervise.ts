import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ServerProcess, startProcess } from '@scriptorium/testing/server-process';
import { LogFile } from './log-file.ts';

const RESTART_MS_MIN = 100;
const RESTART_MS_MAX = 30_000;
const STEADY_MS = 60_000;
const STOP_MS_MAX = 20_000;
/** Time for which a line is not repeated on the terminal: without its database, a service reports the same each second. */
const REPEAT_MS = 60_000;
const ERROR_LEVELS = new Set<unknown>(['error', 'fatal', 50, 60]);

/** A service that is restarted whenever it ends, until it is stopped. */
export interface Supervised {
  stop(): Promise<void>;
  /** Ends it without waiting for its work. */
  kill(): Promise<void>;
}

/** The part of a log line for the terminal: errors, and lines that are not log records, such as a crash. */
function terminalText(line: string): string | undefined {
  if (line.trim() === '') return undefined;
  try {
    const entry = JSON.parse(line) as { level?: unknown; msg?: unknown; err?: { message?: unknown } };
    if (!ERROR_LEVELS.has(entry.level)) return undefined;
    return [entry.msg, entry.err?.message].filter(Boolean).join(': ');
  } catch {
    return line;
  }
}

/** Writes a service's output to its log file and repeats its errors on the terminal. */
export function logTo(folder: string, name: string): (chunk: Buffer) => void {
  const path = join(folder, `${name}.log`);
  const file = new LogFile(path, (code) =>
    console.error(`[${name}] ${path} cannot be written (${code}). The service goes on without it.`),
  );
  const lines = new PassThrough();
  const shownAt = new Map<string, number>();
  createInterface({ input: lines }).on('line', (line) => {
    const text = terminalText(line);
    const now = Date.now();
    if (text === undefined || now - (shownAt.get(text) ?? 0) < REPEAT_MS) return;
    for (const [old, at] of shownAt) if (now - at >= REPEAT_MS) shownAt.delete(old);
    shownAt.set(text, now);
    console.error(`[${name}] ${text}`);
  });
  return (chunk) => {
    file.write(chunk);
    lines.write(chunk);
  };
}

/** Runs this Node with these arguments and that environment. */
export function supervise(
  name: string,
  program: readonly string[],
  env: Record<string, string | undefined>,
  onOutput: (chunk: Buffer) => void,
): Supervised {
  const stopping = new AbortController();
  let current: ServerProcess | undefined;
  const loop = async () => {
    let restartMs = RESTART_MS_MIN;
    while (!stopping.signal.aborted) {
      const started = Date.now();
      current = startProcess(process.execPath, [...program], {
        env,
        onOutput,
        stopMsMax: STOP_MS_MAX,
      });
      const how = await current.ended;
      if (stopping.signal.aborted) return;
      if (Date.now() - started > STEADY_MS) restartMs = RESTART_MS_MIN;
      console.error(`[${name}] ended (${how}); restarting it in ${restartMs / 1000} s`);
      await sleep(restartMs, undefined, { signal: stopping.signal }).catch(() => {});
      restartMs = Math.min(restartMs * 2, RESTART_MS_MAX);
    }
  };
  const done = loop();
  return {
    async stop() {
      stopping.abort();
      await current?.stop();
      await done;
    },
    async kill() {
      stopping.abort();
      await current?.kill();
      await done;
    },
  };
}
