import { checkedPng, PNG_SIGNATURE } from '@scriptorium/images/png';
import type { Ref } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import type { ObjectSink } from '../write/update.ts';
import { addUsualPng } from './add-png.ts';

/** An image XObject, and its size in pixels. */
export interface PlacedImage {
  ref: Ref;
  width: number;
  height: number;
}

/** Adds a JPEG or a PNG of a common type; returns undefined for others. Throws an Error if it is damaged or too large. */
export function addUsualImage(sink: ObjectSink, image: Buffer, pixelsMax: number): PlacedImage | undefined {
  if (image.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) {
    const png = checkedPng(image, pixelsMax);
    const ref = addUsualPng(sink, png);
    return ref && { ref, width: png.width, height: png.height };
  }
  return image[0] === 0xff && image[1] === 0xd8 ? addJpeg(sink, image) : undefined;
}

const COLOR_SPACES: Readonly<Record<number, string>> = {
  1: '/DeviceGray',
  3: '/DeviceRGB',
  // Adobe writes the inverse of the values.
  4: '/DeviceCMYK/Decode[1 0 1 0 1 0 1 0]',
};

/** Readers decode it, so its pixels have no limit here. */
function addJpeg(sink: ObjectSink, image: Buffer): PlacedImage {
  const frame = frameOfJpeg(image);
  const space = frame && COLOR_SPACES[frame.components];
  if (!frame || space === undefined || frame.width * frame.height === 0)
    throw new Error('it is no JPEG of a known kind');
  const { width, height, bits } = frame;
  const keys = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/BitsPerComponent ${bits}`;
  const ref = sink.add(literal.stream(`${keys}/ColorSpace${space}/Filter/DCTDecode`, image));
  return { ref, width, height };
}

/** Markers from C0 to CF that begin no frame (ISO/IEC 10918-1, table B.1). */
const NO_FRAMES: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

/** Reads the first frame header (B.2.2). */
function frameOfJpeg(
  image: Buffer,
): { bits: number; width: number; height: number; components: number } | undefined {
  for (let at = 2; at + 9 < image.length && image[at] === 0xff; ) {
    const marker = image[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && !NO_FRAMES.has(marker))
      return {
        bits: image.readUInt8(at + 4),
        height: image.readUInt16BE(at + 5),
        width: image.readUInt16BE(at + 7),
        components: image.readUInt8(at + 9),
      };
    at += 2 + image.readUInt16BE(at + 2);
  }
  return undefined;
}
