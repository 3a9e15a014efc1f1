import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Closeable } from '@scriptorium/shared/lifecycle';

/** Where it is built; the path holds from `src` and from `dist`. */
const PROGRAM = fileURLToPath(new URL('../dist/second-reader', import.meta.url));
const START_MS_MAX = 60_000;
const RESTART_MS = 1_000;
const NAME_BYTES = 16;

/** Starts the program once without a document. Returns its walls and the version of Poppler. Throws with why it cannot run. */
export async function tryPoppler(program = PROGRAM): Promise<string> {
  try {
    return (await promisify(execFile)(program, { timeout: START_MS_MAX, env: {} })).stdout.trim();
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: string };
    throw new Error(stderr?.trim() || `${program} cannot be started (${code})`, { cause: error });
  }
}

export interface PopplerHostOptions {
  program?: string;
  onEnd?: () => void;
}

/**
 * A process that forks one for each document (`second-reader/host.h`). It belongs to the main thread, since what a thread has
 * started is not collected after the end of the thread. It is started again if it ends.
 */
export class PopplerHost implements Closeable {
  /** By which threads connect. */
  readonly name = `scriptorium-second-reader-${randomBytes(NAME_BYTES).toString('hex')}`;
  readonly #options: PopplerHostOptions;
  #child: ChildProcessByStdio<null, Readable, null> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isUp = false;
  #isClosed = false;

  constructor(options: PopplerHostOptions = {}) {
    this.#options = options;
  }

  /** Whether it accepts documents. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Resolves once it accepts documents. Rejects if it ends before. */
  async start(): Promise<void> {
    const { program = PROGRAM, onEnd } = this.#options;
    const args = [this.name, String(process.pid)];
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], env: {} });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.stdout.once('data', () => resolve());
      child.once('error', reject);
      child.once('exit', () => reject(new Error('the second reader has ended')));
    });
    this.#isUp = true;
    child.once('exit', () => {
      this.#isUp = false;
      if (this.#isClosed) return;
      onEnd?.();
      this.#restartLater();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#child?.kill('SIGKILL');
  }

  /** Until then, changed documents are in doubt. */
  #restartLater(): void {
    this.#timer = setTimeout(() => {
      this.start().catch(() => {
        if (!this.#isClosed) this.#restartLater();
      });
    }, RESTART_MS);
  }
}
