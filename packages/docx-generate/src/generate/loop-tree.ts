/** The extent of a loop in a story. */
export interface Extent {
  start: number;
  end: number;
}

export interface Loop extends Extent {
  /** 1 for a loop that is in no other one. */
  depth: number;
  outer: Loop | undefined;
}

/** The loops of a story, by the offsets inside them. */
export class LoopTree {
  readonly #starts: number[] = [];
  /** The innermost loop from each start on. */
  readonly #loops: (Loop | undefined)[] = [];

  constructor(extents: readonly Extent[]) {
    let open: Loop | undefined;
    const closeUntil = (offset: number) => {
      while (open !== undefined && open.end <= offset) {
        this.#add(open.end, open.outer);
        open = open.outer;
      }
    };
    for (const { start, end } of extents.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      closeUntil(start);
      open = { start, end, depth: (open?.depth ?? 0) + 1, outer: open };
      this.#add(start, open);
    }
    closeUntil(Number.POSITIVE_INFINITY);
  }

  /** The innermost loop that contains an offset. */
  at(offset: number): Loop | undefined {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return this.#loops[low - 1];
  }

  depthAt(offset: number): number {
    return this.at(offset)?.depth ?? 0;
  }

  #add(at: number, loop: Loop | undefined): void {
    if (this.#starts.at(-1) === at) this.#loops[this.#loops.length - 1] = loop;
    else {
      this.#starts.push(at);
      this.#loops.push(loop);
    }
  }
}
