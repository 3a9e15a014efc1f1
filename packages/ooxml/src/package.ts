import type { ContentTypes } from './content-types.ts';
import type { Edit } from './xml-edits.ts';
import type { Archive, ArchiveEntry } from './zip-reader.ts';

/** One relationship of a part, or of the package (ECMA-376-2 §6.5). */
export interface Relationship {
  id: string;
  /** URI of its type, as written. */
  type: string;
  /** Last segment of the type: `hyperlink`, `image`. Transitional and Strict names agree in it. */
  kind: string;
  target: string;
  isExternal: boolean;
  /** Key of the part that it leads to; undefined where it is external or leads nowhere. */
  part?: string;
}

/** The relationships of one source, and what was done to them. */
export interface Relationships {
  list: Relationship[];
  /** As they came; undefined where they were changed or there were none. */
  entry?: ArchiveEntry;
}

export interface Part {
  /** Lower-case name: names are equal whatever their case. */
  key: string;
  /** As in the archive, without a leading slash. */
  name: string;
  contentType: string;
  bytes: Buffer;
  /** The decoded text of an XML part. */
  xml?: string;
  /** Changes to `xml`, made when the package is written. */
  edits: Edit[];
  relationships: Relationships;
  /** As it came; undefined where `bytes` is not what the archive held. */
  entry?: ArchiveEntry;
}

/** An OOXML package that went through the gate: what is reachable from its root, and nothing else. */
export interface OoxmlPackage {
  main: Part;
  /** By key. */
  parts: Map<string, Part>;
  relationships: Relationships;
  dropped: Dropped[];
  /** What it was read from, also what is not reachable. */
  archive: Archive;
  /** `[Content_Types].xml` as it came, and what it says. */
  contentTypes: { xml: string; typeOf: ContentTypes };
}

export type DropKind =
  | 'external relationship'
  | 'remote template'
  | 'script link'
  | 'macro'
  | 'ActiveX control'
  | 'OLE object'
  | 'alternative content'
  | 'field'
  | 'SVG image'
  | 'image'
  | 'embedded font'
  | 'page count in a condition'
  | 'external link'
  | 'data source'
  | 'form action'
  | 'active content'
  | 'style'
  | 'unknown part';

/** Something that the gate or the sanitiser took out of a document. */
export interface Dropped {
  what: DropKind;
  /** Name of the part that held it. */
  part: string;
  /** What it pointed at or was, as far as the document says: an address, a field's instruction. */
  detail?: string;
}
