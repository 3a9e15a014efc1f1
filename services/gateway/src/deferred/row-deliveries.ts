import { AppError } from '@scriptorium/contracts/errors';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { Sender } from '@scriptorium/shared/fetch/fetcher';
import type { BatchOutput } from '../batches/outcomes.ts';
import { loadDocument, type Outcome } from '../batches/pack-client.ts';
import type { Row } from '../batches/row.ts';
import { ADDRESS_ISSUE } from './accept-job.ts';
import type { BatchProgress } from './batch-progress.ts';
import type { Put } from './fields.ts';
import type { Failure } from './job.ts';
import { type Patience, sendPatiently } from './send-put.ts';

const AT_A_TIME = 32;
const BYTES_MAX = 64 * 1024 * 1024;
/** Rows that may be delivered before an earlier one. */
const AHEAD_MAX = 2_000;
/** A store that refuses so many rows one after another refuses all. */
const REFUSED_MAX = 100;
const ORIGINS_MAX = 1_000;

export interface RowDeliveryParts extends Patience {
  sender: Sender;
  blobs: BlobStore;
  contentType: string;
  progress: BatchProgress;
  /** A row that fails ends the batch. */
  stopsAtError: boolean;
}

/** Sends the document of each row to the address of the row, several at a time. While a store is slow, no rows are made. */
export class RowDeliveries implements BatchOutput {
  readonly #parts: RowDeliveryParts;
  readonly #running = new Set<Promise<void>>();
  /** Those to which it has sent. */
  readonly #origins = new Set<string>();
  #bytes = 0;
  #refused = 0;
  #failure: { error: unknown } | undefined;

  constructor(parts: RowDeliveryParts) {
    this.#parts = parts;
  }

  load(outcome: Outcome): Promise<Outcome> {
    return loadDocument(outcome, this.#parts.blobs);
  }

  async row(outcome: Outcome): Promise<void> {
    this.#throwFailure();
    const { row } = outcome;
    if ('error' in outcome) return this.#parts.progress.failed(row, outcome.error);
    const { document } = outcome;
    if (!Buffer.isBuffer(document) || row.put === undefined) throw new Error('the row cannot be delivered');
    await this.#room(document.length);
    this.#bytes += document.length;
    const work = this.#deliver(row, row.put, document)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#running.delete(work);
        this.#bytes -= document.length;
        document.fill(0);
      });
    this.#running.add(work);
  }

  /** The bounds of the rows in work hold the batch: workers make the next rows while some are sent. */
  async unblocked(): Promise<void> {}

  async end(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #room(bytes: number): Promise<void> {
    const isFull = (): boolean =>
      this.#running.size >= AT_A_TIME ||
      this.#bytes + bytes > BYTES_MAX ||
      this.#parts.progress.ahead >= AHEAD_MAX;
    while (this.#running.size > 0 && isFull()) await Promise.race(this.#running);
  }

  async #deliver(row: Row, put: Put, body: Buffer): Promise<void> {
    const { sender, contentType, progress, signal } = this.#parts;
    const { origin } = new URL(put.url);
    if (!this.#origins.has(origin)) {
      const isPermitted = await sender.check(put.url, signal).then(
        () => true,
        () => false,
      );
      signal.throwIfAborted();
      if (!isPermitted) {
        this.#refused += 1;
        return this.#fail(row, NOT_PERMITTED);
      }
      if (this.#origins.size < ORIGINS_MAX) this.#origins.add(origin);
    }
    const sent = await sendPatiently(sender, put, { body, contentType }, this.#parts);
    if ('refusal' in sent) {
      this.#refused += 1;
      const message = `The document could not be delivered: ${sent.refusal}`;
      return this.#fail(row, { code: 'DELIVERY_FAILED', message });
    }
    this.#refused = 0;
    progress.done(row.index);
  }

  #fail(row: Row, error: Failure): void {
    this.#parts.progress.failed(row, error);
    if (this.#parts.stopsAtError) throw new AppError(error.code, `Row ${row.index} failed: ${error.message}`);
    if (this.#refused >= REFUSED_MAX)
      throw new AppError(error.code, `${REFUSED_MAX} rows one after another: ${error.message}`);
  }
}

const NOT_PERMITTED: Failure = {
  code: 'VALIDATION_ERROR',
  message: 'Invalid request: deliver.put.url.',
  details: [{ field: 'deliver.put.url', issue: ADDRESS_ISSUE }],
};
