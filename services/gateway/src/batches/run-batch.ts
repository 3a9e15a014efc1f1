import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@scriptorium/contracts/errors';
import type { BatchHead } from '../requests/batch-request.ts';
import { finishPack } from './attempts.ts';
import { Flow } from './flow.ts';
import { type BatchEnd, type BatchOutput, Outcomes } from './outcomes.ts';
import { type Outcome, type PackClient, type RowError, rowError, type Way } from './pack-client.ts';
import { PACK_INPUT_BYTES, PackSizes } from './pack-sizes.ts';
import type { Position } from './place.ts';
import type { ReceivedRow, Row } from './row.ts';
import type { StandingBlobs } from './standing-blobs.ts';
import { Ways } from './ways.ts';

/** A batch ends if no line arrives for this time. */
export const LINE_MS_MAX = 60_000;
/** A pack that is not full waits this long for its next row. */
const LINGER_MS = 20;
/** Bytes of the rows in work, as they were received. */
const FLOW_BYTES = 32 * 1024 * 1024;

/** How a batch goes on. */
export type BatchOptions = Required<Pick<BatchHead['options'], 'onError' | 'order'>>;

export interface BatchTask {
  options: BatchOptions;
  rows: AsyncIterator<ReceivedRow>;
  rowsMax: number;
  /** Where it goes on. */
  start: Position | undefined;
  output: BatchOutput;
  packs: PackClient;
  /** Documents become PDF: rows can be made in several ways. */
  isConverted: boolean;
  standing: StandingBlobs;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
  /** Aborted when the gateway stops. */
  closing: AbortSignal;
  readRow(index: number, received: ReceivedRow): Promise<Row>;
  /** Packs that may be in work at a time. */
  packsMax(): number;
  /** Counts rows by the rate of their key, and waits while it is exceeded. Throws AppError if the key may have no more rows. */
  takeRows(count: number): Promise<void>;
  onFailure(error: AppError, rows: number): void;
  onDifference(): void;
  onWritten(outcome: Outcome): void;
  /** Gets the bytes of the rows in work after each change. */
  onBytes(bytes: number): void;
}

/** Makes all documents of a batch. Rejects if the caller disconnects. */
export async function runBatch(task: BatchTask): Promise<BatchEnd> {
  return await new BatchRun(task).run();
}

class BatchRun {
  readonly #task: BatchTask;
  readonly #sizes = new PackSizes();
  readonly #ways = new Ways();
  readonly #flow: Flow;
  readonly #outcomes: Outcomes;
  readonly #running = new Set<Promise<void>>();
  /** Ends the wait for a row. */
  #wake = (): void => undefined;
  /** Why no more rows are read. */
  #stopCause: AppError | undefined;
  #failedIndex: number | undefined;
  #failure: { error: unknown } | undefined;

