import { inflateSync } from 'node:zlib';

export const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** The chunks of the picture itself. Others (profiles, texts, animations) may unpack without bound. */
const KEPT = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];
/** Samples per pixel by color type (PNG, 3rd edition, table 8). */
const SAMPLES: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Adam7 divides rows into up to seven, each with a filter byte. */
const INTERLACED_ROWS = 8;

interface Chunk {
  type: string;
  data: Buffer;
  whole: Buffer;
}

function* chunksOf(png: Buffer): Generator<Chunk> {
  for (let at = PNG_SIGNATURE.length; at + 12 <= png.length; ) {
    const end = at + 12 + png.readUInt32BE(at);
    if (end > png.length) throw new Error('a chunk is truncated');
    const type = png.toString('latin1', at + 4, at + 8);
    yield { type, data: png.subarray(at + 8, end - 4), whole: png.subarray(at, end) };
    if (type === 'IEND') return;
    at = end;
  }
  throw new Error('the IEND chunk is missing');
}

/** A PNG whose pixels were found to be complete. */
export interface CheckedPng {
  width: number;
  height: number;
  bitDepth: number;
  /** 0 gray, 2 RGB, 3 palette, 4 gray with alpha, 6 RGB with alpha. */
  colorType: number;
  isInterlaced: boolean;
  /** Three bytes per color. */
  palette: Buffer | undefined;
  /** Single colors, or entries of the palette, are transparent. */
  hasTransparentColors: boolean;
  /** The zlib stream of all rows, with a filter byte before each, and its unpacked data. */
  packed: Buffer;
  rows: Buffer;
  /** The same picture with only the necessary chunks. */
  bytes: Buffer;
}

/** Unpacked size of the pixels, including filter bytes. A lower bound for an interlaced picture. */
function pixelBytes(header: Buffer): number {
  const samples = SAMPLES[header[9] ?? -1];
  if (header.length !== 13 || samples === undefined) throw new Error('the header is invalid');
  const row = Math.ceil((header.readUInt32BE(0) * samples * (header[8] ?? 0)) / 8);
  return header.readUInt32BE(4) * (row + (header[12] === 1 ? 0 : 1));
}

/** Throws an Error if a picture is truncated, or its pixels unpack to more or less than its header says. */
export function checkedPng(png: Buffer, pixelsMax: number): CheckedPng {
  const chunks = [...chunksOf(png)].filter(({ type }) => KEPT.includes(type));
  const header = chunks[0]?.type === 'IHDR' ? chunks[0].data : Buffer.alloc(0);
  const due = pixelBytes(header);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  if (width * height > pixelsMax || width * height === 0) throw new Error('it has too many pixels, or none');
  const isInterlaced = header[12] === 1;
  const packed = Buffer.concat(chunks.flatMap(({ type, data }) => (type === 'IDAT' ? [data] : [])));
  const spare = isInterlaced ? INTERLACED_ROWS * height + width : 0;
  const rows = inflateSync(packed, { maxOutputLength: due + spare + 1 });
  if (rows.length < due) throw new Error('pixels are missing');
  return {
    width,
    height,
    bitDepth: header[8] ?? 0,
    colorType: header[9] ?? 0,
    isInterlaced,
    palette: chunks.find(({ type }) => type === 'PLTE')?.data,
    hasTransparentColors: chunks.some(({ type }) => type === 'tRNS'),
    packed,
    rows,
    bytes: Buffer.concat([PNG_SIGNATURE, ...chunks.map(({ whole }) => whole)]),
  };
}
