import { crc32 } from './hash.ts';
import { findEntry, type ZipArchive, type ZipEntry } from './zip-reader.ts';

/** 1 January 1980, the earliest date of ZIP: written parts do not have a time stamp. */
const DOS_DATE = 0x21;
const UTF8_NAMES = 0x800;
const VERSION = 20;

interface NewEntry {
  readonly name: Uint8Array;
  readonly content: Uint8Array;
  readonly crc: number;
}

/** Writes the common fields of local headers and directory records (APPNOTE 4.3.7, 4.3.12). */
function common(view: DataView, at: number, { name, content, crc }: NewEntry): void {
  view.setUint16(at, VERSION, true);
  view.setUint16(at + 2, UTF8_NAMES, true);
  view.setUint16(at + 8, DOS_DATE, true);
  view.setUint32(at + 10, crc, true);
  view.setUint32(at + 14, content.length, true);
  view.setUint32(at + 18, content.length, true);
  view.setUint16(at + 22, name.length, true);
}

function localRecord(entry: NewEntry): Uint8Array {
  const record = new Uint8Array(30 + entry.name.length + entry.content.length);
  const view = new DataView(record.buffer);
  view.setUint32(0, 0x04034b50, true);
  common(view, 4, entry);
  record.set(entry.name, 30);
  record.set(entry.content, 30 + entry.name.length);
  return record;
}

function centralRecord(entry: NewEntry): Uint8Array {
  const record = new Uint8Array(46 + entry.name.length);
  const view = new DataView(record.buffer);
  view.setUint32(0, 0x02014b50, true);
  view.setUint16(4, VERSION, true);
  common(view, 6, entry);
  record.set(entry.name, 46);
  return record;
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(chunks.reduce((total, chunk) => total + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

/**
 * Returns the archive with these parts, which replace entries of the same name or are added at the end. Parts are stored
 * uncompressed. All other records are copied unchanged, in the same order.
 */
export function writeArchive(archive: ZipArchive, parts: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const { bytes, entries, directoryStart, endStart } = archive;
  const replaced = new Map<ZipEntry, NewEntry>();
  const added: NewEntry[] = [];
  for (const [name, content] of parts) {
    const old = findEntry(archive, name);
    const entry = { name: new TextEncoder().encode(old?.name ?? name), content, crc: crc32(content) };
    if (old) replaced.set(old, entry);
    else added.push(entry);
  }

  const inPlace = [...entries].sort((a, b) => a.offset - b.offset);
  const chunks = [bytes.subarray(0, inPlace[0]?.offset ?? directoryStart)];
  const offsets = new Map<ZipEntry | NewEntry, number>();
  let at = chunks[0]?.length ?? 0;
  const put = (key: ZipEntry | NewEntry, record: Uint8Array) => {
    offsets.set(key, at);
    chunks.push(record);
    at += record.length;
  };
  for (const entry of inPlace) {
    const changed = replaced.get(entry);
    put(entry, changed ? localRecord(changed) : bytes.subarray(entry.offset, entry.recordEnd));
  }
  for (const entry of added) put(entry, localRecord(entry));

  const directory = at;
  for (const entry of [...entries, ...added]) {
    const changed = 'central' in entry ? replaced.get(entry) : entry;
    const record = changed ? centralRecord(changed) : bytes.slice(...(entry as ZipEntry).central);
    new DataView(record.buffer).setUint32(42, offsets.get(entry) ?? 0, true);
    chunks.push(record);
    at += record.length;
  }

  const end = bytes.slice(endStart);
  const view = new DataView(end.buffer);
  view.setUint16(8, entries.length + added.length, true);
  view.setUint16(10, entries.length + added.length, true);
  view.setUint32(12, at - directory, true);
  view.setUint32(16, directory, true);
  chunks.push(end);
  return join(chunks);
}
