import type { RowError } from '../batches/pack-client.ts';
import type { Row } from '../batches/row.ts';
import { FAILURES_MAX, type Failure, type Progress, type RowFailure } from './job.ts';
import type { JobPosition } from './job-secrets.ts';

/** What a job says of a failed row. It is written each second, and a list has 100 jobs with 100 of them. */
const MESSAGE_CHARS_MAX = 500;
const DETAILS_MAX = 5;
const NOTHING: JobPosition = { nextIndex: 0, answered: [], at: 0, version: '' };

/** How far a batch is, so that it can go on there. */
export class BatchProgress {
  /** The first row that must be read again, and later ones that have an outcome. */
  #next: number;
  readonly #passed: Set<number>;
  /** Where rows end that were read. */
  readonly #ends = new Map<number, number>();
  readonly #failures: RowFailure[];
  #at: number;
  #done: number;
  #failed: number;
  /** When the last row had its outcome. */
  #since: string;
  #isChanged = true;

  constructor(before: Progress | null, position = NOTHING) {
    this.#next = position.nextIndex;
    this.#passed = new Set(position.answered);
    this.#at = position.at;
    this.#failures = [...(before?.failures ?? [])];
    this.#since = before?.at ?? new Date().toISOString();
    this.#done = before?.done ?? 0;
    this.#failed = before?.failed ?? 0;
  }

  /** Rows with an outcome behind one without. */
  get ahead(): number {
    return this.#passed.size;
  }

  get position(): Omit<JobPosition, 'version'> {
    return { nextIndex: this.#next, answered: [...this.#passed], at: this.#at };
  }

  read(index: number, end: number): void {
    this.#ends.set(index, end);
    this.#advance();
  }

  done(index: number): void {
    this.#done += 1;
    this.#pass(index);
  }

  failed({ index, id }: Pick<Row, 'index' | 'id'>, { code, message, details }: Failure | RowError): void {
    this.#failed += 1;
    if (this.#failures.length < FAILURES_MAX)
      this.#failures.push({
        ...{ index, ...(id !== undefined && { id }) },
        error: {
          ...{ code, message: message.slice(0, MESSAGE_CHARS_MAX) },
          ...(details !== undefined && { details: details.slice(0, DETAILS_MAX) }),
        },
      });
    this.#pass(index);
  }

  /** Passes on what has changed since it was last written: counts, and the position that belongs to them. */
  async write(
    to: (progress: Progress, position: Omit<JobPosition, 'version'>) => Promise<void>,
  ): Promise<void> {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    try {
      await to(this.now(), this.position);
    } catch (error) {
      this.#isChanged = true;
      throw error;
    }
  }

  now(): Progress {
    const counts = { done: this.#done, failed: this.#failed };
    return { rows: this.#done + this.#failed, ...counts, at: this.#since, failures: [...this.#failures] };
  }

  #pass(index: number): void {
    this.#passed.add(index);
    this.#since = new Date().toISOString();
    this.#isChanged = true;
    this.#advance();
  }

  /** Only to a place that is known: a row that was done before may not have been read again. */
  #advance(): void {
    for (
      let end = this.#ends.get(this.#next);
      end !== undefined && this.#passed.delete(this.#next);
      end = this.#ends.get(this.#next)
    ) {
      this.#ends.delete(this.#next);
      this.#at = end;
      this.#next += 1;
    }
  }
}
