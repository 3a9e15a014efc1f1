import type { Closeable } from '@scriptorium/shared/lifecycle';
import { currentTask } from '@scriptorium/shares/task';
import type { JoinResult } from './join-thread.ts';
import { joinThreads } from './threads.ts';

type JoinThread = ReturnType<typeof joinThreads>;

/** A thread keeps memory of larger files. */
const SPARED_BYTES_MAX = 16 * 1024 * 1024;
/** The heap of a thread keeps pieces of its files. After this time without work, a new thread takes its place. */
const REST_MS = 10_000;

/**
 * Joins each file in a thread of its own until the file is finished. The thread of a small one is spared for the next file. To
 * start a thread takes far more time than to join a few pages.
 */
export class Joiner implements Closeable {
  readonly #filesMax: number;
  #spare: { thread: JoinThread; files: number } | undefined;
  #renewal: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** A thread makes at most `filesMax` files. */
  constructor({ filesMax }: { filesMax: number }) {
    this.#filesMax = filesMax;
  }

  /** Resolves once a thread is there for the next file. */
  async ready(): Promise<void> {
    const thread = joinThreads({ threads: 1 });
    await thread.ready();
    await this.#putBack(thread, 0);
  }

  /** Adds the items one after the other, and returns the finished file. */
  async join<Item>(
    items: readonly Item[],
    signal: AbortSignal,
    add: (item: Item, thread: JoinThread) => Promise<void>,
  ): Promise<JoinResult> {
    const { thread, files } = this.#spare ?? { thread: joinThreads({ threads: 1 }), files: 0 };
    this.#spare = undefined;
    clearTimeout(this.#renewal);
    let isSpared = false;
    try {
      for (const item of items) await add(item, thread);
      const result = await thread.finish({ calls: items.length }, signal);
      // The thread of a slow task has given way for good.
      isSpared = result.bytes.length <= SPARED_BYTES_MAX && !currentTask()?.turn.slow.aborted;
      return result;
    } finally {
      if (isSpared) await this.#putBack(thread, files + 1);
      else await thread.close();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#renewal);
    await this.#spare?.thread.close();
  }

  async #putBack(thread: JoinThread, files: number): Promise<void> {
    if (this.#isClosed || this.#spare !== undefined || files >= this.#filesMax) return thread.close();
    this.#spare = { thread, files };
    if (files > 0) this.#renewal = setTimeout(() => this.#renew(thread).catch(() => {}), REST_MS).unref();
  }

  async #renew(thread: JoinThread): Promise<void> {
    this.#spare = undefined;
    await thread.close();
    await this.ready();
  }
}
