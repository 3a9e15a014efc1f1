import { rm } from 'node:fs/promises';
import { orLate } from '@scriptorium/shared/or-late';
import { isSettledWithin } from '../bounded.ts';
import { removeDir } from '../work-dir.ts';
import type { HostProcess } from './host-process.ts';
import type { Child } from './zygote-child.ts';

/** How long a caller waits for the end of a killed child. */
const PATIENCE_MS = 1_000;
const KILL_MS_MAX = 5_000;
/**
 * A killed child needs some processor time to end. One that has yielded gets 3/1024 of what another process gets (sched(7)),
 * and a second of that for the most memory.
 */
const END_MS_MAX = 300_000;
const LATE_MAX = 2;

/** Ends the children of an engine host, and removes their directories. */
export class ChildEnds {
  readonly #host: HostProcess;
  readonly #onStuck: () => void;
  readonly #pending = new Set<Promise<void>>();
  /** Killed children that have not ended when `end` resolved. */
  readonly #late = new Set<Child>();

  /** `onStuck` is called for a killed child that has not ended in minutes. */
  constructor(host: HostProcess, onStuck: () => void) {
    this.#host = host;
    this.#onStuck = onStuck;
  }

  /**
   * Kills a child that is still there, and removes its directory. Waits a second at most for its end: on a busy machine, a
   * killed child can end later.
   */
  async end(child: Child): Promise<void> {
    if (!child.isGone) {
      this.#host.send(`kill ${child.id}`);
      if (!(await isSettledWithin(child.gone.promise, PATIENCE_MS))) return await this.#leave(child);
    }
    await this.#removeDir(child);
  }

  /** Keeps the promise for `settled`. */
  track(end: Promise<void>): void {
    const tracked = end.catch(() => {}).finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }

  /** Whether few killed children are left: each still has its memory. */
  get hasRoom(): boolean {
    return this.#late.size < LATE_MAX;
  }

  /** Resolves once there is room. */
  async room(): Promise<void> {
    while (!this.hasRoom) await Promise.race([...this.#late].map(({ gone }) => gone.promise));
  }

  /** Resolves when every tracked end has settled. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** Its files go now. A folder that cannot be removed yet, because the child still writes to it, goes at its end. */
  async #leave(child: Child): Promise<void> {
    this.#late.add(child);
    const removed = rm(child.dir, { recursive: true, force: true }).catch(() => {});
    this.track(this.#awaitLate(child, removed));
    await removed;
  }

  async #awaitLate(child: Child, removed: Promise<void>): Promise<void> {
    const { dying, gone } = child;
    await orLate(dying.promise, KILL_MS_MAX, () => this.#host.destroy('it did not kill a child in time'));
    await orLate(gone.promise, END_MS_MAX, this.#onStuck);
    this.#late.delete(child);
    await removed;
    await this.#removeDir(child);
  }

  async #removeDir(child: Child): Promise<void> {
    await removeDir(child.dir).catch((error) =>
      this.#host.destroy(`a job's directory cannot be removed: ${error.message}`),
    );
  }
}
