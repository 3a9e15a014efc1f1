import { Budget } from '@scriptorium/ooxml/bounds';
import { OoxmlError } from '@scriptorium/ooxml/error';
import {
  addContentTypes,
  CONTENT_TYPES_NAME,
  type ContentTypes,
  type OoxmlPackage,
  openPackage,
  type Part,
  type Relationships,
  readWrittenTypes,
  relationshipsName,
  writeRelationships,
} from '@scriptorium/ooxml/package';
import { decodeXml } from '@scriptorium/ooxml/xml';
import { unpackEntry } from '@scriptorium/ooxml/zip';
import { findSignatureParts, type SignatureParts } from './signature-parts.ts';

/** A document opened for signing or for checking its signatures. */
export interface Signable {
  document: OoxmlPackage;
  signatureParts: SignatureParts;
  budget: Budget;
  /** Returns a part's content type as the package declares it, or will declare it. */
  typeOf: ContentTypes;
}

/**
 * Opens a Word document through the sanitizer with all of its content unchanged, including macros and embedded objects. No
 * part is re-encoded. Throws what `openPackage` throws.
 */
export async function openSignable(bytes: Uint8Array): Promise<Signable> {
  const budget = new Budget();
  const document = await openPackage(bytes, [], budget);
  // Readers differ on which one they use, so a signature would not say what it covers.
  if (document.dropped.some(({ what }) => what === 'damaged relationship'))
    throw new OoxmlError('INVALID_FILE_FORMAT', 'The document is damaged: two relationships have one Id.');
  for (const part of document.parts.values()) {
    const entry = document.archive.get(part.key);
    if (part.entry !== undefined || entry === undefined) continue;
    part.entry = entry;
    part.bytes = unpackEntry(entry, budget);
  }
  return { document, signatureParts: findSignatureParts(document), budget, typeOf: writtenTypes(document) };
}

/** If additions cannot be inserted into `[Content_Types].xml`, it is rewritten with the types known to the sanitizer. */
function writtenTypes({ contentTypes, parts }: OoxmlPackage): ContentTypes {
  const isKept = addContentTypes(contentTypes.xml, []) !== undefined;
  const written = isKept
    ? readWrittenTypes(contentTypes.xml, { budget: new Budget(), part: CONTENT_TYPES_NAME })
    : contentTypes.typeOf;
  return (name) => written(name) || parts.get(name.toLowerCase())?.contentType || '';
}

/** Returns the current or future text of a relationships part; undefined without relationships. */
export function relationshipsText(relationships: Relationships, budget: Budget): string | undefined {
  const { entry, list } = relationships;
  if (list.length === 0) return undefined;
  return entry === undefined ? writeRelationships(list) : decodeXml(unpackEntry(entry, budget)).xml;
}

/**
 * Removes white space between the elements of relationships parts: LibreOffice 7.4 reports a signature over such a part as
 * broken. Use only for an unsigned document.
 */
export function minifyRelationships({ document, budget }: Signable): void {
  const all = [document.relationships, ...[...document.parts.values()].map((part) => part.relationships)];
  for (const relationships of all) {
    const { entry } = relationships;
    if (entry === undefined) continue;
    const { xml, isUtf8 } = decodeXml(unpackEntry(entry, budget));
    if (!isUtf8 || relationships.list.length === 0 || /(?<!\?)>\s+</.test(xml)) delete relationships.entry;
  }
}

/** Returns the names of archive entries that the document does not refer to. */
export function strayNames({ document }: Signable): string[] {
  const { archive, parts, relationships } = document;
  const known = new Set([CONTENT_TYPES_NAME.toLowerCase(), ...parts.keys()]);
  if (relationships.entry !== undefined) known.add(relationshipsName('').toLowerCase());
  for (const part of parts.values())
    if (part.relationships.entry !== undefined) known.add(relationshipsName(part.name).toLowerCase());
  return [...archive].filter(([key]) => !known.has(key)).map(([, { name }]) => name);
}

/** Keeps stray entries, because an earlier signature may cover them. */
export function keepStrays(signable: Signable): void {
  const { document, budget } = signable;
  for (const name of strayNames(signable)) {
    const entry = document.archive.get(name.toLowerCase());
    if (entry === undefined) continue;
    const part: Part = {
      key: name.toLowerCase(),
      name,
      contentType: document.contentTypes.typeOf(name),
      bytes: unpackEntry(entry, budget),
      edits: [],
      relationships: { list: [] },
      entry,
    };
    document.parts.set(part.key, part);
  }
}
