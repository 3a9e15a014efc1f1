import type { Level, List } from './list-sheet.ts';
import { isMiswritten, writtenNumber } from './number-formats.ts';

/** The label of a paragraph in a list. */
export interface Label {
  /** Undefined if it is not known how Word writes one of its numbers. */
  text: string | undefined;
  /** Whether LibreOffice writes one of its numbers differently from Word. */
  isMiswritten: boolean;
}

/** Counts the paragraphs of lists as Word does (ECMA-376-1 §17.9). */
export class ListCounter {
  /** The last numbers by definition, and by level. */
  readonly #counts = new Map<string, (number | undefined)[]>();
  /** Lists and levels that have begun anew. */
  readonly #started = new Set<string>();
  readonly #ids = new Map<List, number>();

  /** The label of the next paragraph at this level, from 0. */
  next(list: List, at: number): Label {
    const counts = this.#counts.get(list.definition) ?? [];
    this.#counts.set(list.definition, counts);
    for (const [level, start] of list.starts) this.#begin(list, level, start, counts);
    for (let outer = 0; outer < at; outer++) counts[outer] ??= list.levels[outer]?.start ?? 1;
    const last = counts[at];
    counts[at] = last === undefined ? (list.levels[at]?.start ?? 1) : last + 1;
    for (let inner = at + 1; inner < list.levels.length; inner++) {
      const restart = list.levels[inner]?.restart;
      if (restart === undefined || (restart > 0 && at < restart)) counts[inner] = undefined;
    }
    return labelOf(list.levels, at, counts);
  }

  /** An override applies when its list is first used. */
  #begin(list: List, level: number, start: number, counts: (number | undefined)[]): void {
    const id = this.#ids.get(list) ?? this.#ids.size;
    this.#ids.set(list, id);
    const key = `${id} ${level}`;
    if (this.#started.has(key)) return;
    this.#started.add(key);
    counts[level] = start - 1;
  }
}

function labelOf(
  levels: readonly (Level | undefined)[],
  at: number,
  counts: readonly (number | undefined)[],
): Label {
  const own = levels[at];
  const label: Label = { text: '', isMiswritten: false };
  if (own === undefined || own.format === 'bullet') return { text: own?.text, isMiswritten: false };
  const text = own.text.replaceAll(/%([1-9])/g, (_, digit: string) => {
    const level = levels[Number(digit) - 1];
    const value = counts[Number(digit) - 1];
    if (level === undefined || value === undefined || level.format === 'bullet') return '';
    const format = own.isLegal && level !== own ? 'decimal' : level.format;
    if (isMiswritten(format, value)) label.isMiswritten = true;
    const written = value === 0 && format === 'decimal' ? '0' : writtenNumber(format, value);
    if (written === undefined) label.text = undefined;
    return written ?? '';
  });
  return label.text === undefined ? label : { ...label, text };
}
