import { applyEdits, type Edit, type ElementSpan } from '@scriptorium/ooxml/xml';

/** The text of a part and the edits made to it, by this and by other readers of the same pass. */
export class PartText {
  readonly #xml: string;
  readonly #edits: Edit[];

  constructor(xml: string, edits: Edit[]) {
    this.#xml = xml;
    this.#edits = edits;
  }

  /** How many edits there are: where to begin in `edited`. */
  get editCount(): number {
    return this.#edits.length;
  }

  written(start: number, end: number): string {
    return this.#xml.slice(start, end);
  }

  /** A stretch of whole tags as it will be, by the edits made since there were `since` of them. */
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

  /** Takes an element's tags away and leaves what is between them. */
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
