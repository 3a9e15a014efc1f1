import type { SlicedEntry } from './usage-slices.ts';

const DAY_MS = 86_400_000;

/** The opens of one document in one slice on one day. Times are in epoch milliseconds. */
export interface Seen {
  slice: number;
  document: string;
  opens: number;
  first: number;
  last: number;
}

export interface DayTally {
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  isOnce: boolean;
  /** Sorted by slice and document. Each pair is unique. */
  seen: Seen[];
}

/** Sums up the occurrences of each day. */
export function tally(entries: readonly SlicedEntry[]): DayTally[] {
  const groups = new Map<number, Map<string, Seen>>();
  for (const { occurrences, slices, isOnce } of entries)
    for (const [at, document] of occurrences) {
      const day = Math.floor(at / DAY_MS);
      const group = groupOf(groups, isOnce ? -day : day);
      for (const slice of slices) count(group, slice, document, at);
    }
  return [...groups].map(([day, group]) => ({
    day: new Date(Math.abs(day) * DAY_MS).toISOString().slice(0, 10),
    isOnce: day < 0,
    seen: inOrder([...group.values()]),
  }));
}

function groupOf(groups: Map<number, Map<string, Seen>>, name: number): Map<string, Seen> {
  const group = groups.get(name) ?? new Map<string, Seen>();
  groups.set(name, group);
  return group;
}

function count(group: Map<string, Seen>, slice: number, document: string, at: number): void {
  const name = `${slice} ${document}`;
  const seen = group.get(name);
  if (seen === undefined) {
    group.set(name, { slice, document, opens: 1, first: at, last: at });
    return;
  }
  seen.opens += 1;
  seen.first = Math.min(seen.first, at);
  seen.last = Math.max(seen.last, at);
}

/** Sorted, so that adjacent index entries are written consecutively. */
const inOrder = (rows: Seen[]): Seen[] =>
  rows.sort((a, b) => a.slice - b.slice || (a.document < b.document ? -1 : 1));
