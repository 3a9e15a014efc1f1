import { damaged, type PixelSize, truncated } from './refusal.ts';

const [IMAGE, EXTENSION] = [0x2c, 0x21];
const SCREEN_BYTES = 13;

/** The size of a GIF whose first image is complete (GIF89a §18–22). Throws ImageRefusal. */
export function readGif(gif: Buffer): PixelSize {
  if (gif.length < SCREEN_BYTES) throw truncated();
  const size = { width: gif.readUInt16LE(6), height: gif.readUInt16LE(8) };
  if (size.width === 0 || size.height === 0) throw damaged('GIF');
  let at = SCREEN_BYTES + colorTableBytes(gif[10]);
  while (at < gif.length) {
    const introducer = gif[at];
    if (introducer !== IMAGE && introducer !== EXTENSION) throw damaged('GIF');
    at += introducer === IMAGE ? 11 + colorTableBytes(gif[at + 9]) : 2;
    at = afterBlocks(gif, at);
    if (introducer === IMAGE) return size;
  }
  throw truncated();
}

/** Size of the color table, from the flags that declare it. */
function colorTableBytes(flags = 0): number {
  return flags & 0x80 ? 3 << ((flags & 7) + 1) : 0;
}

/** Offset after a chain of sub-blocks. */
function afterBlocks(gif: Buffer, start: number): number {
  for (let at = start; at < gif.length; ) {
    const bytes = gif[at] ?? 0;
    if (bytes === 0) return at + 1;
    at += 1 + bytes;
  }
  throw truncated();
}
