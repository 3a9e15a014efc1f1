import type { SlicedEntry } from './usage-slices.ts';

const DAY_MS = 86_400_000;

/** Columns of equal length, in the order of slice and document, each pair of which is there once. */
export interface DayTally {
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  isOnce: boolean;
  slices: number[];
  documents: string[];
  opens: number[];
}

/** The same for documents, whatever the day. */
export interface DocumentTally {
  slices: number[];
  documents: string[];
  firstSeen: string[];
  lastSeen: string[];
  opens: number[];
}

interface Seen {
  slice: number;
  document: string;
  opens: number;
  first: number;
  last: number;
}

type Group = Map<string, Seen>;

/** Sums up what happened, for each day and for ever. Operations, which are never forgotten by month, are not in the latter. */
export function tally(entries: readonly SlicedEntry[]): { days: DayTally[]; ever: DocumentTally } {
  const days = new Map<string, Group>();
  const ever: Group = new Map();
  for (const { occurrences, slices, isOnce } of entries)
    for (const [at, document] of occurrences) {
      const day = groupOf(
        days,
        `${new Date(at - (at % DAY_MS)).toISOString().slice(0, 10)}${isOnce ? '!' : ''}`,
      );
      for (const slice of slices) count(day, slice, document, at);
      if (!isOnce) count(ever, slices[0], document, at);
    }
  return {
    days: [...days].map(([name, group]) => {
      const isOnce = name.endsWith('!');
      const { opens, ...columns } = columnsOf(group);
      return { day: name.slice(0, 10), isOnce, ...columns, opens: isOnce ? opens.map(() => 1) : opens };
    }),
    ever: columnsOf(ever),
  };
}

function groupOf(groups: Map<string, Group>, name: string): Group {
  const group = groups.get(name) ?? new Map();
  groups.set(name, group);
  return group;
}

function count(group: Group, slice: number, document: string, at: number): void {
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

function columnsOf(group: Group): DocumentTally {
  // Near each other in the index, too.
  const rows = [...group.values()].sort((a, b) => a.slice - b.slice || (a.document < b.document ? -1 : 1));
  const time = (at: number): string => new Date(at).toISOString();
  return {
    slices: rows.map(({ slice }) => slice),
    documents: rows.map(({ document }) => document),
    firstSeen: rows.map(({ first }) => time(first)),
    lastSeen: rows.map(({ last }) => time(last)),
    opens: rows.map(({ opens }) => opens),
  };
}
