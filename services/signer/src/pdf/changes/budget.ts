import { tooComplex } from '../refusals.ts';

/** What comparing all revisions of one document may cost. */
const LIMITS = {
  /** Bytes of objects that are looked through for references. */
  lookedThrough: 160 * 1024 * 1024,
  /** References that objects have to each other. */
  references: 3_000_000,
  /** Object numbers that cross-reference sections name, of all revisions together. */
  named: 2_000_000,
  /** Bytes of unpacked content streams. */
  content: 24 * 1024 * 1024,
  /** Operators in content streams. */
  operators: 1_500_000,
  /** Annotations and fields that are looked at, changed or not. */
  items: 500_000,
} as const;

export type Expense = keyof typeof LIMITS;

/** Counts what the comparison of the revisions of one document has cost so far. */
export class Budget {
  readonly #spent = new Map<Expense, number>();

  /** Throws DOCUMENT_TOO_COMPLEX. */
  spend(expense: Expense, amount: number): void {
    const spent = (this.#spent.get(expense) ?? 0) + amount;
    this.#spent.set(expense, spent);
    if (spent > LIMITS[expense]) throw tooComplex('revisions that take too long to be compared');
  }

  left(expense: Expense): number {
    return Math.max(0, LIMITS[expense] - (this.#spent.get(expense) ?? 0));
  }
}
