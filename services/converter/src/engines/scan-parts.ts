import { Budget } from '@scriptorium/ooxml/bounds';
import { decodeXml, scanXml, type XmlVisitor } from '@scriptorium/ooxml/xml';
import { readArchive, unpackEntry } from '@scriptorium/ooxml/zip';

/** Reads the parts of a sanitized package for which `visitorOf` returns a visitor, by their names. */
export async function scanParts(
  bytes: Buffer,
  visitorOf: (name: string) => XmlVisitor | undefined,
): Promise<void> {
  const budget = new Budget();
  for (const entry of (await readArchive(bytes, budget)).values()) {
    const visitor = visitorOf(entry.name);
    if (visitor === undefined) continue;
    const { xml } = decodeXml(unpackEntry(entry, budget));
    scanXml(xml, [visitor], { budget, part: entry.name });
  }
}
