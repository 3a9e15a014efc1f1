import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { readXml, type XmlElement } from './xml-element.ts';

/** A file of the archive, as yauzl unpacks it. */
export interface ArchivePart {
  name: string;
  bytes: Buffer;
  /** Lower-case, without parameters; empty if `[Content_Types].xml` has none. */
  contentType: string;
  /** Root element of a well-formed XML part. */
  root?: XmlElement;
  /** The text from which `root` was read. */
  xml?: string;
}

export const TYPES_NAME = '[Content_Types].xml';

/** The files of an archive in order. Adds faults of the archive, of the types and of the XML to the list. */
export async function readParts(bytes: Buffer, faults: string[]): Promise<Map<string, ArchivePart>> {
  const parts = new Map<string, ArchivePart>();
  try {
    const archive = await fromBufferPromise(bytes, { lazyEntries: true, strictFileNames: true });
    for await (const entry of archive.eachEntry()) {
      const name = entry.fileName;
      if (name.endsWith('/')) continue;
      if (parts.has(name)) faults.push(`the archive holds ${name} twice`);
      const data = await buffer(await archive.openReadStreamPromise(entry));
      parts.set(name, { name, bytes: data, contentType: '' });
    }
  } catch (error) {
    faults.push(`the archive cannot be read: ${String(error)}`);
    return parts;
  }
  readTypes(parts, faults);
  for (const part of parts.values()) readText(part, faults);
  return parts;
}

function readText(part: ArchivePart, faults: string[]): void {
  if (!/[+/]xml$/.test(part.contentType) && part.name !== TYPES_NAME) return;
  try {
    const encoding = part.bytes[0] === 0xff ? 'utf-16le' : 'utf-8';
    // The decoder removes the byte order mark.
    const xml = new TextDecoder(encoding, { fatal: true }).decode(part.bytes);
    part.root = readXml(xml);
    part.xml = xml;
  } catch (error) {
    faults.push(`${part.name} is not well-formed: ${String(error)}`);
  }
}

function readTypes(parts: ReadonlyMap<string, ArchivePart>, faults: string[]): void {
  const types = parts.get(TYPES_NAME);
  if (types === undefined) {
    faults.push(`there is no ${TYPES_NAME}`);
    return;
  }
  const defaults = new Map<string, string>();
  const overrides = new Map<string, string>();
  try {
    for (const { name, attributes } of readXml(types.bytes.toString('utf8').replace(/^\ufeff/, ''))
      .children) {
      const type = (attributes.get('ContentType') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
      const isDefault = name === 'ct:Default';
      const key = (attributes.get(isDefault ? 'Extension' : 'PartName') ?? '').toLowerCase();
      const known = isDefault ? defaults : overrides;
      if (known.has(key)) faults.push(`${TYPES_NAME} gives ${key} two types`);
      known.set(key, type);
    }
  } catch {
    return;
  }
  for (const part of parts.values()) {
    if (part.name === TYPES_NAME) continue;
    const extension = /\.([^./]+)$/.exec(part.name)?.[1]?.toLowerCase() ?? '';
    part.contentType = overrides.get(`/${part.name.toLowerCase()}`) ?? defaults.get(extension) ?? '';
    if (part.contentType === '') faults.push(`${part.name} has no content type`);
  }
}
