import { isSettledWithin } from './bounded.ts';
import type { HostProcess } from './host-process.ts';
import { removeDir } from './work-dir.ts';
import type { Child } from './zygote-child.ts';

const KILL_GRACE_MS = 1_000;
/** A killed child needs some processor time to end. One that has yielded may get a hundredth of a processor. */
const END_MS_MAX = 300_000;
const LATE_MAX = 4;

/** Ends the children of an engine host, and removes their directories. */
export class ChildEnds {
  readonly #host: HostProcess;
  readonly #pending = new Set<Promise<void>>();
  /** Killed children that have not ended when `end` resolved. */
  readonly #late = new Set<Child>();

  constructor(host: HostProcess) {
    this.#host = host;
  }

  /**
   * Kills a child that is still there, then removes its directory. Takes two seconds at most: on a busy machine, a killed
   * child can end later, and no caller waits for that.
   */
  async end(child: Child): Promise<void> {
    if (!child.isGone) {
      this.#host.send(`kill ${child.id}`);
      await this.#expect(child.dying.promise, KILL_GRACE_MS, 'it did not kill a child in time');
      if (!(await isSettledWithin(child.gone.promise, KILL_GRACE_MS))) this.track(this.#awaitLate(child));
    }
    await this.#removeDir(child);
  }

  /** Keeps the promise for `settled`. */
  track(end: Promise<void>): void {
    const tracked = end.catch(() => {}).finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }

  /** Resolves once few killed children are left: each still has its memory. */
  async room(): Promise<void> {
    while (this.#late.size >= LATE_MAX) await Promise.race([...this.#late].map(({ gone }) => gone.promise));
  }

  /** Resolves when every tracked end has settled. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async #awaitLate(child: Child): Promise<void> {
    this.#late.add(child);
    await this.#expect(child.gone.promise, END_MS_MAX, 'a killed child did not end');
    this.#late.delete(child);
    // Its last system call may have created a file meanwhile.
    await this.#removeDir(child);
  }

  /** Ends the host if the event does not occur in time. That ends all of its children, too. */
  async #expect(event: Promise<unknown>, ms: number, failure: string): Promise<void> {
    const timer = setTimeout(() => this.#host.destroy(failure), ms);
    await event;
    clearTimeout(timer);
  }

  async #removeDir(child: Child): Promise<void> {
    await removeDir(child.dir).catch((error) =>
      this.#host.destroy(`a job's directory cannot be removed: ${error.message}`),
    );
  }
}
