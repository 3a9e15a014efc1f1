import type { Part } from '@scriptorium/ooxml/package';
import type { XmlNode } from '@scriptorium/ooxml/xml';
import type { Dialect } from './dialect.ts';

export type Place = 'body' | 'header' | 'footer' | 'footnote' | 'endnote';

/** A part of a document with visible text. */
export interface Story {
  part: Part;
  xml: string;
  place: Place;
  root: XmlNode;
  dialect: Dialect;
}

/** The places by the last segment of the relationship type. */
const PLACES: ReadonlyMap<string, Place> = new Map([
  ['officeDocument', 'body'],
  ['header', 'header'],
  ['footer', 'footer'],
  ['footnotes', 'footnote'],
  ['endnotes', 'endnote'],
]);

/** The place for a relationship type. Undefined for parts without fields. */
export function placeOf(kind: string): Place | undefined {
  return PLACES.get(kind);
}
