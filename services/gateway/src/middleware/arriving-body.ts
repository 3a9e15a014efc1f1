import { AppError } from '@scriptorium/contracts/errors';
import { release } from '@scriptorium/sealing/idle-memory';

/** A body that arrives slower than this over `PACE_SECONDS` is cut off. */
const PACE_BYTES_MIN = 16 * 1024;
const PACE_SECONDS = 10;

const BLOCK_BYTES_MIN = 1024;
const BLOCK_BYTES_MAX = 64 * 1024;

/**
 * The bytes of a body that have arrived. They are copied into blocks. A small chunk would keep the buffer of its connection in
 * memory, and a body can come in millions of chunks.
 */
export class BodyBytes {
  #blocks: Buffer[] = [];
  /** Bytes in use of the last block. */
  #used = 0;
  #isDropped = false;
  length = 0;

  append(piece: Buffer): void {
    if (this.#isDropped) return;
    for (let at = 0; at < piece.length; ) {
      const copied = piece.copy(this.#room(piece.length - at), this.#used, at);
      this.#used += copied;
      this.length += copied;
      at += copied;
    }
  }

  /** Returns all bytes, which are no longer in here. */
  take(): Buffer {
    const blocks = this.#blocks.splice(0);
    const bytes = Buffer.concat(blocks, this.length);
    for (const block of blocks) release(block);
    this.#used = 0;
    this.length = 0;
    return bytes;
  }

  /** Forgets all bytes, and those that still arrive. */
  drop(): void {
    release(this.take());
    this.#isDropped = true;
  }

  #room(bytes: number): Buffer {
    const last = this.#blocks.at(-1);
    if (last !== undefined && this.#used < last.length) return last;
    const size = Math.min(BLOCK_BYTES_MAX, Math.max(BLOCK_BYTES_MIN, bytes, this.length));
    const block = Buffer.allocUnsafeSlow(size);
    this.#blocks.push(block);
    this.#used = 0;
    return block;
  }
}

/** Watches the pace of a body while the gateway waits for it. */
export interface Pace {
  came(bytes: number): void;
  /** Begins a new measurement. */
  restart(): void;
  stop(): void;
}

/**
 * Calls `onSlow` once with REQUEST_TIMEOUT if less than 160 KiB arrived within 10 seconds in which `isWaiting`. Seconds are
 * counted by a timer, so that the time in which this process did not run does not count.
 */
export function watchPace(isWaiting: () => boolean, onSlow: (error: AppError) => void): Pace {
  let seconds: number[] = [];
  let current = 0;
  const timer = setInterval(() => {
    if (!isWaiting()) return;
    seconds.push(current);
    current = 0;
    if (seconds.length > PACE_SECONDS) seconds.shift();
    const bytes = seconds.reduce((sum, second) => sum + second, 0);
    if (seconds.length < PACE_SECONDS || bytes >= PACE_BYTES_MIN * PACE_SECONDS) return;
    clearInterval(timer);
    onSlow(
      new AppError(
        'REQUEST_TIMEOUT',
        `The body arrived more slowly than ${PACE_BYTES_MIN} bytes per second over ${PACE_SECONDS} seconds.`,
      ),
    );
  }, 1_000).unref();
  return {
    came(bytes) {
      current += bytes;
    },
    restart() {
      seconds = [];
      current = 0;
    },
    stop: () => clearInterval(timer),
  };
}
