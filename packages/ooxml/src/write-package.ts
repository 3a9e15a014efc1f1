import { addContentTypes, CONTENT_TYPES_NAME, writeContentTypes } from './content-types.ts';
import type { OoxmlPackage, Part, Relationships } from './package.ts';
import { relationshipsName } from './part-name.ts';
import { writeRelationships } from './relationships.ts';
import { applyEdits } from './xml-edits.ts';
import { type NewEntry, type WriteOptions, writeArchive } from './zip-writer.ts';

function relationshipsEntry(sourceName: string, { list, entry }: Relationships): NewEntry[] {
  const name = relationshipsName(sourceName);
  if (entry !== undefined) return [{ name, entry }];
  return list.length === 0 ? [] : [{ name, data: Buffer.from(writeRelationships(list)) }];
}

/** Formats that compression does not make smaller; trying takes longer. */
const PACKED_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

function partEntry({ name, entry, bytes, contentType, xml, edits }: Part): NewEntry {
  if (xml !== undefined && edits.length > 0) return { name, data: Buffer.from(applyEdits(xml, edits)) };
  const isPacked = PACKED_TYPES.has(contentType);
  return entry === undefined ? { name, data: bytes, isPacked } : { name, entry };
}

/**
 * Writes the package as an archive of its parts with their edits, and nothing else. Unchanged entries keep their
 * bytes. New entries are compressed, or stored for an engine on the same host.
 */
export function writePackage(document: OoxmlPackage, options: WriteOptions): Buffer {
  const parts = [...document.parts.values()];
  return writeArchive(
    [
      { name: CONTENT_TYPES_NAME, data: Buffer.from(writeContentTypes(parts)) },
      ...relationshipsEntry('', document.relationships),
      ...parts.flatMap((part) => [partEntry(part), ...relationshipsEntry(part.name, part.relationships)]),
    ],
    options,
  );
}

/**
 * Writes the package in the order of the archive that it was read from, with new entries at the end.
 * `[Content_Types].xml` also stays unchanged if all of its parts are still present.
 */
export function patchPackage(document: OoxmlPackage, options: WriteOptions): Buffer {
  const { archive, parts, relationships } = document;
  const entries = new Map<string, NewEntry>();
  const add = (entry: NewEntry) => entries.set(entry.name.toLowerCase(), entry);
  relationshipsEntry('', relationships).forEach(add);
  for (const part of parts.values())
    [partEntry(part), ...relationshipsEntry(part.name, part.relationships)].forEach(add);
  const types = CONTENT_TYPES_NAME.toLowerCase();
  const added = [...parts.values()].filter(({ key }) => !archive.has(key));
  const isWhole =
    [...archive.keys()].every((key) => key === types || entries.has(key)) &&
    [...parts.values()].every(
      ({ key, name, contentType }) => !archive.has(key) || document.contentTypes.typeOf(name) === contentType,
    );
  entries.set(types, typesEntry(document, isWhole ? added : undefined));
  const kept = [...archive.keys()].filter((key) => entries.has(key));
  const order = new Set([...kept, ...entries.keys()]);
  return writeArchive(
    [...order].map((key) => entries.get(key)).filter((entry) => entry !== undefined),
    options,
  );
}

/** `added` is undefined if there were changes other than additions. */
function typesEntry({ archive, parts, contentTypes }: OoxmlPackage, added?: readonly Part[]): NewEntry {
  const name = CONTENT_TYPES_NAME;
  const entry = archive.get(name.toLowerCase());
  if (entry !== undefined && added?.length === 0) return { name, entry };
  const xml = (added && addContentTypes(contentTypes.xml, added)) ?? writeContentTypes(parts.values());
  return { name, data: Buffer.from(xml) };
}
