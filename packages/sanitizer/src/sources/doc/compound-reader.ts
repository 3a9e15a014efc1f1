import { damaged } from '../refusal.ts';

/** A storage or stream of a compound file, by its path from the root: `['Macros', 'VBA', 'dir']`. */
export interface CompoundEntry {
  path: readonly string[];
  isStream: boolean;
  /** Reads a stream. Returns an empty buffer for a storage. Throws SanitizerError INVALID_FILE_FORMAT. */
  read(): Buffer;
}

/** An entry of a compound file's directory (MS-CFB §2.6). */
interface DirectoryEntry {
  name: string;
  type: number;
  left: number;
  right: number;
  child: number;
  start: number;
  size: number;
}

const HEADER_BYTES = 512;
const MINI_BYTES = 64;
const ENTRY_BYTES = 128;
/** Number of FAT sectors listed in the header (MS-CFB §2.2). */
const HEADER_FAT_SECTORS = 109;
/** Special values of MS-CFB §2.1: the end of a chain of sectors, and an absent entry or sector. */
const END_OF_CHAIN = 0xfffffffe;
const NONE = 0xffffffff;
/** Types of directory entries. */
const [STORAGE, STREAM, ROOT] = [1, 2, 5];
/** Greatest sector number; greater values have special meanings (MS-CFB §2.1). */
const SECTOR_MAX = 0xfffffffa;
const ENTRIES_MAX = 50_000;
const DEPTH_MAX = 32;

