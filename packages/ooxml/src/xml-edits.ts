/** Replaces the characters from `start` up to `end` of a text. Equal offsets insert. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** By position; at the same position insertions first, then the wider range. */
function compare(a: Edit, b: Edit): number {
  const isInsertion = (edit: Edit) => edit.start === edit.end;
  return a.start - b.start || Number(isInsertion(b)) - Number(isInsertion(a)) || b.end - a.end;
}

/**
 * Applies the edits to a text. They may come in any order. An edit inside a removed range has no effect. Insertions
 * at the same position keep their order. Throws if two edits overlap partially.
 *
 * @example
 * applyEdits('<a>one</a>', [{ start: 3, end: 6, text: 'two' }]) // '<a>two</a>'
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  const sorted = edits.toSorted(compare);
  const pieces: string[] = [];
  let at = 0;
  let removedTo = -1;
  for (const edit of sorted) {
    if (edit.start < removedTo) {
      if (edit.end > removedTo) throw new Error('two edits overlap');
      continue;
    }
    pieces.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
    if (edit.end > edit.start) removedTo = edit.end;
  }
  pieces.push(text.slice(at));
  return pieces.join('');
}
