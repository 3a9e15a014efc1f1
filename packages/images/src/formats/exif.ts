/** The transformation from the stored to the displayed image: first mirror horizontally, then rotate clockwise. */
export interface Orientation {
  isMirrored: boolean;
  degrees: 0 | 90 | 180 | 270;
}

export const UPRIGHT: Orientation = { isMirrored: false, degrees: 0 };

/** By the value of the tag (TIFF 6.0 §8, Orientation), from 1. */
const ORIENTATIONS: readonly Orientation[] = [
  UPRIGHT,
  { isMirrored: true, degrees: 0 },
  { isMirrored: false, degrees: 180 },
  { isMirrored: true, degrees: 180 },
  { isMirrored: true, degrees: 270 },
  { isMirrored: false, degrees: 90 },
  { isMirrored: true, degrees: 90 },
  { isMirrored: false, degrees: 270 },
];
const EXIF = 'Exif\0\0';
const ORIENTATION_TAG = 0x0112;

/** The orientation in the APP1 segment of a JPEG (Exif 2.32 §4.5.4). Undefined if there is none. */
export function orientationIn(data: Buffer): Orientation | undefined {
  if (data.toString('latin1', 0, EXIF.length) !== EXIF) return undefined;
  const tiff = data.subarray(EXIF.length);
  if (tiff.length < 8) return undefined;
  const isLittle = tiff[0] === 0x49;
  const u16 = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const first = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (first + 2 > tiff.length) return undefined;
  const end = Math.min(first + 2 + 12 * u16(first), tiff.length - 12 + 1);
  for (let at = first + 2; at < end; at += 12)
    if (u16(at) === ORIENTATION_TAG) return ORIENTATIONS[u16(at + 8) - 1];
  return undefined;
}

/** Whether the orientation swaps width and height. */
export function isOnItsSide({ degrees }: Orientation): boolean {
  return degrees === 90 || degrees === 270;
}
