import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@scriptorium/contracts/errors';
import { FetchError } from '@scriptorium/fetching/error';
import type { Opened } from '@scriptorium/fetching/request';
import type { Sender } from '@scriptorium/shared/fetch/fetcher';
import { isPassing } from './next.ts';

/** Attempts without a byte. Then the batch waits for another time. */
const TRIES_MAX = 3;
const PAUSE_MS = 1_000;
/** Attempts in all. A server without ranges sends everything again each time. */
const OPENS_MAX = 100;

export interface FetchedFrom {
  at: number;
  version: string;
}

/** The bytes of rows at an address, from a place on. They are read as they are asked for, and by ranges after a break. */
export class FetchedRows {
  readonly #reader: Sender;
  readonly #url: string;
  readonly #signal: AbortSignal;
  #at: number;
  #opens = 0;
  /** Names the content, once something was read. */
  version: string;
  /** Whether it may go better later. */
  mayPass = false;

  constructor(reader: Sender, url: string, { at, version }: FetchedFrom, signal: AbortSignal) {
    this.#reader = reader;
    this.#url = url;
    this.#at = at;
    this.#signal = signal;
    this.version = version;
  }

  /** Throws DOCUMENT_FETCH_FAILED, and the reason of the signal. */
  async *bytes(): AsyncGenerator<Buffer, undefined> {
    for (let tries = 1; ; tries++) {
      let opened: Opened | undefined;
      try {
        opened = await this.#open();
        for await (const piece of this.#behind(opened)) {
          tries = 0;
          this.#at += piece.length;
          yield piece;
        }
        return;
      } catch (error) {
        this.#signal.throwIfAborted();
        if (!(error instanceof FetchError)) throw error;
        if (tries >= TRIES_MAX || this.#opens >= OPENS_MAX) throw this.#failure(error.message, true, error);
        await delay(PAUSE_MS * tries, undefined, { signal: this.#signal });
      } finally {
        await opened?.close();
      }
    }
  }

  /** Begins a byte early, so that there is one to read even at the end. */
  async #open(): Promise<Opened> {
    this.#opens += 1;
    const from = Math.max(0, this.#at - 1);
    const opened = await this.#reader.open(this.#url, { from, signal: this.#signal });
    const close = (): void => void opened.close();
    this.#signal.addEventListener('abort', close, { once: true });
    const { status, start, version, isEncoded } = opened;
    const failure =
      status !== 200 && status !== 206
        ? this.#failure(
            `The rows cannot be read: the status of the response is ${status}.`,
            isPassing(status),
          )
        : isEncoded
          ? this.#failure('The rows cannot be read: the response has a content encoding.', false)
          : this.version !== '' && version !== this.version
            ? this.#failure('The rows have changed while they were read.', false)
            : !(start <= from)
              ? this.#failure(
                  'The rows cannot be read: the response is not the range that was asked for.',
                  false,
                )
              : undefined;
    this.version = version;
    if (failure === undefined) return opened;
    await opened.close();
    throw failure;
  }

  async *#behind({ body, start }: Opened): AsyncGenerator<Buffer> {
    let skipped = this.#at - start;
    for await (const piece of body) {
      const rest = piece.subarray(skipped);
      skipped -= piece.length - rest.length;
      if (rest.length > 0) yield rest;
    }
    if (skipped > 0) throw this.#failure('The rows have changed while they were read.', false);
  }

  #failure(issue: string, mayPass: boolean, cause?: unknown): AppError {
    this.mayPass = mayPass;
    const details = [{ field: 'rows.url', issue }];
    return new AppError('DOCUMENT_FETCH_FAILED', issue, { details, cause });
  }
}
