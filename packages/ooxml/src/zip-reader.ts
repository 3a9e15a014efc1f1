import { crc32, inflateRawSync } from 'node:zlib';
import { type Entry, fromBufferPromise } from 'yauzl';
import { BOUNDS, type Budget, boundPassed } from './bounds.ts';
import { OoxmlError } from './ooxml-error.ts';
import { isSafeName } from './part-name.ts';

const END_RECORD = 'PK\x05\x06';
const END_RECORD_BYTES = 22;
const ZIP64_LOCATOR = 'PK\x06\x07';
const ZIP64_LOCATOR_BYTES = 20;
const LOCAL_HEADER = 'PK\x03\x04';
const LOCAL_HEADER_BYTES = 30;
const CENTRAL_HEADER_BYTES = 46;
const PADDING = Buffer.from('\0\r\n');
const STORED = 0;
const DEFLATED = 8;
/** General purpose bits, APPNOTE 4.4.4. */
const ENCRYPTED_FLAGS = 0x1 | 0x40;
const MASKED_FLAG = 0x2000;
const DESCRIPTOR_FLAG = 0x8;
const ZIP64_EXTRA = 0x0001;

/** One file of an archive, not yet inflated. */
export interface ArchiveEntry {
  name: string;
  /** Inflated size in bytes as the directory claims; `unpackEntry` enforces it. */
  size: number;
  crc: number;
  isDeflated: boolean;
  /** The bytes in the archive. */
  packed: Buffer;
}

/** The files of an archive by lower-case name: part names are case-insensitive (ECMA-376-2 §6.2.2.3). */
export type Archive = Map<string, ArchiveEntry>;

function corrupt(why: string, cause?: unknown): OoxmlError {
  const message = `The file’s ZIP archive is damaged: ${why}.`;
  return new OoxmlError('INVALID_FILE_FORMAT', message, { cause });
}

/**
 * The archive without trailing padding. Mail gateways and scripts append a line end or zeros to good documents. Other
 * trailing bytes stay and are refused later.
 */
function withoutPadding(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf(END_RECORD, undefined, 'latin1');
  if (end === -1 || end + END_RECORD_BYTES > bytes.length)
    throw corrupt('it has no end; it may be truncated');
  const archiveBytes = end + END_RECORD_BYTES + bytes.readUInt16LE(end + 20);
  const rest = bytes.subarray(archiveBytes);
  return rest.every((byte) => PADDING.includes(byte)) ? bytes.subarray(0, archiveBytes) : bytes;
}

interface Directory {
  start: number;
  end: number;
}

/** Locates the central directory. Readers differ on archives with two, hidden or odd end records: all are refused. */
function findDirectory(bytes: Buffer): Directory {
  const end = bytes.lastIndexOf(END_RECORD, undefined, 'latin1');
  if (bytes.length - end - END_RECORD_BYTES !== bytes.readUInt16LE(end + 20))
    throw corrupt('there are bytes after its end');
  if (bytes.length > end + END_RECORD_BYTES && bytes.includes('PK', end + 4, 'latin1'))
    throw corrupt('its comment holds another archive');
  const locator = end - ZIP64_LOCATOR_BYTES;
  if (locator >= 0 && bytes.toString('latin1', locator, locator + 4) === ZIP64_LOCATOR)
    throw corrupt('it uses ZIP64, which a document of this size does not need');
  const start = bytes.readUInt32LE(end + 16);
  if (start + bytes.readUInt32LE(end + 12) !== end)
    throw corrupt('its directory does not end where it should');
  return { start, end };
}

function checkEntry(entry: Entry): void {
  if (entry.generalPurposeBitFlag & ENCRYPTED_FLAGS) {
    throw new OoxmlError('DOCUMENT_ENCRYPTED', 'The document’s ZIP archive is protected by a password.');
  }
  if (entry.generalPurposeBitFlag & MASKED_FLAG) throw corrupt('its headers are masked');
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    throw corrupt(`${quote(entry.fileName)} uses a compression method that is not supported`);
  if (entry.extraFields.some(({ id }) => id === ZIP64_EXTRA))
    throw corrupt(`${quote(entry.fileName)} has ZIP64 sizes, which documents do not need`);
  if (!isSafeName(entry.fileName)) throw corrupt(`${quote(entry.fileName)} is not a valid part name`);
}

/** Quotes a name from the file for a message: short and printable ASCII, so that it cannot control a terminal. */
function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100).replace(/[^\x20-\x7e]/g, '?'));
}

interface Located {
  entry: Entry;
  /** Offset of the local header. */
  start: number;
  dataStart: number;
  end: number;
}

