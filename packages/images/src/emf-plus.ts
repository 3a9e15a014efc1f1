import { BOUNDS } from '@scriptorium/ooxml/bounds';

const OBJECT = 0x4008;
const IMAGE = 5;
const CONTINUED = 0x8000;
const [BITMAP, METAFILE] = [1, 2];
const RECORD_HEADER_BYTES = 12;

/**
 * Whether EMF+ data holds an unsafe image (MS-EMFPLUS §2.3.5.1; `comments` of one EMF in order): LibreOffice tries
 * each of its import filters on it. An object that claims more than its record also counts as unsafe.
 */
export function hasForeignImage(comments: readonly Buffer[], isSafe: (image: Buffer) => boolean): boolean {
  let pieces: { flags: number; data: Buffer[] } | undefined;
  for (const comment of comments) {
    for (let at = 0; at + RECORD_HEADER_BYTES <= comment.length; ) {
      const [type, flags] = [comment.readUInt16LE(at), comment.readUInt16LE(at + 2)];
      const [size, dataSize] = [comment.readUInt32LE(at + 4), comment.readUInt32LE(at + 8)];
      if (size < RECORD_HEADER_BYTES) break;
      // LibreOffice would continue in the next records, as often as they exist.
      if (type === OBJECT && dataSize > size - RECORD_HEADER_BYTES) return true;
      const start = at + RECORD_HEADER_BYTES;
      const data = comment.subarray(start, Math.max(start, Math.min(start + dataSize, comment.length)));
      at += size;
      const isPiece =
        type === OBJECT &&
        ((flags & CONTINUED) !== 0 ||
          (pieces !== undefined && (flags & ~CONTINUED) === (pieces.flags & ~CONTINUED)));
      if (isPiece) {
        pieces ??= { flags, data: [] };
        // Each piece begins with the total size.
        pieces.data.push(data.subarray(4));
      } else if (pieces !== undefined) {
        if (isForeign(pieces.flags, Buffer.concat(pieces.data), isSafe)) return true;
        pieces = undefined;
      }
      if (type === OBJECT && (flags & CONTINUED) === 0 && isForeign(flags, data, isSafe)) return true;
    }
  }
  return pieces !== undefined && isForeign(pieces.flags, Buffer.concat(pieces.data), isSafe);
}

function isForeign(flags: number, data: Buffer, isSafe: (image: Buffer) => boolean): boolean {
  if (((flags >> 8) & 0x7f) !== IMAGE || data.length < 16) return false;
  const type = data.readUInt32LE(4);
  if (type === METAFILE) return !isSafe(data.subarray(16));
  if (type !== BITMAP || data.length < 28) return false;
  const isPacked = data.readUInt32LE(24) !== 0 || data.readUInt32LE(8) === 0;
  if (isPacked) return !isSafe(data.subarray(28));
  return Math.abs(data.readInt32LE(8) * data.readInt32LE(12)) > BOUNDS.imagePixelsMax;
}
