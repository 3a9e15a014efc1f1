import { tooComplex } from '../pdf-error.ts';

/** The limits for comparing all revisions of one document. */
const LIMITS = {
  /** Bytes of objects that are scanned for references. */
  lookedThrough: 96 * 1024 * 1024,
  /** References between objects. */
  references: 3_000_000,
  /** Bytes of objects that are compared, without the data of streams. */
  compared: 16 * 1024 * 1024,
  /** Object numbers in the cross-reference sections of all revisions. */
  named: 2_000_000,
  /** Bytes of unpacked content streams. */
  content: 16 * 1024 * 1024,
  /** Bytes of unpacked certificates and revocation data. */
  stored: 64 * 1024 * 1024,
  /** Operators in content streams. */
  operators: 4_000_000,
  /** Annotations and fields that are inspected, changed or not. */
  items: 1_000_000,
  /** Comparisons between rectangles. */
  overlaps: 8_000_000,
} as const;

export type Expense = keyof typeof LIMITS;

/** Counts the cost of comparing the revisions of one document. */
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
