/** Replaces the characters from `start` up to `end` of a text; equal offsets insert. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** By place; at one place insertions first, then the wider range. */
function compare(a: Edit, b: Edit): number {
  const isInsertion = (edit: Edit) => edit.start === edit.end;
  return a.start - b.start || Number(isInsertion(b)) - Number(isInsertion(a)) || b.end - a.end;
}

/**
 * The text with the edits made. They may come in any order; one that lies inside another's range is void, for what it
 * changes is gone. Insertions at one place keep their order. Throws where two overlap in part.
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
