import { crc32, deflateSync } from 'node:zlib';
import { type Picture, type PixelSize, UPRIGHT } from '@scriptorium/images/picture';
import { PNG_SIGNATURE } from '@scriptorium/images/png';

/** Pixels of a drawing unit in the PNG: enough for print at the usual size. */
const PIXELS = 2;
/** One bit of gray, 0 is black (ISO/IEC 15948 §11.2.2). */
const FORMAT = Buffer.of(1, 0, 0, 0, 0);

type Rows = readonly (readonly boolean[])[];

/** The picture of rows of dark (`true`) and light modules. Their width and height are in drawing units. */
export function pictureOfModules(rows: Rows, width: number, height = width): Picture {
  const size = { width: (rows[0]?.length ?? 0) * width, height: rows.length * height };
  return {
    file: { bytes: pngOf(rows, size, width, height), extension: 'png', contentType: 'image/png' },
    svg: { bytes: svgOf(rows, size, width, height), extension: 'svg', contentType: 'image/svg+xml' },
    size,
    orientation: UPRIGHT,
  };
}

/** One path of the runs of dark modules in each row. */
function svgOf(rows: Rows, size: PixelSize, width: number, height: number): Buffer {
  const runs = rows.flatMap((row, y) =>
    [...row.map(Number).join('').matchAll(/1+/g)].map(
      ({ index, 0: { length } }) =>
        `M${index * width} ${y * height}h${length * width}v${height}h-${length * width}z`,
    ),
  );
  return Buffer.from(
    `<svg viewBox="0 0 ${size.width} ${size.height}" xmlns="http://www.w3.org/2000/svg">` +
      `<path d="M0 0h${size.width}v${size.height}h-${size.width}z" fill="#fff"/><path d="${runs.join('')}"/></svg>`,
  );
}

function pngOf(rows: Rows, size: PixelSize, width: number, height: number): Buffer {
  const [columns, bytes] = [size.width * PIXELS, Math.ceil((size.width * PIXELS) / 8)];
  const lines = rows.flatMap((row) => {
    // A byte of filter, and a bit for each pixel: 1 is white.
    const line = Buffer.alloc(1 + bytes, 0xff).fill(0, 0, 1);
    for (let x = 0; x < columns; x++)
      if (row[Math.floor(x / (width * PIXELS))])
        line[1 + (x >> 3)] = (line[1 + (x >> 3)] ?? 0) & ~(0x80 >> (x & 7));
    return Array<Buffer>(height * PIXELS).fill(line);
  });
  const header = Buffer.alloc(8);
  header.writeUInt32BE(columns, 0);
  header.writeUInt32BE(lines.length, 4);
  return Buffer.concat([
    PNG_SIGNATURE,
    chunk('IHDR', Buffer.concat([header, FORMAT])),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
