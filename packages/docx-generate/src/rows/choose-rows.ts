import type { PieceShape } from './row-tree.ts';

/** The cost of a form grows with the square of its places. */
const PLACES_MAX = 600;
/** A row with so many times the pieces of the next one would cost the others more than it gains. */
const OUTLIER = 1.5;
/** Rows of few pieces differ by more than that without any cost. */
const SMALL = 12;

/** A piece without a value has marks too, and counts as a place. */
const placeCount = (pieces: readonly PieceShape[]): number =>
  pieces.reduce((sum, [, , texts]) => sum + Math.max(1, texts.length), 0);

/**
 * The rows whose pieces together are those of the largest form: the indexes of `shapes`. Empty if no row suits one. All have the
 * same text around their pieces; rows with another one need another form.
 */
export function rowsOfForm(shapes: readonly (readonly PieceShape[])[]): number[] {
  const small = [...shapes.entries()].filter(([, pieces]) => placeCount(pieces) <= PLACES_MAX);
  const alike = Map.groupBy(small, ([, [root]]) => root?.[1]);
  const [most = []] = [...alike.values()].sort((one, other) => other.length - one.length);
  const sorted = most.toSorted(([, one], [, other]) => other.length - one.length);
  while (isOutlier(sorted[0]?.[1], sorted[1]?.[1])) sorted.shift();
  const hashes = new Map<string, string>();
  const chosen: number[] = [];
  let places = 0;
  for (const [index, pieces] of sorted) {
    const added = pieces.filter(([path]) => !hashes.has(path));
    const fits = pieces.every(([path, hash]) => (hashes.get(path) ?? hash) === hash);
    if (added.length === 0 || !fits || places + placeCount(added) > PLACES_MAX) continue;
    for (const [path, hash] of added) hashes.set(path, hash);
    places += placeCount(added);
    chosen.push(index);
  }
  return chosen;
}

function isOutlier(longest: readonly PieceShape[] = [], next: readonly PieceShape[] = []): boolean {
  return next.length > 0 && longest.length > SMALL && longest.length > OUTLIER * next.length;
}
