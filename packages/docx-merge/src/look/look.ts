import type { Edit, OpenTag } from '@scriptorium/ooxml/xml';

/** Where a style is used. */
export interface StyleUse {
  type?: 'paragraph' | 'character' | 'table';
  /** The style of the innermost table around, '' if that has none; undefined outside of tables. */
  table?: string | undefined;
}

/** How the parts of one imported document refer to the styles and lists of the merged document. */
export interface Look {
  /** Also for ids that no style has: they must not become those of another document. */
  styleId(id: string, use?: StyleUse): string;
  /** `0`, which means no list, stays. */
  numId(id: string): string;
  /** Styles for paragraphs and tables without one, where the defaults of the documents differ. */
  unstyled: { paragraph?: string | undefined; table?: string | undefined };
  /** The style for a paragraph without one in a table, which has its properties from the style of that table. */
  unstyledInTable(table: string): string | undefined;
  /** The new names of renamed styles. */
  styleNames: ReadonlyMap<string, string>;
  /** Edits that replace what depends on the theme; undefined if the themes are alike. */
  theme: ((tag: OpenTag, xml: string) => Edit[]) | undefined;
}

/** The parts of a document that define its look, in Transitional; undefined if it has none. */
export interface LookSource {
  styles: string | undefined;
  numbering: string | undefined;
  theme: string | undefined;
  settings: string | undefined;
  /** The id in the merged numbering part of a relationship of this document's numbering part. */
  numberingRelationship(id: string): string;
}

export interface LookOptions {
  /** `keep`: each looks as it did. `first`: a style of the same name takes the look of the first document. */
  styles: 'keep' | 'first';
  /** `keep`: the lists of each document begin again. `continue`: alike lists go on. */
  numbering: 'keep' | 'continue';
}
