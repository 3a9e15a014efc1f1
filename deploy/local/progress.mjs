// Plain JavaScript for any Node from 18 on: it runs before the project's own Node is installed.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

const HEARTBEAT_MS = 5_000;
const TAIL_LINES = 20;
const ERROR_LINES_MAX = 10;

/** A failure that is reported to the user without a stack. */
export class SetupError extends Error {}

/** Prints one step, with the time since the process started. The output of a command follows it, and is apart. */
export function say(text) {
  console.error(`[${process.uptime().toFixed(1).padStart(6)} s] ${text}`);
}

/** Keeps the first lines that mention an error and the last lines: the cause often precedes pages of advice. */
function outputSummary() {
  const errors = [];
  const tail = [];
  return {
    add(chunk) {
      const lines = chunk.toString().split(/[\r\n]+/);
      const nonEmpty = lines.filter((line) => line.trim() !== '');
      errors.push(...nonEmpty.filter((line) => /error|^E:/i.test(line)));
      errors.splice(ERROR_LINES_MAX);
      tail.push(...nonEmpty);
      tail.splice(0, Math.max(0, tail.length - TAIL_LINES));
    },
    latest: () => tail.at(-1)?.trim().slice(0, 90) ?? '',
    text() {
      const before = errors.filter((line) => !tail.includes(line));
      return [...before, ...(before.length > 0 ? ['…'] : []), ...tail].join('\n');
    },
  };
}

const running = new Set();

/** Ends the steps that run. */
export function endSteps() {
  for (const child of running) child.kill('SIGTERM');
}

/**
 * Runs a command whose output goes to `.data/logs/<log>.log`, and shows its latest line every few seconds. Rejects with
 * a SetupError that contains the end of the output.
 */
export async function runStep(label, command, args, { log, env = {}, minutesMax = 30, input = 'ignore' }) {
  say(label);
  const folder = join(root, '.data', 'logs');
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, `${log}.log`);
  const file = createWriteStream(logFile);
  // On a full disk, the step itself says so.
  file.on('error', () => {});
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: [input, 'pipe', 'pipe'],
  });
  running.add(child);
  const shown = outputSummary();
  const keep = (chunk) => {
    file.write(chunk);
    shown.add(chunk);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let shownLine = '';
  const heartbeat = setInterval(() => {
    const latest = shown.latest();
    say(`  … ${log}: ${latest === shownLine ? 'still running' : latest}`);
    shownLine = latest;
  }, HEARTBEAT_MS);
  const deadline = setTimeout(() => child.kill('SIGTERM'), minutesMax * 60_000);
  const end = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) =>
      resolve(code === 0 ? '' : `ended with ${signal ?? `code ${code}`}`),
    );
  });
  running.delete(child);
  clearInterval(heartbeat);
  clearTimeout(deadline);
  file.end();
  if (end !== '') {
    const called = [command, ...args].join(' ');
    throw new SetupError(`${called}\n${end}:\n\n${shown.text()}\n\nFull log: ${logFile}`);
  }
}
