import { damaged, type PixelSize, truncated } from './refusal.ts';

const RIFF_HEADER_BYTES = 12;
const START_CODE = Buffer.of(0x9d, 0x01, 0x2a);
const LOSSLESS_SIGNATURE = 0x2f;

/** The size of a WebP that contains an image and all of its chunks (RFC 9649 §2). Throws ImageRefusal. */
export function readWebp(webp: Buffer): PixelSize {
  if (webp.length < RIFF_HEADER_BYTES || 8 + webp.readUInt32LE(4) > webp.length) throw truncated();
  let canvas: PixelSize | undefined;
  for (let at = RIFF_HEADER_BYTES; at + 8 <= webp.length; ) {
    const id = webp.toString('latin1', at, at + 4);
    const bytes = webp.readUInt32LE(at + 4);
    if (at + 8 + bytes > webp.length) throw truncated();
    const data = webp.subarray(at + 8, at + 8 + bytes);
    if (id === 'VP8X' && bytes >= 10)
      canvas = { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
    if (id === 'ANMF' && canvas !== undefined) return canvas;
    if (id === 'VP8 ') return canvas ?? lossySize(data);
    if (id === 'VP8L') return canvas ?? losslessSize(data);
    at += 8 + bytes + (bytes & 1);
  }
  throw damaged('WebP');
}

/** RFC 6386 §9.1. */
function lossySize(data: Buffer): PixelSize {
  if (data.length < 10 || !data.subarray(3, 6).equals(START_CODE)) throw damaged('WebP');
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
}

/** RFC 9649 §3.4. */
function losslessSize(data: Buffer): PixelSize {
  if (data.length < 5 || data[0] !== LOSSLESS_SIGNATURE) throw damaged('WebP');
  const sizes = data.readUInt32LE(1);
  return { width: (sizes & 0x3fff) + 1, height: ((sizes >>> 14) & 0x3fff) + 1 };
}
