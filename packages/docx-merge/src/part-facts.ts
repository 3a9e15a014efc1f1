import type { ElementSpan, OpenTag } from '@scriptorium/ooxml/xml';
import type { StyleUse } from './look/look.ts';

/** What a value in a part refers to, so that it may need another value in the merged document. */
export type SiteKind =
  | 'style'
  | 'list'
  | 'relationship'
  | 'diagram'
  | 'annotation'
  | 'bookmark'
  | 'anchor'
  | 'footnote'
  | 'endnote'
  | 'comment'
  | 'drawing'
  | 'textBox'
  | 'control'
  | 'paragraph'
  | 'durable'
  | 'store'
  | 'docPart';

/** The value of one attribute, by its offsets in the text of its part. */
export interface Site {
  kind: SiteKind;
  start: number;
  end: number;
  value: string;
  /** Only for a style. */
  use?: StyleUse;
}

/** A place where a reference to a style is missing. */
interface Unstyled {
  kind: 'paragraph' | 'table';
  /** The properties that would hold it, or the element without them. */
  holder: ElementSpan;
  hasProperties: boolean;
  /** The style of the innermost table around, '' if that has none; undefined outside of tables. */
  table: string | undefined;
}

export interface SectionChild extends ElementSpan {
  name: string;
  /** Only for a reference to a header or footer. */
  type: string | undefined;
  id: string | undefined;
}

/** Section properties. */
export interface Section extends ElementSpan {
  children: SectionChild[];
  isLast: boolean;
  /** Notes with a number of their own, from the start of the document to the end of the section. */
  footnotes: number;
  endnotes: number;
}

/** A field: its instruction, and the pieces of text that contain it. */
export interface Field {
  instruction: string;
  pieces: { start: number; end: number; text: string }[];
  /** Where its result is. */
  result: { start: number; end: number };
}

/** An element directly inside the body or the root. */
export interface Block extends ElementSpan {
  name: string;
  /** Identifies an entry of a list of entries: `w:id`, `w:name`, or the id of a paragraph. */
  key: string | undefined;
  /** Only for a note: `separator`, … */
  type: string | undefined;
  /** Its properties, if it is a paragraph. */
  properties: ElementSpan | undefined;
  /** The child of the properties before which section properties belong. */
  change: number | undefined;
  hasSection: boolean;
  /** Whether a tracked change inserts or removes the end of the paragraph. */
  isTracked: boolean;
}

/** What the merge must know about an XML part. */
export interface PartScan {
  sites: Site[];
  unstyled: Unstyled[];
  sections: Section[];
  fields: Field[];
  blocks: Block[];
  /** Elements with an attribute or a child that depends on the theme. */
  themed: OpenTag[];
  /**
   * Bookmarks that only Word's cursor uses, all ends of bookmarks, and bindings to the properties of the document. Also section
   * properties of the body before its last ones.
   */
  removable: (ElementSpan & { kind: 'cursor' | 'end' | 'binding' | 'section'; value: string })[];
  /** The element whose children are `blocks`. */
  body: ElementSpan | undefined;
  root: { start: number; end: number } | undefined;
}
