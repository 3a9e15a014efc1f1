import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { untilAborted } from '../bounded.ts';
import type { JobReport } from './host-lines.ts';
import { type Gone, type Outcome, requireReport } from './outcome.ts';

/** proc_pid_stat(5) counts in ticks of 1/100 s. */
const TICK_MS = 10;

/** sched(7): about a tenth of the weight of other processes, and a thirtieth. */
export const ROWS_NICE = 10;
export const SLOW_NICE = 15;

/** A forked copy of LibreOffice, and its private directory. It does one job at a time. */
export class Child {
  readonly id: number;
  readonly dir: string;
  /** Its process, once it waits for a job. */
  pid: number | undefined;
  readonly spare = Promise.withResolvers<'spare' | 'gone'>();
  /** The host has killed it, or it is gone. */
  readonly dying = Promise.withResolvers<void>();
  readonly gone = Promise.withResolvers<Gone>();
  #outcome = Promise.withResolvers<Outcome>();
  #end: Gone | undefined;
  #cpuMs = 0;

  constructor(id: number, dir: string) {
    this.id = id;
    this.dir = dir;
  }

  get isGone(): boolean {
    return this.#end !== undefined;
  }

  /** The child waits for a job. */
  wait(pid: number): void {
    this.pid = pid;
    this.spare.resolve('spare');
  }

  /** Resolves when the child has reported on its job, or has ended. Each job needs a new one. */
  outcome(signal: AbortSignal): Promise<Outcome> {
    return untilAborted(this.#outcome.promise, signal);
  }

  /** Prepares for the report on another job. */
  renew(): void {
    this.#outcome = Promise.withResolvers();
    if (this.#end !== undefined) this.#outcome.resolve(this.#end);
  }

  reported(report: JobReport): void {
    const earlierMs = this.#cpuMs;
    this.#outcome.resolve({ ...report, cpuMs: this.cpuMs - earlierMs });
  }

  /** Processor time so far, as far as it was measured: that of a process that has ended cannot be read. */
  get cpuMs(): number {
    try {
      const stat = readFileSync(`/proc/${this.pid}/stat`, 'latin1');
      // The second field is the command in parentheses, and may hold spaces. Then state is field 3, utime 14, stime 15.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const inTicks = TICK_MS * (Number(fields[11]) + Number(fields[12]));
      this.#cpuMs = Math.max(this.#cpuMs, inTicks, mainThreadMs(this.pid));
    } catch {
      // It has ended.
    }
    return this.#cpuMs;
  }

  /** Gives it less of the processor than other children get. */
  giveWay(nice: number): void {
    try {
      if (this.pid !== undefined) setPriority(this.pid, nice);
    } catch {
      // It has ended, which its job reports.
    }
  }

  ended(end: Gone): void {
    this.#end = end;
    this.spare.resolve('gone');
    this.#outcome.resolve(end);
    this.dying.resolve();
    this.gone.resolve(end);
  }
}

/** Exact, but without other threads; 0 without schedstats in the kernel. */
function mainThreadMs(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}

/** A child for several jobs of one caller. */
export class LentChild {
  readonly #child: Child;
  readonly #send: (command: string) => void;
  readonly #discard: () => Promise<void>;

  constructor(child: Child, send: (command: string) => void, discard: () => Promise<void>) {
    this.#child = child;
    this.#send = send;
    this.#discard = discard;
  }

  get dir(): string {
    return this.#child.dir;
  }

  get isGone(): boolean {
    return this.#child.isGone;
  }

  /** Runs a job: its verb, and what follows the id (`engine-host/serve.h`). Throws an `EngineError`. */
  async run(verb: 'run' | 'form' | 'fill', rest: string, signal: AbortSignal): Promise<JobReport> {
    this.#child.renew();
    this.#send(`${verb} ${this.#child.id} ${rest}`);
    return requireReport(await this.#child.outcome(signal));
  }

  /** Kills it, and removes its directory. */
  end(): Promise<void> {
    return this.#discard();
  }
}
