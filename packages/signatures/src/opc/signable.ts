import { Budget } from '@scriptorium/ooxml/bounds';
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

/** A document that was opened to be signed, or to have its signatures checked. */
export interface Signable {
  document: OoxmlPackage;
  signatureParts: SignatureParts;
  budget: Budget;
  /** Gives a part's content type as the package writes it, or will. */
  typeOf: ContentTypes;
}

/**
 * Opens a Word document through the gate, with all of its content as it was sent: macros and embedded objects too, and
 * no part in another encoding. Throws what `openPackage` throws.
 */
export async function openSignable(bytes: Uint8Array): Promise<Signable> {
  const budget = new Budget();
  const document = await openPackage(bytes, [], budget);
  for (const part of document.parts.values()) {
    const entry = document.archive.get(part.key);
    if (part.entry !== undefined || entry === undefined) continue;
    part.entry = entry;
    part.bytes = unpackEntry(entry, budget);
  }
  return { document, signatureParts: findSignatureParts(document), budget, typeOf: writtenTypes(document) };
}

/** Where additions cannot be written into `[Content_Types].xml`, the whole will be, with the types as the gate has them. */
function writtenTypes({ contentTypes, parts }: OoxmlPackage): ContentTypes {
  const isKept = addContentTypes(contentTypes.xml, []) !== undefined;
  const written = isKept
    ? readWrittenTypes(contentTypes.xml, { budget: new Budget(), part: CONTENT_TYPES_NAME })
    : contentTypes.typeOf;
  return (name) => written(name) || parts.get(name.toLowerCase())?.contentType || '';
}

/** The text that a relationships part has, or will have; undefined where there are no relationships. */
export function relationshipsText(relationships: Relationships, budget: Budget): string | undefined {
  const { entry, list } = relationships;
  if (list.length === 0) return undefined;
  return entry === undefined ? writeRelationships(list) : decodeXml(unpackEntry(entry, budget)).xml;
}

/**
 * Writes relationships parts that have white space between their elements without: LibreOffice 7.4 takes a signature
 * over such a part for broken. Only of a document that nobody signed yet.
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

/** Names of what lies in the archive and belongs to no document: nothing leads to it. */
export function strayNames({ document }: Signable): string[] {
  const { archive, parts, relationships } = document;
  const known = new Set([CONTENT_TYPES_NAME.toLowerCase(), ...parts.keys()]);
  if (relationships.entry !== undefined) known.add(relationshipsName('').toLowerCase());
  for (const part of parts.values())
    if (part.relationships.entry !== undefined) known.add(relationshipsName(part.name).toLowerCase());
  return [...archive].filter(([key]) => !known.has(key)).map(([, { name }]) => name);
}

/** Keeps what nothing leads to, for an earlier signature may cover it. */
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
