import { crc32, deflateSync } from 'node:zlib';
import type { Raster } from './raster.ts';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** 8 bits per color, and no alpha (ISO/IEC 15948, 11.2.2). */
const FORMAT = Buffer.of(8, 2, 0, 0, 0);
/** Rows hold their difference from the row above (9.2), which mostly is nothing. */
const UP = 2;
/** Pages are mostly white; more effort saves little. */
const COMPRESSION_LEVEL = 4;

const INCHES_PER_METER = 39.3701;

/** Writes a PNG of a page, with its resolution if it is given. */
export function encodePng({ width, height, pixels }: Raster, dpi?: number): Buffer {
  const rowBytes = 1 + 3 * width;
  const rows = Buffer.alloc(rowBytes * height);
  for (let y = 0; y < height; y++) {
    let to = y * rowBytes;
    rows[to++] = UP;
    for (let x = 0; x < width; x++) {
      const at = 4 * (y * width + x);
      for (let color = 2; color >= 0; color--) {
        const above = y === 0 ? 0 : (pixels[at - 4 * width + color] ?? 0);
        rows[to++] = (pixels[at + color] ?? 0) - above;
      }
    }
  }
  const header = Buffer.alloc(8);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const data = deflateSync(rows, { level: COMPRESSION_LEVEL });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([header, FORMAT])),
    ...(dpi === undefined ? [] : [chunk('pHYs', resolution(dpi))]),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Pixels per meter in both directions (11.3.4.3). */
function resolution(dpi: number): Buffer {
  const bytes = Buffer.alloc(9);
  for (const at of [0, 4]) bytes.writeUInt32BE(Math.round(dpi * INCHES_PER_METER), at);
  bytes[8] = 1;
  return bytes;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
