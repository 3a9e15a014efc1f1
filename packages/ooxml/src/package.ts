import type { ContentTypes } from './content-types.ts';
import type { Edit } from './xml-edits.ts';
import type { Archive, ArchiveEntry } from './zip-reader.ts';

/** One relationship of a part, or of the package (ECMA-376-2 §6.5). */
export interface Relationship {
  id: string;
  /** URI of its type, as written. */
  type: string;
  /** Last segment of the type: `hyperlink`, `image`. It is the same in Transitional and Strict. */
  kind: string;
  target: string;
  isExternal: boolean;
  /** Key of the target part. Undefined if the target is external or missing. */
  part?: string;
}

/** The relationships of one source, after any changes. */
export interface Relationships {
  list: Relationship[];
  /** The original entry. Undefined if the relationships were changed or absent. */
  entry?: ArchiveEntry;
}

export interface Part {
  /** Lower-case name: part names are case-insensitive. */
  key: string;
  /** As in the archive, without a leading slash. */
  name: string;
  contentType: string;
  bytes: Buffer;
  /** The decoded text of an XML part. */
  xml?: string;
  /** Changes to `xml`, applied when the package is written. */
  edits: Edit[];
  relationships: Relationships;
  /** The original entry. Undefined if `bytes` differs from the archive. */
  entry?: ArchiveEntry;
}

/** An OOXML package opened by `openPackage`: only what is reachable from its root. */
export interface OoxmlPackage {
  main: Part;
  /** By key. */
  parts: Map<string, Part>;
  relationships: Relationships;
  dropped: Dropped[];
  /** The archive that was read, including entries that are not reachable. */
  archive: Archive;
  /** The original `[Content_Types].xml` and the types that it declares. */
  contentTypes: { xml: string; typeOf: ContentTypes };
}

export type DropKind =
  | 'external relationship'
  | 'remote template'
  | 'unsafe link'
  | 'macro'
  | 'ActiveX control'
  | 'OLE object'
  | 'alternative content'
  | 'field'
  | 'formula'
  | 'SVG image'
  | 'image'
  | 'embedded font'
  | 'page count in a condition'
  | 'external link'
  | 'data source'
  | 'form action'
  | 'active content'
  | 'style'
  | 'unknown part'
  | 'damaged relationship'
  | 'list number'
  | 'form control'
  | 'path of the service'
  | 'metadata'
  | 'note'
  | 'text box';

/** Something that `openPackage` or the sanitizer removed from a document. */
export interface Dropped {
  what: DropKind;
  /** Name of the part that contained it. */
  part: string;
  /** Its target or content, if the document gives one: an address, a field instruction. */
  detail?: string;
  /** Whether it was visible and nothing is in its place. If undefined, the kind decides. */
  leavesGap?: boolean;
}
