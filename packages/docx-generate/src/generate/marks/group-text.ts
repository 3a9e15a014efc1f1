import type { Piece, TextGroup } from '@scriptorium/docx-template/template';
import { decodeReferences, type XmlNode } from '@scriptorium/ooxml/xml';

/** The decoded text of a group, with the way back to the source. */
export class GroupText {
  readonly group: TextGroup;
  readonly text: string;
  /** Where each `w:t` begins in the text. */
  readonly #starts: readonly number[];
  readonly #sources: readonly string[];
  /** Where references make a source longer than its text. Documents rarely have any. */
  readonly #shifts = new Map<number, readonly Shift[]>();

  constructor(group: TextGroup) {
    this.group = group;
    const { xml } = group.story;
    this.#sources = group.texts.map(({ openEnd, closeStart }) => xml.slice(openEnd, closeStart));
    const texts = this.#sources.map(decodeReferences);
    let at = 0;
    this.#starts = texts.map((text) => {
      const start = at;
      at += text.length;
      return start;
    });
    this.text = texts.join('');
  }

  /** The characters from `from` up to `to`, by the `w:t` that hold them, and the line breaks between them. */
  piecesOf(from: number, to: number): { pieces: [Piece, ...Piece[]]; breaks: XmlNode[] } {
    const { texts, breaks } = this.group;
    const firstAt = this.#textAt(from);
    const pieces: Piece[] = [];
    let last = firstAt;
    for (let at = firstAt; at < texts.length && this.#startOf(at) < to; at++) {
      const text = texts[at] as XmlNode;
      const begin = Math.max(from - this.#startOf(at), 0);
      const end = Math.min(to, this.#startOf(at + 1)) - this.#startOf(at);
      if (end <= begin) continue;
      pieces.push({
        text,
        start: text.openEnd + this.#sourceOffset(at, begin),
        end: text.openEnd + this.#sourceOffset(at, end),
      });
      last = at;
    }
    const [first, ...others] = pieces;
    if (first === undefined) throw new Error('a mark is empty');
    const between = breaks.slice(
      firstIndex(breaks, ({ before }) => before > firstAt),
      firstIndex(breaks, ({ before }) => before > last),
    );
    return { pieces: [first, ...others], breaks: between.map(({ node }) => node) };
  }

  #startOf(at: number): number {
    return this.#starts[at] ?? this.text.length;
  }

  /** The index of the `w:t` with the character at an offset. */
  #textAt(offset: number): number {
    return firstIndex(this.#starts, (start) => start > offset) - 1;
  }

  #sourceOffset(at: number, offset: number): number {
    const source = this.#sources[at] ?? '';
    if (!source.includes('&')) return offset;
    let shifts = this.#shifts.get(at);
    if (shifts === undefined) {
      shifts = shiftsOf(source);
      this.#shifts.set(at, shifts);
    }
    const behind = firstIndex(shifts, ({ end }) => end > offset);
    return offset + (shifts[behind - 1]?.shift ?? 0);
  }
}

/** After the character at `end - 1`, the source is `shift` characters longer than the text. */
interface Shift {
  end: number;
  shift: number;
}

const REFERENCE = /&[^;]*;/g;

function shiftsOf(source: string): Shift[] {
  let shift = 0;
  return [...source.matchAll(REFERENCE)].map(({ 0: written, index }) => {
    const { length } = decodeReferences(written);
    const end = index - shift + length;
    shift += written.length - length;
    return { end, shift };
  });
}

/** The index of the first item for which `isBehind` is true. It is true for all items after that one. */
function firstIndex<T>(items: readonly T[], isBehind: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBehind(items[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
