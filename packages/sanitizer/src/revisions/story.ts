import type { ElementSpan, OpenTag } from '@scriptorium/ooxml/xml';
import { isGone, type RevisionMode } from './names.ts';
import type { PartText } from './part-text.ts';

export interface Span {
  start: number;
  end: number;
}

/** An element with the edits that were made while it was read: those from `since` up to `until`. */
export interface EditedSpan extends Span {
  since: number;
  until: number;
}

export interface Paragraph {
  readonly outer: Paragraph | undefined;
  span: ElementSpan;
  /** Its namespace declarations as written, for they are lost with its tag. */
  declarations: string;
  /** As of `Story.levelOf`. */
  level: number;
  properties?: EditedSpan;
  anchors: Anchors;
  isMarkGone: boolean;
  hasContent: boolean;
}

/** What holds paragraphs: a story of text, a table cell, a content control. */
export interface Block {
  readonly outer: Block | undefined;
  /** What it lies in: a text box in a paragraph, a control around table rows. */
  readonly paragraph: Paragraph | undefined;
  readonly table: Table | undefined;
  /** Paragraphs without a mark, which flow into the next one. */
  open: Paragraph[];
  /** The outermost level at which something began since the last of them. */
  lowest: number;
  endsInParagraph: boolean;
  isCut: boolean;
}

export interface Cell {
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

/** Where the reading of one part is, and what it does to it. */
export class Story {
  readonly mode: RevisionMode;
  readonly text: PartText;
  /** Of the innermost stretch that may go as a whole. */
  anchors = new Anchors();
  block: Block;
  paragraph: Paragraph | undefined;
  table: Table | undefined;
  /** Open elements around this place whose tags will not be there. */
  unwrapped = 0;
  /** Told when a stretch went. */
  onCut: (() => void)[] = [];
  #removedFrom: number | undefined;

  constructor(mode: RevisionMode, text: PartText) {
    this.mode = mode;
    this.text = text;
    this.block = this.#newBlock(undefined);
  }

  /** How deep an element will lie: two with one parent have the same, and nothing between them lies less deep. */
  levelOf({ depth }: OpenTag): number {
    return depth - this.unwrapped;
  }

  isGone(name: string): boolean {
    return isGone(name, this.mode);
  }

  get isRemoving(): boolean {
    return this.#removedFrom !== undefined;
  }

  /** From here to the end of the element that starts at `start`, nothing stays. */
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

  /** Removes the innermost stretch but for the anchors that belong to something outside of it. */
  removeWithAnchors({ start, end }: Span): void {
    const anchors = this.leaveAnchors();
    this.text.replace(start, end, anchors.xml());
    this.anchors.addAll(anchors);
    this.block.isCut = true;
    for (const tell of this.onCut) tell();
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

  /** Whether what is read next stands beside paragraphs, not inside of one or between the rows of a table. */
  get isAtBlockLevel(): boolean {
    return this.paragraph === this.block.paragraph && this.table === this.block.table;
  }
}

const NAME_END = /^<[^\s/>]+/;

/**
 * Starts and ends of bookmarks, comments and permissions that lie in one stretch of a document, so that they can be kept
 * when the stretch goes. Those whose start and end both lie in it go with it; a start alone, or an end, must stay.
 */
class Anchors {
  readonly outer: Anchors | undefined;
  readonly #tags = new Map<string, string>();

  constructor(outer?: Anchors) {
    this.outer = outer;
  }

  /** `range` is the kind and id that a start and its end share; `tag` is its start tag. */
  add(range: string, isStart: boolean, tag: string): void {
    if (isStart || !this.#tags.delete(`start ${range}`))
      this.#tags.set(`${isStart ? 'start' : 'end'} ${range}`, tag.replace(/\s*\/?>$/, '/>'));
  }

  addAll(inner: Anchors): void {
    for (const [key, tag] of inner.#tags) {
      const isStart = key.startsWith('start ');
      this.add(key.slice(isStart ? 6 : 4), isStart, tag);
    }
  }

  /** What stays, as XML; `declarations` are namespaces that the removed stretch itself declared. */
  xml(declarations = ''): string {
    const tags = [...this.#tags.values()];
    if (declarations === '') return tags.join('');
    return tags
      .map((tag) => (tag.includes(' xmlns') ? tag : tag.replace(NAME_END, (name) => name + declarations)))
      .join('');
  }
}
