import type { XrefEntry, XrefSection } from './xref-entry.ts';

/** Below this number of sections, a direct search is faster than an index. */
const FEW = 8;
/** Limit for indexed objects, of one section and of all together; larger sections are searched in order. */
const NOTED_MAX = 20_000;
const NOTED_IN_ALL_MAX = 1_000_000;

const sizeOf = ({ runs }: XrefSection): number => runs.reduce((sum, { count }) => sum + count, 0);

/** Finds objects in a chain of cross-reference sections without searching each one: files may have thousands. */
export class SectionIndex {
  readonly sections: readonly XrefSection[];
  /** The sections that name each object number, the newest first. */
  readonly #named = new Map<number, number[]>();
  /** Sections that must be searched. */
  readonly #large: number[] = [];
  #isBuilt = false;

  constructor(sections: readonly XrefSection[]) {
    this.sections = sections;
  }

  /** Returns the entry for an object in the first section from number `from` on that names it. */
  find(num: number, from: number): XrefEntry | undefined {
    if (!this.#isBuilt) this.#build();
    const named = this.#named.get(num) ?? [];
    let at = firstFrom(named, from);
    let large = firstFrom(this.#large, from);
    for (;;) {
      const next = Math.min(named[at] ?? Infinity, this.#large[large] ?? Infinity);
      if (next === Infinity) return undefined;
      if (named[at] === next) at++;
      else large++;
      const entry = this.#findIn(next, num);
      if (entry) return entry;
    }
  }

  #findIn(index: number, num: number): XrefEntry | undefined {
    const section = this.sections[index];
    const entry = section?.find(num);
    if (!section || entry?.kind !== 'free') return entry;
    // Objects only in the stream of a hybrid file are free in its table (ISO 32000-2, 7.5.8.4).
    const isBesideStream = section.kind === 'table' && typeof section.trailer.get('XRefStm') === 'number';
    return (isBesideStream ? this.sections[index + 1]?.find(num) : undefined) ?? entry;
  }

  #build(): void {
    this.#isBuilt = true;
    let rest = this.sections.length > FEW ? NOTED_IN_ALL_MAX : 0;
    for (const [index, section] of this.sections.entries()) {
      const size = sizeOf(section);
      if (size > Math.min(rest, NOTED_MAX)) this.#large.push(index);
      else {
        rest -= size;
        this.#note(section, index);
      }
    }
  }

  #note({ runs }: XrefSection, index: number): void {
    for (const { first, count } of runs) {
      for (let num = first; num < first + count; num++) {
        const named = this.#named.get(num);
        if (!named) this.#named.set(num, [index]);
        else if (named.at(-1) !== index) named.push(index);
      }
    }
  }
}

/** Returns the index of the first of these ascending numbers that is at least `from`. */
function firstFrom(numbers: readonly number[], from: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
