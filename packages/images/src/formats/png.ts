import { crc32, createInflate } from 'node:zlib';
import { damaged, type PixelSize, truncated } from './refusal.ts';

const SIGNATURE_BYTES = 8;
/** Length, type and checksum around the data of a chunk. */
const FRAME_BYTES = 12;
const INFLATE_CHUNK_BYTES = 256 * 1024;
/** Samples per pixel and allowed bits per sample, by color type (ISO/IEC 15948 §11.2.2). */
const COLOR_TYPES: ReadonlyMap<number, readonly [samples: number, depths: readonly number[]]> = new Map([
  [0, [1, [1, 2, 4, 8, 16]]],
  [2, [3, [8, 16]]],
  [3, [1, [1, 2, 4, 8]]],
  [4, [2, [8, 16]]],
  [6, [4, [8, 16]]],
]);
/** The start and the steps of each pass of an interlaced image (§8.2). */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/**
 * The size of a PNG that is complete: valid chunks up to its end, and data for every row. Rejects with ImageRefusal.
 */
export async function readPng(png: Buffer): Promise<PixelSize> {
  const chunks = chunksOf(png);
  const header = chunks[0];
  if (header?.type !== 'IHDR' || header.data.length !== 13) throw damaged('PNG');
  const size = { width: header.data.readUInt32BE(0), height: header.data.readUInt32BE(4) };
  const rows = rowBytes(size, header.data);
  const data = chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data);
  if (!(await inflatesTo(data, rows))) throw truncated();
  return size;
}

interface Chunk {
  type: string;
  data: Buffer;
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE_BYTES; at + FRAME_BYTES <= png.length; ) {
    const end = at + FRAME_BYTES + png.readUInt32BE(at);
    if (end > png.length) throw truncated();
    if (crc32(png.subarray(at + 4, end - 4)) !== png.readUInt32BE(end - 4)) throw damaged('PNG');
    const type = png.toString('latin1', at + 4, at + 8);
    chunks.push({ type, data: png.subarray(at + 8, end - 4) });
    if (type === 'IEND') return chunks;
    at = end;
  }
  throw truncated();
}

/** Bytes of all rows, each with its filter byte. */
function rowBytes({ width, height }: PixelSize, header: Buffer): number {
  const [depth = 0, colorType = -1, , , interlace] = header.subarray(8);
  const [samples, depths] = COLOR_TYPES.get(colorType) ?? [0, []];
  if (!depths.includes(depth)) throw damaged('PNG');
  const rows = (columns: number, lines: number) =>
    columns > 0 ? lines * (1 + Math.ceil((columns * samples * depth) / 8)) : 0;
  if (interlace === 0) return rows(width, height);
  return ADAM7.reduce(
    (sum, [left, top, right, down]) =>
      sum + rows(Math.ceil((width - left) / right), Math.ceil((height - top) / down)),
    0,
  );
}

/** Whether data inflates to at least that many bytes. Keeps none of them, and stops there. */
async function inflatesTo(data: readonly Buffer[], bytesMin: number): Promise<boolean> {
  const inflate = createInflate({ chunkSize: INFLATE_CHUNK_BYTES });
  inflate.end(Buffer.concat(data));
  let bytes = 0;
  try {
    for await (const chunk of inflate) {
      bytes += (chunk as Buffer).length;
      if (bytes >= bytesMin) return true;
    }
  } catch {
    return false;
  }
  return false;
}
