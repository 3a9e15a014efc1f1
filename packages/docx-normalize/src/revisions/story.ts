import type { ElementSpan, OpenTag } from '@scriptorium/ooxml/xml';
import { isGone, type RevisionMode } from './names.ts';
import type { PartText } from './part-text.ts';

export interface Span {
  start: number;
  end: number;
}

/** An element with the edits made while it was read: indexes from `since` up to `until`. */
export interface EditedSpan extends Span {
  since: number;
  until: number;
}

export interface Paragraph {
  readonly outer: Paragraph | undefined;
  span: ElementSpan;
  /** Its namespace declarations as written, because they are lost with its tag. */
  declarations: string;
  /** See `Story.levelOf`. */
  level: number;
  properties?: EditedSpan;
  anchors: Anchors;
  isMarkGone: boolean;
  hasContent: boolean;
}

/** A container of paragraphs: a story, a table cell, a content control. */
export interface Block {
  readonly outer: Block | undefined;
  /** The paragraph or table around it: for a text box, or for a control around table rows. */
  readonly paragraph: Paragraph | undefined;
  readonly table: Table | undefined;
  /** Paragraphs without a mark, which merge with the next one. */
  open: Paragraph[];
  /** The outermost level at which an element began since the last open paragraph. */
  lowest: number;
  endsInParagraph: boolean;
  isCut: boolean;
}

interface Cell {
  start: number;
  isGone: boolean;
}

export interface Row extends Cell {
  cellsKept: number;
  cellsGone: number;
  cell?: Cell;
}

export interface Table {
  readonly outer: Table | undefined;
  rowsKept: number;
  rowsGone: number;
  row?: Row;
}

/** The state of resolving one part. */
export class Story {
  readonly mode: RevisionMode;
  readonly text: PartText;
  /** The anchors of the innermost span that may be removed as a whole. */
  anchors = new Anchors();
  block: Block;
  paragraph: Paragraph | undefined;
  table: Table | undefined;
  /** Number of open elements whose tags will be removed. */
  unwrapped = 0;
  /** Called when a span was removed. */
  onCut: (() => void)[] = [];
  #removedFrom: number | undefined;

  constructor(mode: RevisionMode, text: PartText) {
    this.mode = mode;
    this.text = text;
    this.block = this.#newBlock(undefined);
  }

  /** The depth of an element in the result. Siblings have the same; no element between them has a smaller one. */
  levelOf({ depth }: OpenTag): number {
    return depth - this.unwrapped;
  }

  isGone(name: string): boolean {
    return isGone(name, this.mode);
  }

  get isRemoving(): boolean {
    return this.#removedFrom !== undefined;
  }

  /** Removes everything from here to the end of the element that starts at `start`. */
  beginRemoval(start: number): void {
    this.#removedFrom = start;
    this.enterAnchors();
  }

  /** Ends the removal if this is its element. */
  endRemoval(span: Span): void {
    if (span.start !== this.#removedFrom) return;
    this.#removedFrom = undefined;
    this.removeWithAnchors(span);
  }

  enterAnchors(): void {
    this.anchors = new Anchors(this.anchors);
  }

  leaveAnchors(): Anchors {
    const left = this.anchors;
    this.anchors = left.outer ?? left;
    return left;
  }

  /** Removes the innermost span, except anchors whose other end lies outside of it. */
  removeWithAnchors({ start, end }: Span): void {
    const anchors = this.leaveAnchors();
    this.text.replace(start, end, anchors.xml());
    this.anchors.addAll(anchors);
    this.block.isCut = true;
    for (const notify of this.onCut) notify();
  }

  #newBlock(outer: Block | undefined): Block {
    const { paragraph, table } = this;
    return { outer, paragraph, table, open: [], lowest: 0, endsInParagraph: false, isCut: false };
  }

  enterBlock(): void {
    this.block = this.#newBlock(this.block);
  }

  leaveBlock(): Block {
    const left = this.block;
    this.block = left.outer ?? left;
    return left;
  }

  /** Whether the next element is a sibling of paragraphs, not inside a paragraph or between table rows. */
  get isAtBlockLevel(): boolean {
    return this.paragraph === this.block.paragraph && this.table === this.block.table;
  }
}

const NAME_END = /^<[^\s/>]+/;

/**
 * Starts and ends of bookmarks, comments and permissions in one span, to keep when the span is removed. Pairs inside
 * the span are removed with it; a single start or end must stay.
 */
class Anchors {
  readonly outer: Anchors | undefined;
  readonly #tags = new Map<string, string>();

  constructor(outer?: Anchors) {
    this.outer = outer;
  }

  /** `range` is the kind and id that a start and its end share. `tag` is its start tag. */
  add(range: string, isStart: boolean, tag: string): void {
    if (isStart || !this.#tags.delete(`start ${range}`))
      this.#tags.set(`${isStart ? 'start' : 'end'} ${range}`, tag.replace(/\/?>$/, '/>'));
  }

  addAll(inner: Anchors): void {
    for (const [key, tag] of inner.#tags) {
      const isStart = key.startsWith('start ');
      this.add(key.slice(isStart ? 6 : 4), isStart, tag);
    }
  }

  /** The anchors that stay, as XML. `declarations` are the namespaces that the removed span declared. */
  xml(declarations = ''): string {
    const tags = [...this.#tags.values()];
    if (declarations === '') return tags.join('');
    return tags
      .map((tag) => (tag.includes(' xmlns') ? tag : tag.replace(NAME_END, (name) => name + declarations)))
      .join('');
  }
}
