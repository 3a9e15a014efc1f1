import type { ShownLine } from './shown-lines.ts';

/** Positions of a line in two lists. */
type Match = readonly [first: number, second: number];

/**
 * The lines with the same text in two documents, in the order of both. Takes the longest run of equal lines, and does the same
 * before and behind it (Ratcliff and Obershelp).
 */
export function sameLines(first: readonly ShownLine[], second: readonly ShownLine[]): Match[] {
  const places = new Map<string, number[]>();
  for (const [index, { text }] of second.entries()) places.set(text, [...(places.get(text) ?? []), index]);
  const matches: Match[] = [];
  const open: [number, number, number, number][] = [[0, first.length, 0, second.length]];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const [from, to, otherFrom, otherTo] = range;
    const { at, otherAt, length } = longestRun(first, places, range);
    if (length === 0) continue;
    for (let step = 0; step < length; step++) matches.push([at + step, otherAt + step]);
    open.push([from, at, otherFrom, otherAt], [at + length, to, otherAt + length, otherTo]);
  }
  return matches.sort(([a], [b]) => a - b);
}

function longestRun(
  first: readonly ShownLine[],
  places: ReadonlyMap<string, readonly number[]>,
  [from, to, otherFrom, otherTo]: readonly [number, number, number, number],
): { at: number; otherAt: number; length: number } {
  let best = { at: from, otherAt: otherFrom, length: 0 };
  /** The lengths of runs that end at the line before, by the place in the other list. */
  let runs = new Map<number, number>();
  for (let at = from; at < to; at++) {
    const next = new Map<number, number>();
    for (const otherAt of places.get(first[at]?.text ?? '') ?? []) {
      if (otherAt < otherFrom || otherAt >= otherTo) continue;
      const length = (runs.get(otherAt - 1) ?? 0) + 1;
      next.set(otherAt, length);
      if (length > best.length) best = { at: at - length + 1, otherAt: otherAt - length + 1, length };
    }
    runs = next;
  }
  return best;
}