/** Finds an entry's data by its local header, which must match the directory. */
function locate(bytes: Buffer, entry: Entry, directory: Directory): Located {
  const start = entry.relativeOffsetOfLocalHeader;
  if (
    start + LOCAL_HEADER_BYTES > directory.start ||
    bytes.toString('latin1', start, start + 4) !== LOCAL_HEADER
  )
    throw corrupt(`${quote(entry.fileName)} is not at the offset in its directory`);
  const nameEnd = start + LOCAL_HEADER_BYTES + bytes.readUInt16LE(start + 26);
  const dataStart = nameEnd + bytes.readUInt16LE(start + 28);
  const end = dataStart + entry.compressedSize;
  if (end > directory.start) throw corrupt(`${quote(entry.fileName)} reaches past the end`);
  const flags = bytes.readUInt16LE(start + 6);
  const hasSizes = (flags & DESCRIPTOR_FLAG) === 0;
  const agrees =
    bytes.subarray(start + LOCAL_HEADER_BYTES, nameEnd).equals(entry.fileNameRaw) &&
    bytes.readUInt16LE(start + 8) === entry.compressionMethod &&
    (flags & (ENCRYPTED_FLAGS | MASKED_FLAG)) === 0 &&
    (!hasSizes ||
      (bytes.readUInt32LE(start + 14) === entry.crc32 &&
        bytes.readUInt32LE(start + 18) === entry.compressedSize &&
        bytes.readUInt32LE(start + 22) === entry.uncompressedSize));
  if (!agrees) throw corrupt(`${quote(entry.fileName)} has two different headers`);
  return { entry, start, dataStart, end };
}

function checkOverlap(located: readonly Located[]): void {
  const sorted = located.toSorted((a, b) => a.start - b.start);
  if (sorted[0] !== undefined && sorted[0].start !== 0) throw corrupt('there are bytes before its start');
  let end = 0;
  for (const { entry, start, end: next } of sorted) {
    if (start < end) throw corrupt(`${quote(entry.fileName)} overlaps another entry`);
    end = next;
  }
}

async function readDirectory(bytes: Buffer, directory: Directory): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor = directory.start;
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true });
    if (zip.entryCount > BOUNDS.zipEntriesMax) throw boundPassed('zipEntriesMax');
    for await (const entry of zip.eachEntry()) {
      entries.push(entry);
      const { fileNameLength, extraFieldLength, fileCommentLength } = entry;
      cursor += CENTRAL_HEADER_BYTES + fileNameLength + extraFieldLength + fileCommentLength;
    }
  } catch (error) {
    if (error instanceof OoxmlError) throw error;
    if (String(error).includes('strong encryption'))
      throw new OoxmlError('DOCUMENT_ENCRYPTED', 'The document’s ZIP archive is encrypted.', {
        cause: error,
      });
    throw corrupt('its directory cannot be read', error);
  }
  if (cursor !== directory.end) throw corrupt('its directory holds more than its entries');
  return entries;
}

/**
 * Reads the directory of an archive in memory, so strictly that no two readers can see different files in it (APPNOTE
 * 6.3.10). The archive must fill the whole file. Names must be unique, entries must not overlap, and the two headers
 * of an entry must agree. Nothing is inflated. Throws OoxmlError: INVALID_FILE_FORMAT, DOCUMENT_ENCRYPTED or
 * DOCUMENT_TOO_COMPLEX.
 */
export async function readArchive(file: Buffer, budget: Budget): Promise<Archive> {
  const bytes = withoutPadding(file);
  const directory = findDirectory(bytes);
  const entries = await readDirectory(bytes, directory);
  budget.addEntries(entries.length);
  const located = entries.map((entry) => {
    checkEntry(entry);
    return locate(bytes, entry, directory);
  });
  checkOverlap(located);
  const archive: Archive = new Map();
  const names = new Set<string>();
  for (const { entry, dataStart, end } of located) {
    const key = entry.fileName.toLowerCase();
    if (names.has(key)) throw corrupt(`it holds ${quote(entry.fileName)} twice`);
    names.add(key);
    if (entry.fileName.endsWith('/')) {
      if (entry.uncompressedSize > 0) throw corrupt(`the folder ${quote(entry.fileName)} has content`);
      continue;
    }
    archive.set(key, {
      name: entry.fileName,
      size: entry.uncompressedSize,
      crc: entry.crc32,
      isDeflated: entry.compressionMethod === DEFLATED,
      packed: bytes.subarray(dataStart, end),
    });
  }
  return archive;
}

/**
 * Returns the bytes of one entry. Inflation stops at the size that the directory claims, so a false size costs no
 * extra memory. The checksum is verified. Throws OoxmlError: INVALID_FILE_FORMAT, or DOCUMENT_TOO_COMPLEX from the
 * budget.
 */
export function unpackEntry({ name, size, crc, isDeflated, packed }: ArchiveEntry, budget: Budget): Buffer {
  budget.addInflated(size);
  const data = isDeflated ? inflate(name, packed, size) : packed;
  if (data.length !== size) throw corrupt(`${quote(name)} is not as long as its header says`);
  if (crc32(data) !== crc) throw corrupt(`${quote(name)} has a wrong checksum`);
  return data;
}

function inflate(name: string, packed: Buffer, size: number): Buffer {
  try {
    // A bound of 0 would mean no bound.
    const options = { maxOutputLength: Math.max(size, 1), info: true, chunkSize: chunkSizeFor(size) };
    const { buffer, engine } = inflateRawSync(packed, options) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    if (engine.bytesWritten !== packed.length) throw corrupt(`${quote(name)} has bytes after its data`);
    return buffer;
  } catch (error) {
    if (error instanceof OoxmlError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw corrupt(`${quote(name)} is longer than its header says`, error);
    throw corrupt(`${quote(name)} cannot be inflated`, error);
  }
}

/** Small output fits one chunk: each further chunk costs a call into zlib and a copy. */
function chunkSizeFor(size: number): number {
  return Math.min(Math.max(size, 64), 1024 * 1024);
}
