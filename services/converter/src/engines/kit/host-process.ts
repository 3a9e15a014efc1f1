import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { isSettledWithin } from '../bounded.ts';
import { UNFIT_HOST } from '../sandbox.ts';
import { lineSplitter } from './host-lines.ts';
import { environmentOf, hostArguments, type ZygoteEnd, type ZygoteOptions } from './zygote-job.ts';

const KILL_GRACE_MS = 1_000;
const STDERR_CHARS_MAX = 2_000;

/** The process of an engine host. It gets and writes lines (`engine-host/serve.h`). */
export class HostProcess {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #ended = Promise.withResolvers<ZygoteEnd>();
  readonly #onEnd: (detail: string, isUnfit: boolean) => void;
  #isEnded = false;
  #isGivenUp = false;
  #stderr = '';

  /** `onEnd` is called once, before `ended` resolves. */
  constructor(
    options: ZygoteOptions,
    warmUps: readonly string[],
    { onLine, onEnd }: { onLine: (line: string) => void; onEnd: (detail: string, isUnfit: boolean) => void },
  ) {
    this.#onEnd = onEnd;
    this.#process = spawn(options.hostPath, hostArguments(options, warmUps), {
      env: environmentOf(options),
      cwd: options.workDir,
      stdio: 'pipe',
    });
    this.#process.stdout.setEncoding('utf8').on('data', lineSplitter(onLine));
    this.#process.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS_MAX);
    });
    // A failed write to a host that just ended needs no report: its end is reported.
    this.#process.stdin.on('error', () => {});
    this.#process.on('error', (error) => this.#end('exited', error.message, false));
    this.#process.on('close', (code, killedBy) =>
      killedBy === null
        ? this.#end('exited', `exit code ${code}`, code === UNFIT_HOST)
        : this.#end('killed', killedBy, false),
    );
  }

  get ended(): Promise<ZygoteEnd> {
    return this.#ended.promise;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  send(command: string): void {
    if (!this.#isEnded) this.#process.stdin.write(`${command}\n`);
  }

  /** Kills it. The reason is part of the detail of its end. */
  destroy(reason: string): void {
    if (this.#isEnded) return;
    this.#isGivenUp = true;
    this.#stderr += reason;
    this.#process.kill('SIGKILL');
  }

  /** Lets it end, and kills it if it does not. */
  async close(): Promise<void> {
    this.#process.stdin.end();
    if (!(await isSettledWithin(this.ended, KILL_GRACE_MS))) this.destroy('closed');
    await this.ended;
  }

  #end(how: ZygoteEnd['how'], reason: string, isUnfit: boolean): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const detail = `${reason} ${this.#stderr}`.trim();
    this.#onEnd(detail, isUnfit);
    this.#ended.resolve({ how: this.#isGivenUp ? 'given-up' : how, detail });
  }
}