/** Reads one compound file (MS-CFB). Chains, trees and lengths must not form cycles or lead outside the file. */
class CompoundReader {
  readonly #bytes: Buffer;
  readonly #sectorBytes: number;
  readonly #fat: number[] = [];
  readonly #miniFat: number[];
  readonly #directory: DirectoryEntry[];
  readonly #miniStream: Buffer;
  readonly #miniCutoff: number;
  /** Total bytes of streams read. If streams share sectors, it exceeds the size of the file. */
  #bytesRead = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    if (bytes.length < HEADER_BYTES) throw damaged('it is truncated');
    const version = bytes.readUInt16LE(26);
    const shift = bytes.readUInt16LE(30);
    const isKnown = (version === 3 && shift === 9) || (version === 4 && shift === 12);
    if (!isKnown || bytes.readUInt16LE(28) !== 0xfffe || bytes.readUInt16LE(32) !== 6)
      throw damaged('the header of its compound file is invalid');
    this.#sectorBytes = 1 << shift;
    this.#miniCutoff = bytes.readUInt32LE(56);
    this.#readFat();
    this.#miniFat = numbers(this.#chain(bytes.readUInt32LE(60)));
    this.#directory = this.#readDirectory(this.#chain(bytes.readUInt32LE(48)));
    const root = this.#directory[0];
    if (root?.type !== ROOT) throw damaged('its compound file has no root');
    this.#miniStream = this.#chain(root.start);
  }

  *entries(): Generator<CompoundEntry> {
    const seen = new Set<number>([0]);
    const queue: { id: number; parent: readonly string[] }[] = [
      { id: this.#directory[0]?.child ?? NONE, parent: [] },
    ];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (next.id === NONE) continue;
      const entry = this.#directory[next.id];
      if (entry === undefined || seen.has(next.id) || next.parent.length > DEPTH_MAX)
        throw damaged('the directory of its compound file is invalid');
      seen.add(next.id);
      const path = [...next.parent, entry.name];
      queue.push({ id: entry.left, parent: next.parent }, { id: entry.right, parent: next.parent });
      if (entry.type === STORAGE) queue.push({ id: entry.child, parent: path });
      const isStream = entry.type === STREAM;
      yield { path, isStream, read: () => (isStream ? this.#readStream(entry) : Buffer.alloc(0)) };
    }
  }

  #sector(number: number): Buffer {
    const start = (number + 1) * this.#sectorBytes;
    if (number > SECTOR_MAX || start >= this.#bytes.length)
      throw damaged('a sector of its compound file is missing; it may be truncated');
    const sector = this.#bytes.subarray(start, start + this.#sectorBytes);
    // The last one may lack its padding.
    return sector.length === this.#sectorBytes
      ? sector
      : Buffer.concat([sector, Buffer.alloc(this.#sectorBytes - sector.length)]);
  }

  #readFat(): void {
    const sectors: number[] = [];
    const max = Math.ceil(this.#bytes.length / this.#sectorBytes);
    for (let i = 0; i < HEADER_FAT_SECTORS; i++) sectors.push(this.#bytes.readUInt32LE(76 + 4 * i));
    let next = this.#bytes.readUInt32LE(68);
    for (let count = 0; next <= SECTOR_MAX; count++) {
      if (count > max) throw damaged('a chain of its compound file has no end');
      const list = numbers(this.#sector(next));
      next = list.pop() ?? END_OF_CHAIN;
      sectors.push(...list);
    }
    const used = sectors.filter((sector) => sector <= SECTOR_MAX);
    if (used.length > max) throw damaged('its compound file has more tables than sectors');
    for (const sector of used) for (const value of numbers(this.#sector(sector))) this.#fat.push(value);
  }

  /** The sectors of a chain in one buffer. Empty if there are none. */
  #chain(start: number): Buffer {
    const sectors: Buffer[] = [];
    const max = Math.ceil(this.#bytes.length / this.#sectorBytes);
    for (let next = start; next !== END_OF_CHAIN && !(sectors.length === 0 && next > SECTOR_MAX); ) {
      if (sectors.length > max) throw damaged('a chain of its compound file has no end');
      sectors.push(this.#sector(next));
      next = this.#fat[next] ?? NONE;
    }
    return Buffer.concat(sectors);
  }

  #readDirectory(bytes: Buffer): DirectoryEntry[] {
    const count = Math.floor(bytes.length / ENTRY_BYTES);
    if (count > ENTRIES_MAX) throw damaged('its compound file has too many entries');
    return Array.from({ length: count }, (_, i) => {
      const entry = bytes.subarray(i * ENTRY_BYTES, (i + 1) * ENTRY_BYTES);
      const nameBytes = Math.max(0, Math.min(entry.readUInt16LE(64), 64) - 2);
      return {
        name: entry.toString('utf16le', 0, nameBytes),
        type: entry.readUInt8(66),
        left: entry.readUInt32LE(68),
        right: entry.readUInt32LE(72),
        child: entry.readUInt32LE(76),
        start: entry.readUInt32LE(116),
        size: entry.readUInt32LE(120),
      };
    });
  }

  #readStream({ name, start, size }: DirectoryEntry): Buffer {
    this.#bytesRead += size;
    if (this.#bytesRead > this.#bytes.length)
      throw damaged('the streams of its compound file are longer than the file');
    const data = size < this.#miniCutoff ? this.#miniChain(start, size) : this.#chain(start);
    if (data.length < size) throw damaged(`its stream ${JSON.stringify(name)} is truncated`);
    return data.subarray(0, size);
  }

  #miniChain(start: number, size: number): Buffer {
    const sectors: Buffer[] = [];
    const count = Math.ceil(size / MINI_BYTES);
    for (let next = start; sectors.length < count; next = this.#miniFat[next] ?? NONE) {
      const sector = this.#miniStream.subarray(next * MINI_BYTES, (next + 1) * MINI_BYTES);
      if (next > SECTOR_MAX || sector.length === 0) break;
      sectors.push(sector);
    }
    return Buffer.concat(sectors);
  }
}

function numbers(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length >> 2 }, (_, i) => bytes.readUInt32LE(4 * i));
}

/** The storages and streams of a compound file with a valid signature. Throws SanitizerError INVALID_FILE_FORMAT. */
export function readCompoundFile(bytes: Buffer): CompoundEntry[] {
  return [...new CompoundReader(bytes).entries()];
}
