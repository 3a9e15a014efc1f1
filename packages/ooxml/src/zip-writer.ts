import { crc32, deflateRawSync } from 'node:zlib';
import type { ArchiveEntry } from './zip-reader.ts';

/**
 * A file to write: new bytes, which may be compressed already, or an entry copied unchanged from a checked archive.
 */
export type NewEntry =
  | { name: string; data: Buffer; isPacked?: boolean }
  | { name: string; entry: ArchiveEntry };

/** APPNOTE 4.4.4: the name is UTF-8. */
const UTF8_NAME = 0x0800;
/** Versions needed to extract: plain entries, and ZIP64 records (APPNOTE 4.4.3). */
const [VERSION, VERSION_ZIP64] = [20, 45];
const DOS_DATE_1980 = 0x0021;
const [MAX_16, MAX_32] = [0xffff, 0xffffffff];

interface Packed {
  name: Buffer;
  isDeflated: boolean;
  crc: number;
  size: number;
  packed: Buffer;
}

/** How new bytes are written. `level` is zlib's, from 1 (fast) to 9 (small). */
export interface WriteOptions {
  isCompressed: boolean;
  level?: number;
}

function pack(file: NewEntry, { isCompressed, level }: WriteOptions): Packed {
  const name = Buffer.from(file.name);
  if ('entry' in file) {
    const { isDeflated, crc, size, packed } = file.entry;
    return { name, isDeflated, crc, size, packed };
  }
  const isDeflated = isCompressed && file.isPacked !== true;
  const packed = isDeflated ? deflateRawSync(file.data, level === undefined ? {} : { level }) : file.data;
  return { name, isDeflated, crc: crc32(file.data), size: file.data.length, packed };
}

/** The fields that the local and the central header share (APPNOTE 4.3.7 and 4.3.12). */
function sharedHeader({ name, isDeflated, crc, size, packed }: Packed, version: number): Buffer {
  const header = Buffer.alloc(26);
  header.writeUInt16LE(version, 0);
  header.writeUInt16LE(UTF8_NAME, 2);
  header.writeUInt16LE(isDeflated ? 8 : 0, 4);
  header.writeUInt16LE(DOS_DATE_1980, 8);
  header.writeUInt32LE(crc, 10);
  header.writeUInt32LE(packed.length, 14);
  header.writeUInt32LE(size, 18);
  header.writeUInt16LE(name.length, 22);
  return header;
}

/**
 * Writes a ZIP archive piece by piece, without dates: the same files give the same bytes. Sizes and checksums precede
 * each file, so that readers of streams can read it. It has ZIP64 records where its size or the number of files
 * requires them (APPNOTE 4.3).
 */
export class ZipWriter {
  readonly #directory: Buffer[] = [];
  readonly #options: WriteOptions;
  #length = 0;

  constructor(options: WriteOptions) {
    this.#options = options;
  }

  /** The pieces of a file of at most 2 GiB, to be written after all before it. */
  add(file: NewEntry): Buffer[] {
    const packed = pack(file, this.#options);
    const version = this.#length >= MAX_32 ? VERSION_ZIP64 : VERSION;
    const shared = sharedHeader(packed, version);
    const local = Buffer.concat([signature('PK\x03\x04'), shared, packed.name]);
    this.#directory.push(centralHeader(shared, packed.name, this.#length, version));
    this.#length += local.length + packed.packed.length;
    return [local, packed.packed];
  }

  /** The pieces of the end, after all files. */
  end(): Buffer[] {
    const [start, count] = [this.#length, this.#directory.length];
    const length = this.#directory.reduce((sum, { length: own }) => sum + own, 0);
    const isLarge = count >= MAX_16 || start + length >= MAX_32;
    const end = Buffer.alloc(18);
    for (const at of [4, 6]) end.writeUInt16LE(Math.min(count, MAX_16), at);
    end.writeUInt32LE(Math.min(length, MAX_32), 8);
    end.writeUInt32LE(Math.min(start, MAX_32), 12);
    return [
      ...this.#directory,
      ...(isLarge ? [largeEnd({ start, length, count })] : []),
      signature('PK\x05\x06'),
      end,
    ];
  }
}

const signature = (text: string): Buffer => Buffer.from(text, 'latin1');

/** APPNOTE 4.3.12, with the extra field of 4.5.3 for a file beyond 4 GiB. */
function centralHeader(shared: Buffer, name: Buffer, start: number, version: number): Buffer {
  const isFar = version === VERSION_ZIP64;
  const extra = Buffer.alloc(isFar ? 12 : 0);
  if (isFar) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(8, 2);
    extra.writeBigUInt64LE(BigInt(start), 4);
  }
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(isFar ? MAX_32 : start, 10);
  const own = Buffer.from(shared);
  own.writeUInt16LE(extra.length, 24);
  return Buffer.concat([signature('PK\x01\x02'), Buffer.from([version, 0]), own, rest, name, extra]);
}

/** The ZIP64 end record and its locator: APPNOTE 4.3.14, 4.3.15. */
function largeEnd({ start, length, count }: { start: number; length: number; count: number }): Buffer {
  const record = Buffer.alloc(52);
  record.writeBigUInt64LE(44n, 0);
  record.writeUInt16LE(VERSION_ZIP64, 8);
  record.writeUInt16LE(VERSION_ZIP64, 10);
  for (const at of [20, 28]) record.writeBigUInt64LE(BigInt(count), at);
  record.writeBigUInt64LE(BigInt(length), 36);
  record.writeBigUInt64LE(BigInt(start), 44);
  const locator = Buffer.alloc(16);
  locator.writeBigUInt64LE(BigInt(start + length), 4);
  locator.writeUInt32LE(1, 12);
  return Buffer.concat([signature('PK\x06\x06'), record, signature('PK\x06\x07'), locator]);
}

/**
 * Writes an archive of these files in their order. New bytes are compressed, or stored if a local reader needs them fast.
 *
 * @example
 * import { Budget } from '@scriptorium/ooxml/bounds';
 * import { readArchive } from '@scriptorium/ooxml/zip';
 * const bytes = writeArchive([{ name: 'a.txt', data: Buffer.from('A') }], { isCompressed: true });
 * [...(await readArchive(bytes, new Budget())).keys()] // ['a.txt']
 */
export function writeArchive(files: Iterable<NewEntry>, options: WriteOptions): Buffer {
  const writer = new ZipWriter(options);
  const pieces = [...files].flatMap((file) => writer.add(file));
  return Buffer.concat([...pieces, ...writer.end()]);
}