  constructor(task: BatchTask) {
    this.#task = task;
    this.#flow = new Flow(() => (task.packsMax() + 1) * this.#sizes.rows, FLOW_BYTES, task.onBytes);
    this.#outcomes = new Outcomes(
      task.output,
      task.options.order,
      {
        written: (outcome) => {
          this.#flow.leave(bytesOf(outcome.row));
          task.onWritten(outcome);
        },
        failed: (error) => this.#fail(error),
      },
      task.start,
    );
  }

  async run(): Promise<BatchEnd> {
    const { closing, output } = this.#task;
    const onClosing = (): void =>
      this.#stop(new AppError('UNAVAILABLE', 'The gateway is stopping. Send the rest of the rows again.'));
    closing.addEventListener('abort', onClosing, { once: true });
    if (closing.aborted) onClosing();
    try {
      await this.#readAll();
      await Promise.all(this.#running);
      if (this.#failure !== undefined) throw this.#failure.error;
      await this.#outcomes.written();
    } catch (error) {
      // Packs in work need the template, which the caller of this function removes.
      this.#fail(error);
      await Promise.allSettled(this.#running);
      throw error;
    } finally {
      closing.removeEventListener('abort', onClosing);
    }
    const end = this.#end();
    await output.end(end);
    return end;
  }

  #end(): BatchEnd {
    const ways = this.#task.isConverted && { ways: this.#ways.summary };
    if (this.#stopCause === undefined) return { summary: { ...this.#outcomes.summary, ...ways } };
    return {
      error: rowError(this.#stopCause),
      ...this.#outcomes.position,
      ...(this.#failedIndex !== undefined && { failedIndex: this.#failedIndex }),
    };
  }

  #stop(cause: AppError): void {
    this.#stopCause ??= cause;
    this.#wake();
  }

  /** The batch cannot go on, and has no answer. */
  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#stop(new AppError('UNAVAILABLE', 'The batch failed.', { cause: error }));
  }

  /** Reads rows and sends them in packs, until their end or until the batch is stopped. */
  async #readAll(): Promise<void> {
    let pack: Row[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      const rows = pack;
      pack = [];
      bytes = 0;
      if (rows.length > 0) await this.#send(rows);
    };
    let next = this.#next();
    for (let index = 0; this.#stopCause === undefined; ) {
      const received = await this.#awaitRow(next, pack.length > 0 ? LINGER_MS : LINE_MS_MAX);
      if (this.#stopCause !== undefined) return;
      if (received === 'late' && pack.length > 0) {
        await flush();
        continue;
      }
      if (received === 'late') return this.#stop(noLine());
      if (received.done) return await flush();
      index = received.value.index ?? index;
      if (index >= this.#task.rowsMax) return this.#stop(tooManyRows(this.#task.rowsMax));
      const row = await this.#task.readRow(index++, received.value);
      // The rows before may be what it waits for.
      if (!this.#flow.hasRoom(bytesOf(row))) await flush();
      await this.#flow.enter(bytesOf(row));
      if (row.filling instanceof AppError) this.#deliver({ row, error: rowError(row.filling) });
      else {
        pack.push(row);
        bytes += bytesOf(row);
        if (pack.length >= this.#ways.next(this.#sizes.rows).rowsMax || bytes >= PACK_INPUT_BYTES)
          await flush();
      }
      next = this.#next();
    }
  }

  /** Nothing is read while answers wait for the caller. */
  #next(): Promise<IteratorResult<ReceivedRow>> {
    const { output, rows } = this.#task;
    const next = output.unblocked().then(() => rows.next());
    // A batch that was stopped no longer waits for it, and the caller may leave then.
    next.catch(() => undefined);
    return next;
  }

  async #awaitRow(
    next: Promise<IteratorResult<ReceivedRow>>,
    msMax: number,
  ): Promise<IteratorResult<ReceivedRow> | 'late'> {
    const timer = new AbortController();
    // While answers wait for the caller, no row is read.
    const late = async (): Promise<'late'> => {
      await this.#task.output.unblocked();
      await delay(msMax, undefined, { signal: timer.signal });
      return 'late';
    };
    // A promise of its own: one of the batch would keep every row that was raced against it.
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<ReceivedRow> | 'late'>();
    this.#wake = () => resolve('late');
    if (this.#stopCause !== undefined) this.#wake();
    this.#orStopped(next).then(resolve, reject);
    late().then(resolve, reject);
    return promise.finally(() => timer.abort());
  }

  /** A body that cannot be read further ends the batch: the caller can send the rest again. */
  async #orStopped(
    next: Promise<IteratorResult<ReceivedRow>>,
  ): Promise<IteratorResult<ReceivedRow> | 'late'> {
    try {
      return await next;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.#stop(error);
      return 'late';
    }
  }

  async #send(rows: Row[]): Promise<void> {
    const { packsMax, takeRows } = this.#task;
    while (this.#running.size >= packsMax() || (this.#ways.isComparing && this.#running.size > 0))
      await Promise.race(this.#running);
    try {
      await takeRows(rows.length);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return this.#stop(error);
    }
    // Rows that were not begun are left to the caller.
    if (this.#stopCause !== undefined) return;
    const { way, rowsMax } = this.#ways.next(this.#sizes.rows);
    this.#begin(way === 'both' && rows.length > rowsMax ? 'plain' : way, rows);
  }

  #begin(way: Way, rows: Row[]): void {
    const { packs, standing, signal, onFailure, onDifference } = this.#task;
    this.#ways.sent(way, rows.length);
    let bytes = 0;
    let done = 0;
    const reason = this.#ways.plainReason;
    const deliver = (outcome: Outcome): void => {
      if ('document' in outcome) {
        bytes += sizeOf(outcome);
        done++;
      }
      this.#deliver(outcome);
    };
    const work = async (): Promise<void> => {
      const checked = this.#ways.checked;
      const facts = await finishPack(rows, way, deliver, { packs, standing, signal, checked, onFailure });
      const { compared, runMs } = facts;
      if (compared === 'different') onDifference();
      this.#ways.learn(way, facts);
      this.#ways.count(done, way === 'plain' ? rows.map(() => reason) : facts.plain);
      if (runMs > 0 && way !== 'both') this.#sizes.learn({ rows: rows.length, ms: runMs, bytes });
    };
    const running = work()
      .catch((error) => this.#fail(error))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  #stopAt(index: number, { code, message, details }: RowError): void {
    this.#failedIndex ??= index;
    this.#stop(new AppError(code, `Row ${index} failed: ${message}`, details && { details }));
  }

  #deliver(outcome: Outcome): void {
    if ('error' in outcome && this.#task.options.onError === 'stop')
      this.#stopAt(outcome.row.index, outcome.error);
    this.#outcomes.put(outcome);
  }
}

function bytesOf({ filling }: Row): number {
  return filling instanceof AppError ? 0 : filling.json.length + (filling.images?.length ?? 0);
}

function sizeOf({ document }: Extract<Outcome, { document: unknown }>): number {
  return Buffer.isBuffer(document) ? document.length : document.bytes;
}

const noLine = (): AppError =>
  new AppError('DEADLINE_EXCEEDED', `No line arrived for ${LINE_MS_MAX / 1000} seconds.`);

const tooManyRows = (rowsMax: number): AppError =>
  new AppError(
    'VALIDATION_ERROR',
    `This batch has at most ${rowsMax} rows. Send the others as another batch.`,
    {
      details: [{ field: 'rows', issue: `must have at most ${rowsMax} entries` }],
    },
  );
