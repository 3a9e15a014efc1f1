import type { DropKind, Dropped } from '@scriptorium/ooxml/package';

const DROPPED_MAX = 1_000;
const DETAIL_CHARS_MAX = 200;

/** The content that a sanitizer removed: each item once, up to a maximum for reports. */
export class DropLog {
  readonly #dropped = new Map<string, Dropped>();

  /** `leavesGap` as in `Dropped`. */
  add(what: DropKind, part: string, detail?: string, leavesGap?: boolean): void {
    const text = detail?.trim().slice(0, DETAIL_CHARS_MAX);
    const key = JSON.stringify([what, part, text]);
    if (this.#dropped.size >= DROPPED_MAX || this.#dropped.has(key)) return;
    const gap = leavesGap === undefined ? {} : { leavesGap };
    this.#dropped.set(key, { what, part, ...(text ? { detail: text } : {}), ...gap });
  }

  list(): Dropped[] {
    return [...this.#dropped.values()];
  }
}
