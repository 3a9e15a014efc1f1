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
const VERSION = 20;
const DOS_DATE_1980 = 0x0021;

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
function sharedHeader({ name, isDeflated, crc, size, packed }: Packed): Buffer {
  const header = Buffer.alloc(26);
  header.writeUInt16LE(VERSION, 0);
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
 * Writes an archive of these files in their order, without dates: the same files give the same bytes. New bytes are
 * compressed, or stored if a local reader needs them fast.
 */
export function writeArchive(files: Iterable<NewEntry>, options: WriteOptions): Buffer {
  const body: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  let count = 0;
  for (const file of files) {
    const packed = pack(file, options);
    const shared = sharedHeader(packed);
    const position = Buffer.alloc(14);
    position.writeUInt32LE(offset, 10);
    body.push(Buffer.from('PK\x03\x04', 'latin1'), shared, packed.name, packed.packed);
    directory.push(
      Buffer.from(`PK\x01\x02${String.fromCharCode(VERSION)}\0`, 'latin1'),
      shared,
      position,
      packed.name,
    );
    offset += 4 + shared.length + packed.name.length + packed.packed.length;
    count++;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...body, central, end]);
}
