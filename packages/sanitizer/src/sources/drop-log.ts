import type { DropKind, Dropped } from '@scriptorium/ooxml/package';

const DROPPED_MAX = 1_000;
const DETAIL_CHARS_MAX = 200;

/** The content that a sanitizer removed: each item once, up to a maximum for reports. */
export class DropLog {
  readonly #dropped = new Map<string, Dropped>();

  add(what: DropKind, part: string, detail?: string): void {
    const text = detail?.trim().slice(0, DETAIL_CHARS_MAX);
    const key = JSON.stringify([what, part, text]);
    if (this.#dropped.size >= DROPPED_MAX || this.#dropped.has(key)) return;
    this.#dropped.set(key, { what, part, ...(text ? { detail: text } : {}) });
  }

  list(): Dropped[] {
    return [...this.#dropped.values()];
  }
}
