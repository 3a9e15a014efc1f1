import { once } from 'node:events';
import type { Reply } from '../http/context.ts';

/** A caller that takes no byte for this time has left without closing the connection. */
const STALL_MS_MAX = 300_000;

/** Writes an answer as fast as the caller reads it. */
export class PacedWriter {
  readonly #response: Reply;
  readonly #stallMsMax: number;
  #blocked: Promise<void> | undefined;
  #writtenAt = Date.now();

  constructor(response: Reply, stallMsMax = response.locals.stallMsMax ?? STALL_MS_MAX) {
    this.#response = response;
    this.#stallMsMax = stallMsMax;
  }

  /** Epoch milliseconds of the last write. */
  get writtenAt(): number {
    return this.#writtenAt;
  }

  /** Resolves while written bytes do not wait for the caller. */
  async unblocked(): Promise<void> {
    // The writer reports a disconnected caller.
    await this.#blocked?.catch(() => undefined);
  }

  /** Resolves when the caller has taken enough of it. Rejects when the caller has disconnected. */
  async write(piece: Uint8Array | string): Promise<void> {
    const response = this.#response;
    response.locals.signal.throwIfAborted();
    this.#writtenAt = Date.now();
    if (response.write(piece)) return;
    this.#blocked = this.#drained();
    try {
      await this.#blocked;
    } finally {
      this.#blocked = undefined;
      this.#writtenAt = Date.now();
    }
  }

  async #drained(): Promise<void> {
    const { signal } = this.#response.locals;
    let taken = this.#response.socket?.bytesWritten;
    const watch = setInterval(() => {
      const now = this.#response.socket?.bytesWritten;
      if (now === taken) this.#response.socket?.resetAndDestroy();
      taken = now;
    }, this.#stallMsMax);
    try {
      await once(this.#response, 'drain', { signal });
    } finally {
      clearInterval(watch);
    }
  }
}
