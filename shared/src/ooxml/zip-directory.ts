import { crc32, inflateRawSync } from 'node:zlib';
import { type Entry, fromBufferPromise } from 'yauzl';
import { AppError } from '../errors.ts';

const ENTRIES_MAX = 5_000;
const LOCAL_HEADER_BYTES = 30;
const END_RECORD_BYTES = 22;
const PADDING = Buffer.from('\0\r\n');
const STORED = 0;
const DEFLATED = 8;

/** The entries of an archive by lower-case name: part names are equal whatever their case (ECMA-376-2 §6.2.2.3). */
export type ZipDirectory = Map<string, Entry>;

function corrupt(why: string, cause?: unknown): AppError {
  const message = `The file begins like a DOCX, but ${why}; it is truncated or corrupt.`;
  return new AppError('INVALID_FILE_FORMAT', message, { cause });
}

function checkEntry(entry: Entry, fileBytes: number): void {
  if (entry.isEncrypted()) {
    throw new AppError('DOCUMENT_ENCRYPTED', 'The document’s ZIP archive is protected by a password.');
  }
  const dataEnd =
    entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.fileNameLength + entry.compressedSize;
  if (dataEnd > fileBytes) throw corrupt('an entry of its ZIP archive reaches past the end');
}

/**
 * The archive without padding behind it. Mail gateways and scripts append a line end or zeros to good documents;
 * anything else there is left to be refused.
 */
function withoutPadding(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end === -1 || end + END_RECORD_BYTES > bytes.length) return bytes;
  const archiveBytes = end + END_RECORD_BYTES + bytes.readUInt16LE(end + 20);
  const rest = bytes.subarray(archiveBytes);
  return rest.every((byte) => PADDING.includes(byte)) ? bytes.subarray(0, archiveBytes) : bytes;
}

/** Reads the central directory of an archive held in memory; no entry is inflated. */
export async function readZipDirectory(bytes: Buffer): Promise<ZipDirectory> {
  const zip = await fromBufferPromise(withoutPadding(bytes), { lazyEntries: true }).catch((cause) => {
    throw corrupt('its ZIP archive has no readable directory', cause);
  });
  if (zip.entryCount > ENTRIES_MAX) {
    throw new AppError(
      'DOCUMENT_TOO_COMPLEX',
      `The document has ${zip.entryCount} ZIP entries, more than the bound of ${ENTRIES_MAX}.`,
    );
  }
  const directory: ZipDirectory = new Map();
  try {
    for await (const entry of zip.eachEntry()) {
      checkEntry(entry, bytes.length);
      const name = entry.fileName.toLowerCase();
      // Which of two equal names a reader takes differs from reader to reader.
      if (directory.has(name)) throw corrupt('its ZIP archive holds the same part twice');
      directory.set(name, entry);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (String(error).includes('strong encryption')) {
      throw new AppError('DOCUMENT_ENCRYPTED', 'The document’s ZIP archive is encrypted.', { cause: error });
    }
    throw corrupt('its ZIP archive has a damaged directory', error);
  }
  return directory;
}

/** The bytes of one entry, inflated at most to `bytesMax` and checked against its CRC. */
export function readZipEntry(bytes: Buffer, entry: Entry, bytesMax: number): Buffer {
  const header = entry.relativeOffsetOfLocalHeader;
  if (bytes.toString('latin1', header, header + 4) !== 'PK\x03\x04') {
    throw corrupt(`the part ${entry.fileName} is not where its directory says`);
  }
  const start =
    header + LOCAL_HEADER_BYTES + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
  const packed = bytes.subarray(start, start + entry.compressedSize);
  const data = unpack(packed, entry, bytesMax);
  if (data.length !== entry.uncompressedSize || crc32(data) !== entry.crc32) {
    throw corrupt(`the part ${entry.fileName} has a wrong checksum`);
  }
  return data;
}

function unpack(packed: Buffer, entry: Entry, bytesMax: number): Buffer {
  const tooLarge = () =>
    new AppError('DOCUMENT_TOO_COMPLEX', `The part ${entry.fileName} is larger than ${bytesMax} bytes.`);
  if (entry.compressionMethod === STORED) {
    if (packed.length > bytesMax) throw tooLarge();
    return packed;
  }
  if (entry.compressionMethod !== DEFLATED) {
    throw corrupt(`the part ${entry.fileName} is packed by a method that DOCX does not have`);
  }
  try {
    return inflateRawSync(packed, { maxOutputLength: bytesMax });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw corrupt(`the part ${entry.fileName} cannot be inflated`, error);
  }
}
