import { type FormRow, FormState } from '../engines/form-state.ts';

/**
 * The rows of a form in an order in which it is loaded few times: each lacks what the row before lacks, as long as there is one.
 * Returns indexes.
 */
export function orderOf(rows: readonly FormRow[], around: readonly number[]): number[] {
  const lackOf = ({ gone, texts }: FormRow) => gone.length + texts.filter((text) => !text).length;
  let left = [...rows.entries()]
    .map(([index, row]) => ({ index, row, lack: lackOf(row) }))
    .sort((one, other) => one.lack - other.lack);
  const ordered: number[] = [];
  while (left.length > 0) {
    const state = new FormState(around);
    const others: typeof left = [];
    for (const each of left)
      if (state.serves(each.row)) {
        state.take(each.row);
        ordered.push(each.index);
      } else others.push(each);
    left = others;
  }
  return ordered;
}
