import { execFileSync } from 'node:child_process';

const DPI = '50';
const PAGES_COMPARED_MAX = 12;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
/** From 0 to 255. A darker pixel has ink, and pixels that differ by more than the second differ to the eye. */
const INK_BELOW = 200;
const DIFFERENT_ABOVE = 64;

interface Picture {
  width: number;
  height: number;
  pixels: Buffer;
}

/** The share of pixels with ink that differ between two PDFs, as the mean of their first pages. */
export function pixelsDiffering(first: string, second: string, pages: number): number {
  const count = Math.min(pages, PAGES_COMPARED_MAX);
  let sum = 0;
  for (let page = 1; page <= count; page++) sum += difference(drawn(first, page), drawn(second, page));
  return sum / count;
}

function drawn(pdf: string, page: number): Picture {
  const args = ['-r', DPI, '-gray', '-f', `${page}`, '-l', `${page}`, pdf];
  const pgm = execFileSync('pdftoppm', args, {
    maxBuffer: OUTPUT_BYTES_MAX,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const head = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(pgm.toString('latin1', 0, 40));
  if (head === null) throw new Error(`pdftoppm returned no picture of page ${page} of ${pdf}`);
  return { width: Number(head[1]), height: Number(head[2]), pixels: pgm.subarray(head[0].length) };
}

function difference(first: Picture, second: Picture): number {
  let ink = 0;
  let different = 0;
  for (let y = 0; y < Math.min(first.height, second.height); y++)
    for (let x = 0; x < Math.min(first.width, second.width); x++) {
      const one = first.pixels[y * first.width + x] ?? 255;
      const other = second.pixels[y * second.width + x] ?? 255;
      if (one < INK_BELOW || other < INK_BELOW) ink++;
      if (Math.abs(one - other) > DIFFERENT_ABOVE) different++;
    }
  return different / Math.max(1, ink);
}
