import type { ElementSpan, OpenTag, XmlVisitor } from '@scriptorium/ooxml/xml';
import { PROPERTY_CHANGES } from './names.ts';
import type { EditedSpan, Story } from './story.ts';

/** A span with the edits from index `since`. */
type Changing = Omit<EditedSpan, 'until'>;

/** Property elements that mark a change or contain a record of one. */
const PROPERTIES = [
  'w:rPr',
  'w:pPr',
  'w:sectPr',
  'w:tblPr',
  'w:tblPrEx',
  'w:tblGrid',
  'w:trPr',
  'w:tcPr',
  'w:numPr',
  'm:ctrlPr',
] as const;

/** One open property element. */
export interface Properties {
  readonly name: string;
  readonly outer: Properties | undefined;
  readonly start: number;
  readonly openEnd: number;
  readonly since: number;
  /** Inside a record, so it describes the former state. */
  readonly isFormer: boolean;
  /** A record in it is open. */
  isInRecord: boolean;
  /** The content of the properties in its record. */
  former?: Changing;
  /** Children that records do not cover. They stay when former properties are restored. */
  kept: Changing[];
  /** The element itself is removed in this mode. */
  isGone: boolean;
}

/** Tracks the open property elements and resolves their records. */
export class PropertyReader {
  readonly #story: Story;
  current: Properties | undefined;

  constructor(story: Story) {
    this.#story = story;
  }

  /** Whether these are the run properties of the mark of the current paragraph. */
  get isParagraphMark(): boolean {
    const outer = this.current?.outer;
    const own = this.#story.paragraph?.properties;
    return this.current?.name === 'w:rPr' && outer?.name === 'w:pPr' && outer.start === own?.start;
  }

  open({ name, start, end }: OpenTag): void {
    const outer = this.current;
    const since = this.#story.text.editCount;
    const isFormer = outer !== undefined && (outer.isFormer || outer.isInRecord);
    const state = { isInRecord: false, kept: [], isGone: false };
    this.current = { name, outer, start, openEnd: end, since, isFormer, ...state };
    const { paragraph } = this.#story;
    if (name === 'w:pPr' && outer === undefined && paragraph !== undefined)
      paragraph.properties ??= { start, end, since, until: since };
  }

  close(span: ElementSpan): Properties | undefined {
    const closed = this.current;
    if (closed === undefined) return undefined;
    const { outer, since } = closed;
    this.current = outer;
    this.#resolve(closed, span);
    if (outer?.isInRecord === true && outer.name === closed.name)
      outer.former = { start: span.openEnd, end: span.closeStart, since };
    else if (outer?.name === 'w:pPr' && closed.name !== 'w:numPr') this.#closeInParagraph(span, since);
    const own = this.#story.paragraph?.properties;
    if (own?.start === span.start) Object.assign(own, { end: span.end, until: this.#story.text.editCount });
    return closed;
  }

  /** Keeps a child when former properties are restored. */
  keep({ start, end }: ElementSpan, since: number): void {
    this.current?.kept.push({ start, end, since });
  }

  /** A record does not cover the mark or the section. If their properties are written in one, they are ignored. */
  #closeInParagraph(span: ElementSpan, since: number): void {
    if (this.current?.isFormer === true) this.#story.text.remove(span);
    else this.keep(span, since);
  }

  #resolve(closed: Properties, span: ElementSpan): void {
    const { text, mode } = this.#story;
    if (closed.isGone) text.remove(span);
    else if (mode === 'original' && restores(closed)) this.#restore(closed, span);
  }

  /**
   * Replaces the current properties with the recorded ones. The record of a paragraph omits those of its mark and its
   * section, which come last (ECMA-376-1 §17.13.5.29). The record of a section omits its headers, which come first
   * (§17.13.5.32).
   */
  #restore({ name, former, kept }: Properties, span: ElementSpan): void {
    const { text } = this.#story;
    const edited = ({ start, end, since }: Changing) => text.edited(start, end, since);
    const old = former === undefined ? '' : edited(former);
    const rest = kept.map(edited).join('');
    text.replace(span.openEnd, span.closeStart, name === 'w:sectPr' ? rest + old : old + rest);
  }
}

/** Word records an empty grid for a table with unknown columns. */
function restores({ name, former }: Properties): boolean {
  return former !== undefined && (name !== 'w:tblGrid' || former.end > former.start);
}

/** Handles properties. Calls `onClose` for each at its end. */
export function propertyVisitor(
  story: Story,
  reader: PropertyReader,
  onClose: (closed: Properties, span: ElementSpan) => void,
): XmlVisitor {
  const properties = {
    open: (tag: OpenTag) => reader.open(tag),
    close: (span: ElementSpan) => {
      const closed = reader.close(span);
      if (closed !== undefined) onClose(closed, span);
    },
  };
  const record = {
    open: () => {
      if (reader.current !== undefined) reader.current.isInRecord = true;
    },
    close: (span: ElementSpan) => {
      story.text.remove(span);
      if (reader.current !== undefined) reader.current.isInRecord = false;
    },
  };
  const header = {
    close: (span: ElementSpan) => {
      const { current } = reader;
      if (current?.name === 'w:sectPr' && !current.isInRecord) reader.keep(span, current.since);
    },
  };
  return {
    ...Object.fromEntries(PROPERTIES.map((name) => [name, properties])),
    ...Object.fromEntries(PROPERTY_CHANGES.map((name) => [name, record])),
    'w:headerReference': header,
    'w:footerReference': header,
  };
}
