/** What a row puts into a form: `formValues` of `jobs/rows.ts`. */
export interface FormRow {
  gone: readonly number[];
  texts: readonly (string | null)[];
}

/** What the rows before have removed of a loaded form. */
export class FormState {
  readonly #around: readonly number[];
  readonly #gone = new Set<number>();
  readonly #empty = new Set<number>();

  /** `around` has the piece around each piece, or -1. */
  constructor(around: readonly number[]) {
    this.#around = around;
  }

  /** Whether the form still has all that a row needs. */
  serves({ gone, texts }: FormRow): boolean {
    const lacking = new Set(gone);
    for (const piece of this.#gone) if (!this.#isIn(piece, lacking)) return false;
    for (const place of this.#empty) if (texts[place]) return false;
    return true;
  }

  /** Notes what a row removes. Returns the pieces that are still there. */
  take({ gone, texts }: FormRow): number[] {
    const removed = gone.filter((piece) => !this.#isIn(piece, this.#gone));
    for (const piece of removed) this.#gone.add(piece);
    for (const [place, text] of texts.entries()) if (!text) this.#empty.add(place);
    return removed;
  }

  /** Whether pieces have this one, or one around it. */
  #isIn(piece: number, pieces: ReadonlySet<number>): boolean {
    for (let at = piece; at >= 0; at = this.#around[at] ?? -1) if (pieces.has(at)) return true;
    return false;
  }
}

/**
 * The rows of a form in chains, each of which needs one load of it: every row lacks what the row before it lacks. Returns indexes.
 */
export function chainsOf(rows: readonly FormRow[], around: readonly number[]): number[][] {
  const lackOf = ({ gone, texts }: FormRow) => gone.length + texts.filter((text) => !text).length;
  let left = [...rows.entries()]
    .map(([index, row]) => ({ index, row, lack: lackOf(row) }))
    .sort((one, other) => one.lack - other.lack);
  const chains: number[][] = [];
  while (left.length > 0) {
    const state = new FormState(around);
    const others: typeof left = [];
    const chain: number[] = [];
    for (const each of left)
      if (state.serves(each.row)) {
        state.take(each.row);
        chain.push(each.index);
      } else others.push(each);
    chains.push(chain);
    left = others;
  }
  return chains;
}
