import {
  type DirectoryEntry,
  END_OF_CHAIN,
  ENTRY_BYTES,
  HEADER_FAT_SECTORS,
  MINI_BYTES,
  NONE,
  ROOT,
  STREAM,
} from './compound-format.ts';

const SECTOR_BYTES = 512;
const MINI_CUTOFF = 4096;
const NUMBERS_IN_SECTOR = SECTOR_BYTES / 4;
const FAT_SECTOR = 0xfffffffd;
const DIFAT_SECTOR = 0xfffffffc;
const BLACK = 1;

export interface NewStream {
  name: string;
  data: Buffer;
}

function padded(data: Buffer, unit: number): Buffer {
  const rest = data.length % unit;
  return rest === 0 ? data : Buffer.concat([data, Buffer.alloc(unit - rest)]);
}

function table(values: readonly number[], sectors: number): Buffer {
  const bytes = Buffer.alloc(sectors * SECTOR_BYTES, 0xff);
  for (const [i, value] of values.entries()) bytes.writeUInt32LE(value, 4 * i);
  return bytes;
}

/** Appends a chain of `count` sectors to a table. Returns the number of the first. */
function addChain(fat: number[], count: number): number {
  if (count === 0) return END_OF_CHAIN;
  const start = fat.length;
  for (let i = 1; i < count; i++) fat.push(start + i);
  fat.push(END_OF_CHAIN);
  return start;
}

/** Names are ordered by length, then case-insensitively (MS-CFB §2.6.4). */
function compareNames(a: NewStream, b: NewStream): number {
  const [left, right] = [a.name.toUpperCase(), b.name.toUpperCase()];
  return a.name.length - b.name.length || (left < right ? -1 : Number(left > right));
}

function entryBytes({ name, type, left, right, child, start, size }: DirectoryEntry): Buffer {
  const bytes = Buffer.alloc(ENTRY_BYTES);
  bytes.write(name, 'utf16le');
  bytes.writeUInt16LE(2 * (name.length + 1), 64);
  bytes.writeUInt8(type, 66);
  bytes.writeUInt8(BLACK, 67);
  bytes.writeUInt32LE(left, 68);
  bytes.writeUInt32LE(right, 72);
  bytes.writeUInt32LE(child, 76);
  bytes.writeUInt32LE(start, 116);
  bytes.writeUInt32LE(size, 120);
  return bytes;
}

/** Links the ordered nodes `from`–`to` into a balanced tree. Returns the directory number of its root. */
function link(nodes: DirectoryEntry[], from: number, to: number): number {
  const middle = (from + to) >> 1;
  const node = nodes[middle];
  if (from > to || node === undefined) return NONE;
  node.left = link(nodes, from, middle - 1);
  node.right = link(nodes, middle + 1, to);
  // The root entry precedes the nodes.
  return middle + 1;
}

function header(
  start: Record<'directory' | 'miniFat' | 'difat', number>,
  counts: Record<'fat' | 'miniFat' | 'difat', number>,
): Buffer {
  const bytes = Buffer.alloc(SECTOR_BYTES);
  bytes.write('d0cf11e0a1b11ae1', 'hex');
  bytes.writeUInt16LE(0x3e, 24);
  bytes.writeUInt16LE(3, 26);
  bytes.writeUInt16LE(0xfffe, 28);
  bytes.writeUInt16LE(9, 30);
  bytes.writeUInt16LE(6, 32);
  bytes.writeUInt32LE(counts.fat, 44);
  bytes.writeUInt32LE(start.directory, 48);
  bytes.writeUInt32LE(MINI_CUTOFF, 56);
  bytes.writeUInt32LE(start.miniFat, 60);
  bytes.writeUInt32LE(counts.miniFat, 64);
  bytes.writeUInt32LE(start.difat, 68);
  bytes.writeUInt32LE(counts.difat, 72);
  return bytes;
}

/** Number of sectors that the FAT itself takes, and of sectors that list those beyond the header's. */
function tableSectors(sectors: number): { fat: number; difat: number } {
  let fat = 0;
  let difat = 0;
  for (;;) {
    const needed = Math.ceil((sectors + fat + difat) / NUMBERS_IN_SECTOR);
    const listed = Math.ceil(Math.max(0, needed - HEADER_FAT_SECTORS) / (NUMBERS_IN_SECTOR - 1));
    if (needed === fat && listed === difat) return { fat, difat };
    fat = needed;
    difat = listed;
  }
}

/** A compound file of version 3 (MS-CFB) whose root contains only these streams. */
export function writeCompoundFile(streams: readonly NewStream[]): Buffer {
  const fat: number[] = [];
  const miniFat: number[] = [];
  const body: Buffer[] = [];
  const minis: Buffer[] = [];
  const add = (data: Buffer): number => {
    const sectors = padded(data, SECTOR_BYTES);
    body.push(sectors);
    return addChain(fat, sectors.length / SECTOR_BYTES);
  };
  const nodes = streams.toSorted(compareNames).map(({ name, data }): DirectoryEntry => {
    const isMini = data.length < MINI_CUTOFF;
    if (isMini) minis.push(padded(data, MINI_BYTES));
    const start = isMini ? addChain(miniFat, Math.ceil(data.length / MINI_BYTES)) : add(data);
    return { name, type: STREAM, left: NONE, right: NONE, child: NONE, start, size: data.length };
  });
  const miniStream = Buffer.concat(minis);
  const root: DirectoryEntry = {
    name: 'Root Entry',
    type: ROOT,
    left: NONE,
    right: NONE,
    child: link(nodes, 0, nodes.length - 1),
    start: add(miniStream),
    size: miniStream.length,
  };
  const miniFatSectors = Math.ceil(miniFat.length / NUMBERS_IN_SECTOR);
  const start = {
    miniFat: add(table(miniFat, miniFatSectors)),
    directory: add(Buffer.concat([root, ...nodes].map(entryBytes))),
    difat: END_OF_CHAIN,
  };
  return withTables(start, miniFatSectors, fat, body);
}

/** Puts the header before the sectors, and the FAT and the list of its sectors after them. */
function withTables(
  start: { miniFat: number; directory: number; difat: number },
  miniFatSectors: number,
  fat: number[],
  body: readonly Buffer[],
): Buffer {
  const counts = tableSectors(fat.length);
  const first = fat.length;
  const numbers = Array.from({ length: counts.fat }, (_, i) => first + i);
  for (let i = 0; i < counts.fat; i++) fat.push(FAT_SECTOR);
  for (let i = 0; i < counts.difat; i++) fat.push(DIFAT_SECTOR);
  const difatStart = counts.difat === 0 ? END_OF_CHAIN : first + counts.fat;
  const head = header({ ...start, difat: difatStart }, { ...counts, miniFat: miniFatSectors });
  head.fill(0xff, 76);
  for (const [i, number] of numbers.slice(0, HEADER_FAT_SECTORS).entries())
    head.writeUInt32LE(number, 76 + 4 * i);
  const lists = Array.from({ length: counts.difat }, (_, i) => {
    const from = HEADER_FAT_SECTORS + i * (NUMBERS_IN_SECTOR - 1);
    const list = table(numbers.slice(from, from + NUMBERS_IN_SECTOR - 1), 1);
    list.writeUInt32LE(i + 1 < counts.difat ? difatStart + i + 1 : END_OF_CHAIN, SECTOR_BYTES - 4);
    return list;
  });
  return Buffer.concat([head, ...body, table(fat, counts.fat), ...lists]);
}
