const SIGNATURE_BYTES = 8;
/** Length, type and checksum around the data of a chunk. */
const CHUNK_FRAME_BYTES = 12;
const PROFILE_BYTES_MAX = 1024 * 1024;

/** The chunks of one picture (ISO/IEC 15948 §11): no texts, no second picture inside, no frames after the first. */
const KEPT = new Set([
  'IHDR',
  'PLTE',
  'IDAT',
  'IEND',
  'tRNS',
  'cHRM',
  'gAMA',
  'sRGB',
  'iCCP',
  'sBIT',
  'bKGD',
  'pHYs',
]);
const ONCE = new Set(['IHDR', 'PLTE', 'iCCP']);

/**
 * A PNG without the chunks that are not displayed: texts may inflate a thousandfold, and Office's `msOG` is a whole
 * GIF. Returns the same buffer if there is nothing to remove.
 */
export function withoutAncillaryChunks(png: Buffer): Buffer {
  const kept: Buffer[] = [png.subarray(0, SIGNATURE_BYTES)];
  const seen = new Set<string>();
  let keptBytes = SIGNATURE_BYTES;
  for (let at = SIGNATURE_BYTES; at + CHUNK_FRAME_BYTES <= png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const end = at + CHUNK_FRAME_BYTES + length;
    const isRepeated = ONCE.has(type) && seen.has(type);
    const isLarge = type === 'iCCP' && length > PROFILE_BYTES_MAX;
    // The rest of a truncated picture is still shown.
    const chunk = png.subarray(at, Math.min(end, png.length));
    if (KEPT.has(type) && !isRepeated && !isLarge) {
      kept.push(chunk);
      keptBytes += chunk.length;
    }
    seen.add(type);
    if (type === 'IEND') break;
    at = end;
  }
  return keptBytes === png.length ? png : Buffer.concat(kept);
}
