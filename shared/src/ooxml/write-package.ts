import { CONTENT_TYPES_NAME, writeContentTypes } from './content-types.ts';
import type { OoxmlPackage, Part, Relationships } from './package.ts';
import { relationshipsName } from './part-name.ts';
import { writeRelationships } from './relationships.ts';
import { applyEdits } from './xml-edits.ts';
import { type NewEntry, writeArchive } from './zip-writer.ts';

function relationshipsEntry(sourceName: string, { list, entry }: Relationships): NewEntry[] {
  const name = relationshipsName(sourceName);
  if (entry !== undefined) return [{ name, entry }];
  return list.length === 0 ? [] : [{ name, data: Buffer.from(writeRelationships(list)) }];
}

function partEntry({ name, entry, bytes, xml, edits }: Part): NewEntry {
  if (xml !== undefined && edits.length > 0) return { name, data: Buffer.from(applyEdits(xml, edits)) };
  return entry === undefined ? { name, data: bytes } : { name, entry };
}

/**
 * The package as an archive: its parts with their edits, and nothing that was in the file beside them. What is
 * unchanged keeps its bytes; what is new is compressed, or stored for an engine on the same host.
 */
export function writePackage(document: OoxmlPackage, options: { isCompressed: boolean }): Buffer {
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
