import { applyEdits, type Edit, type ElementSpan } from '@scriptorium/ooxml/xml';

/** The text of a part, and the edits that all readers of the same pass made. */
export class PartText {
  readonly #xml: string;
  readonly #edits: Edit[];

  constructor(xml: string, edits: Edit[]) {
    this.#xml = xml;
    this.#edits = edits;
  }

  /** Number of edits so far, for `since` in `edited`. */
  get editCount(): number {
    return this.#edits.length;
  }

  written(start: number, end: number): string {
    return this.#xml.slice(start, end);
  }

  /** A span of whole tags with the edits from index `since` applied. */
  edited(start: number, end: number, since: number, until = this.#edits.length): string {
    const inside = this.#edits
      .slice(since, until)
      .filter((edit) => edit.start >= start && edit.end <= end)
      .map((edit) => ({ start: edit.start - start, end: edit.end - start, text: edit.text }));
    return applyEdits(this.written(start, end), inside);
  }

  replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text });
  }

  remove({ start, end }: { start: number; end: number }): void {
    this.replace(start, end, '');
  }

  /** Removes the tags of an element and keeps its content. */
  unwrap({ start, openEnd, closeStart, end }: ElementSpan): void {
    this.replace(start, openEnd, '');
    if (openEnd < end) this.replace(closeStart, end, '');
  }

  /** Gives an element another local name. */
  rename({ start, openEnd, closeStart, end }: ElementSpan, local: string): void {
    const renamed = (tag: string) => tag.replace(/^(<\/?(?:[^\s<>/:]+:)?)[^\s/>]+/, `$1${local}`);
    this.replace(start, openEnd, renamed(this.written(start, openEnd)));
    if (openEnd < end) this.replace(closeStart, end, renamed(this.written(closeStart, end)));
  }
}
