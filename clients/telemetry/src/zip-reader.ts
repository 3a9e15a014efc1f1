import { crc32 } from './hash.ts';

const ENTRIES_MAX = 5000;
const DIRECTORY_BYTES_MAX = 2 * 1024 * 1024;
const COMMENT_BYTES_MAX = 0xffff;
const PART_BYTES_MAX = 1024 * 1024;

/** DEFLATE expands one byte to at most 1032, so the output of a slice stays small. */
const INFLATE_SLICE_BYTES = 4096;

const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
const ENCRYPTED = 0x2041;

/** A directory entry of the archive. `offset` is the position of the local header. All sizes are in bytes. */
export interface ZipEntry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  readonly offset: number;
  /** The end of the local record: the next record or the directory. */
  readonly recordEnd: number;
  /** The position of its record in the directory. */
  readonly central: readonly [start: number, end: number];
}

export interface ZipArchive {
  readonly bytes: Uint8Array;
  /** In the order of the directory. */
  readonly entries: readonly ZipEntry[];
  readonly directoryStart: number;
  readonly endStart: number;
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function need(condition: boolean, what: string): asserts condition {
  if (!condition) throw new RangeError(`ZIP: ${what}`);
}

/** Finds the end record whose comment extends to the last byte (APPNOTE 4.3.16). */
function findEnd(view: DataView): number {
  const lowest = Math.max(0, view.byteLength - END_BYTES - COMMENT_BYTES_MAX);
  for (let at = view.byteLength - END_BYTES; at >= lowest; at--) {
    if (view.getUint32(at, true) !== 0x06054b50) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) === view.byteLength) return at;
  }
  throw new RangeError('ZIP: no end record');
}

type CentralRecord = Omit<ZipEntry, 'recordEnd'>;

function readCentral(
  bytes: Uint8Array,
  at: number,
  directoryEnd: number,
  names: InstanceType<typeof TextDecoder>,
): CentralRecord {
  const view = viewOf(bytes);
  need(at + CENTRAL_BYTES <= directoryEnd && view.getUint32(at, true) === 0x02014b50, 'the directory');
  const nameEnd = at + CENTRAL_BYTES + view.getUint16(at + 28, true);
  const end = nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  need(end <= directoryEnd, 'the directory');
  return {
    name: names.decode(bytes.subarray(at + CENTRAL_BYTES, nameEnd)),
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    packedSize: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    offset: view.getUint32(at + 42, true),
    central: [at, end],
  };
}

/**
 * Reads the directory of an archive without unpacking entries.
 * Throws if it is invalid, in several volumes, ZIP64, over the limits, or has two records at one offset.
 */
export function readArchive(bytes: Uint8Array): ZipArchive {
  need(bytes.length >= END_BYTES, 'no end record');
  const view = viewOf(bytes);
  const endStart = findEnd(view);
  const count = view.getUint16(endStart + 10, true);
  const size = view.getUint32(endStart + 12, true);
  const directoryStart = view.getUint32(endStart + 16, true);
  need(
    view.getUint32(endStart + 4, true) === 0 && view.getUint16(endStart + 8, true) === count,
    'several volumes',
  );
  need(count <= ENTRIES_MAX && size <= DIRECTORY_BYTES_MAX, 'too many entries');
  need(directoryStart + size === endStart, 'not one archive from first to last byte');

  const names = new TextDecoder();
  const records: CentralRecord[] = [];
  let at = directoryStart;
  while (records.length < count) {
    const record = readCentral(bytes, at, endStart, names);
    records.push(record);
    at = record.central[1];
  }
  need(at === endStart, 'the directory');

  const offsets = records.map(({ offset }) => offset).sort((a, b) => a - b);
  offsets.push(directoryStart);
  const next = new Map<number, number>();
  offsets.forEach((offset, index) => {
    need(index === 0 || offset > (offsets[index - 1] ?? 0), 'two records in one place');
    next.set(offsets[index - 1] ?? 0, offset);
  });
  const entries = records.map((record) => ({ ...record, recordEnd: next.get(record.offset) ?? 0 }));
  return { bytes, entries, directoryStart, endStart };
}

/** Returns the entry of this name (OPC names are case-insensitive). Throws if there are two. */
export function findEntry({ entries }: ZipArchive, name: string): ZipEntry | undefined {
  const found = entries.filter((entry) => entry.name.toLowerCase() === name.toLowerCase());
  need(found.length < 2, `two ${name}`);
  return found[0];
}

function slices(bytes: Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, at + INFLATE_SLICE_BYTES));
      at += INFLATE_SLICE_BYTES;
    },
  });
}

async function inflate(packed: Uint8Array, size: number): Promise<Uint8Array> {
  const reader = slices(packed).pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const out = new Uint8Array(size);
  let filled = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (filled + value.length > size) {
      await reader.cancel();
      throw new RangeError('ZIP: more than the entry claims');
    }
    out.set(value, filled);
    filled += value.length;
  }
  need(filled === size, 'less than the entry claims');
  return out;
}

/**
 * Returns the content of an entry, at most 1 MiB. Throws if the entry is larger, encrypted, or compressed with a method other
 * than DEFLATE. Throws if it overlaps another one, or does not match its header, size and checksum. Also throws without
 * `DecompressionStream`.
 */
export async function readEntry({ bytes }: ZipArchive, entry: ZipEntry): Promise<Uint8Array> {
  need(entry.size <= PART_BYTES_MAX && entry.packedSize <= PART_BYTES_MAX, 'a large part');
  need((entry.flags & ENCRYPTED) === 0, 'encrypted');
  const view = viewOf(bytes);
  const { offset } = entry;
  need(
    offset + LOCAL_BYTES <= entry.recordEnd && view.getUint32(offset, true) === 0x04034b50,
    'a local header',
  );
  const nameEnd = offset + LOCAL_BYTES + view.getUint16(offset + 26, true);
  const start = nameEnd + view.getUint16(offset + 28, true);
  need(start + entry.packedSize <= entry.recordEnd, 'overlapping entries');
  const name = new TextDecoder().decode(bytes.subarray(offset + LOCAL_BYTES, nameEnd));
  need(name === entry.name, 'two names of an entry');

  const packed = bytes.subarray(start, start + entry.packedSize);
  need(entry.method === 8 || (entry.method === 0 && packed.length === entry.size), 'its method');
  const content = entry.method === 8 ? await inflate(packed, entry.size) : packed;
  need(crc32(content) === entry.crc, 'its checksum');
  return content;
}
