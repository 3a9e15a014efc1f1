import { crc32 } from 'node:zlib';

/** Versions needed to extract: stored entries, and ZIP64 records (APPNOTE.TXT §4.4.3). */
const [STORED, ZIP64] = [20, 45];
/** Names are UTF-8. */
const FLAGS = 0x800;
/** 1 January 2026 as MS-DOS date: an archive has the same bytes for the same documents. */
const DATE = 0x21 | (46 << 9);
const [MAX_16, MAX_32] = [0xffff, 0xffffffff];

/**
 * Writes a ZIP archive of stored files, piece by piece. Sizes and checksums precede each file, so that readers of streams can
 * read it. It has ZIP64 records where its size or the number of files requires them (APPNOTE.TXT §4.3).
 */
export class Archive {
  readonly #central: Buffer[] = [];
  #length = 0;

  /** The pieces of a file of at most 2 GiB, to be written after all before it. */
  file(name: string, bytes: Buffer): Buffer[] {
    const path = Buffer.from(name);
    const start = this.#length;
    const version = start >= MAX_32 ? ZIP64 : STORED;
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(version, 0);
    facts.writeUInt16LE(FLAGS, 2);
    facts.writeUInt16LE(DATE, 8);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(bytes.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(path.length, 22);
    this.#central.push(centralHeader(facts, path, start, version));
    const header = Buffer.concat([signature('PK\x03\x04'), facts, path]);
    this.#length += header.length + bytes.length;
    return [header, bytes];
  }

  /** The pieces of the end, after all files. */
  end(): Buffer[] {
    const [start, count] = [this.#length, this.#central.length];
    const length = this.#central.reduce((sum, { length: own }) => sum + own, 0);
    const isLarge = count >= MAX_16 || start + length >= MAX_32;
    const end = Buffer.alloc(18);
    for (const at of [4, 6]) end.writeUInt16LE(Math.min(count, MAX_16), at);
    end.writeUInt32LE(Math.min(length, MAX_32), 8);
    end.writeUInt32LE(Math.min(start, MAX_32), 12);
    return [
      ...this.#central,
      ...(isLarge ? [largeEnd({ start, length, count })] : []),
      Buffer.concat([signature('PK\x05\x06'), end]),
    ];
  }
}

const signature = (text: string): Buffer => Buffer.from(text, 'latin1');

/** §4.3.12, with the extra field of §4.5.3 for a file beyond 4 GiB. `facts` are those of the local header. */
function centralHeader(facts: Buffer, path: Buffer, start: number, version: number): Buffer {
  const isFar = version === ZIP64;
  const extra = Buffer.alloc(isFar ? 12 : 0);
  if (isFar) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(8, 2);
    extra.writeBigUInt64LE(BigInt(start), 4);
  }
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(isFar ? MAX_32 : start, 10);
  const madeBy = Buffer.alloc(2);
  madeBy.writeUInt16LE(version, 0);
  const own = Buffer.from(facts);
  own.writeUInt16LE(extra.length, 24);
  return Buffer.concat([signature('PK\x01\x02'), madeBy, own, rest, path, extra]);
}

/** The ZIP64 end record and its locator: §4.3.14, §4.3.15. */
function largeEnd({ start, length, count }: { start: number; length: number; count: number }): Buffer {
  const record = Buffer.alloc(52);
  record.writeBigUInt64LE(44n, 0);
  record.writeUInt16LE(ZIP64, 8);
  record.writeUInt16LE(ZIP64, 10);
  for (const at of [20, 28]) record.writeBigUInt64LE(BigInt(count), at);
  record.writeBigUInt64LE(BigInt(length), 36);
  record.writeBigUInt64LE(BigInt(start), 44);
  const locator = Buffer.alloc(16);
  locator.writeBigUInt64LE(BigInt(start + length), 4);
  locator.writeUInt32LE(1, 12);
  return Buffer.concat([signature('PK\x06\x06'), record, signature('PK\x06\x07'), locator]);
}
