import type { Op } from './program.ts';

/**
 * A part of a story that is not copied as it is. `make` returns what takes its place. It may write text of the story
 * inside the item with the writer, from front to back.
 */
export interface Item {
  start: number;
  end: number;
  /** At equal places, a lower rank is outside of a higher one. */
  rank: number;
  make(writer: Writer): Op | readonly Op[];
}

/** Ranks of items that cover the same text. */
export const RANKS = {
  filled: 0,
  removed: 1,
  parts: 2,
  block: 3,
  cell: 199,
  alone: 200,
  control: 201,
  leaf: 300,
} as const;

/** A replacement that does not depend on data. */
export function staticItem(start: number, end: number, text: string, rank: number = RANKS.leaf): Item {
  return { start, end, rank, make: () => text };
}

/** Writes ranges of a story as steps: its text, and what its items make. */
export class Writer {
  /** Number of loops around the text that is being written. */
  loopDepth = 0;
  readonly #xml: string;
  readonly #items: readonly Item[];
  #next = 0;

  constructor(xml: string, items: readonly Item[]) {
    this.#xml = xml;
    this.#items = items.toSorted((a, b) => a.start - b.start || b.end - a.end || a.rank - b.rank);
  }

  /** The steps for a range. Calls must go from the start of the story to its end. */
  write(from: number, to: number): Op[] {
    const ops: Op[] = [];
    let at = from;
    for (let item = this.#items[this.#next]; item !== undefined && item.start < to; ) {
      this.#next++;
      if (item.start >= at) {
        if (item.end > to) throw new Error('two items of a template overlap');
        push(ops, this.#xml.slice(at, item.start));
        at = item.end;
        for (const op of asList(item.make(this))) push(ops, op);
      }
      item = this.#items[this.#next];
    }
    push(ops, this.#xml.slice(at, to));
    return ops;
  }

  /** The outermost items with their steps. */
  fragments(): { start: number; end: number; ops: Op[] }[] {
    const fragments: { start: number; end: number; ops: Op[] }[] = [];
    let at = 0;
    for (let item = this.#items[this.#next]; item !== undefined; item = this.#items[this.#next]) {
      this.#next++;
      if (item.start < at) continue;
      const ops: Op[] = [];
      for (const op of asList(item.make(this))) push(ops, op);
      fragments.push({ start: item.start, end: item.end, ops });
      at = item.end;
    }
    return fragments;
  }
}

function asList(ops: Op | readonly Op[]): readonly Op[] {
  return Array.isArray(ops) ? ops : [ops as Op];
}

/** Adds a step. Adjacent texts become one. */
function push(ops: Op[], op: Op): void {
  if (op === '') return;
  const last = ops.at(-1);
  if (typeof op === 'string' && typeof last === 'string') ops[ops.length - 1] = last + op;
  else ops.push(op);
}
