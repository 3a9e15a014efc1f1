import { type Orientation, orientationIn, UPRIGHT } from './exif.ts';
import { damaged, ImageRefusal, type PixelSize, truncated } from './refusal.ts';

const [START_OF_SCAN, APP1] = [0xda, 0xe1];
const END_OF_IMAGE = Buffer.of(0xff, 0xd9);
/** Baseline, extended and progressive: readers of documents support no others (ITU-T T.81 Table B.1). */
const SUPPORTED_FRAMES = new Set([0xc0, 0xc1, 0xc2]);
/** Markers in the range of frames that are not frames: tables and reserved ones. */
const OTHER_MARKERS = new Set([0xc4, 0xc8, 0xcc]);
const BLOCK_PIXELS = 64;

export interface Jpeg extends PixelSize {
  orientation: Orientation;
}

/** The stored size of a JPEG and its orientation. Throws ImageRefusal. */
export function readJpeg(jpeg: Buffer): Jpeg {
  let size: PixelSize | undefined;
  let orientation = UPRIGHT;
  for (const { marker, at, data } of segmentsOf(jpeg)) {
    if (marker === APP1) orientation = orientationIn(data) ?? orientation;
    if (marker >= 0xc0 && marker <= 0xcf && !OTHER_MARKERS.has(marker)) size = readFrame(marker, data);
    if (marker !== START_OF_SCAN) continue;
    if (size === undefined) throw damaged('JPEG');
    checkScans(jpeg, at, size);
    return { ...size, orientation };
  }
  throw truncated();
}

interface Segment {
  marker: number;
  /** Offset of its marker. */
  at: number;
  data: Buffer;
}

/** The segments up to and including the first scan (Annex B.1.1). */
function* segmentsOf(jpeg: Buffer): Generator<Segment> {
  for (let at = 2; at + 4 <= jpeg.length; ) {
    const marker = jpeg[at + 1] ?? 0;
    if (jpeg[at] !== 0xff) throw damaged('JPEG');
    if (marker === 0xff) {
      at++;
      continue;
    }
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    if (end > jpeg.length) throw truncated();
    yield { marker, at, data: jpeg.subarray(at + 4, end) };
    at = end;
  }
}

function readFrame(marker: number, data: Buffer): PixelSize {
  if (!SUPPORTED_FRAMES.has(marker))
    throw new ImageRefusal('is a JPEG image with an unsupported coding process');
  if (data.length < 6 || data[0] !== 8) throw damaged('JPEG');
  const size = { height: data.readUInt16BE(1), width: data.readUInt16BE(3) };
  if (size.width === 0 || size.height === 0) throw damaged('JPEG');
  return size;
}

/** A block of pixels takes at least one bit. With fewer bits, the header claims more than the file contains. */
function checkScans(jpeg: Buffer, start: number, { width, height }: PixelSize): void {
  const end = jpeg.lastIndexOf(END_OF_IMAGE);
  if (end <= start) throw truncated();
  if ((end - start) * 8 < (width * height) / BLOCK_PIXELS) throw damaged('JPEG');
}
