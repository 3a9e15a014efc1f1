import { tooComplex } from '../pdf-error.ts';

/** What comparing all revisions of one document may cost. */
const LIMITS = {
  /** Bytes of objects that are looked through for references. */
  lookedThrough: 96 * 1024 * 1024,
  /** References that objects have to each other. */
  references: 3_000_000,
  /** Bytes of objects that are compared, but for the data of streams. */
  compared: 16 * 1024 * 1024,
  /** Object numbers that cross-reference sections name, of all revisions together. */
  named: 2_000_000,
  /** Bytes of unpacked content streams. */
  content: 16 * 1024 * 1024,
  /** Operators in content streams. */
  operators: 4_000_000,
  /** Annotations and fields that are looked at, changed or not. */
  items: 1_000_000,
  /** Rectangles that are held against others. */
  overlaps: 8_000_000,
} as const;

export type Expense = keyof typeof LIMITS;

/** Counts what the comparison of the revisions of one document has cost so far. */
export class Budget {
  readonly #left: Record<Expense, number> = { ...LIMITS };

  /** Throws DOCUMENT_TOO_COMPLEX. */
  spend(expense: Expense, amount: number): void {
    this.#left[expense] -= amount;
    if (this.#left[expense] < 0) throw tooComplex('revisions that take too long to be compared');
  }

  left(expense: Expense): number {
    return Math.max(0, this.#left[expense]);
  }
}
