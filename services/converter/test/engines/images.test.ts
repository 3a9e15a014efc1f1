import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Conversion } from '@scriptorium/contracts/jobs/convert';
import { findTextFont } from '@scriptorium/images/svg';
import { documentOf, imageDocument, picture } from '@scriptorium/testing/fixtures/hostile/document';
import { emf, pngImage } from '@scriptorium/testing/fixtures/hostile/image-files';
import { LibreOfficeKitEngine } from '../../src/engines/kit/libreofficekit.ts';
import { sanitizerThreads } from '../../src/threads/threads.ts';
import { run } from './engine.suite.ts';

type Color = readonly [red: number, green: number, blue: number];

const RED: Color = [255, 0, 0];
const BLUE: Color = [0, 0, 255];
const TOLERANCE = 8;
const SVG_TYPE = 'image/svg+xml';
const svg = (inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90">${inside}</svg>`;
const RED_SVG = svg('<rect width="90" height="90" fill="#ff0000"/>');

const engine = new LibreOfficeKitEngine({ zygotes: 1 });
let sanitizer: ReturnType<typeof sanitizerThreads>;

beforeAll(async () => {
  sanitizer = sanitizerThreads({ threads: 1, data: { font: await findTextFont() } });
  await engine.start();
});

afterAll(async () => {
  await Promise.all([engine.close(), sanitizer.close()]);
});

/** Number of pixels of a color on the first page, at 30 pixels per inch. */
async function pixelsOf(color: Color, document: Buffer): Promise<number> {
  const options = { from: 'docx', revisions: 'markup', updateFields: 'none' } satisfies Partial<Conversion>;
  const { bytes } = await sanitizer.prepare({ bytes: document, options }, new AbortController().signal);
  const { bytes: pdf } = await run(engine, bytes);
  const ppm = execFileSync('pdftoppm', ['-r', '30', '-f', '1', '-l', '1'], { input: pdf });
  const pixels = ppm.subarray(/^P6\s+\d+\s+\d+\s+255\s/.exec(ppm.toString('latin1', 0, 40))?.[0].length);
  let count = 0;
  for (let at = 0; at + 2 < pixels.length; at += 3)
    if (color.every((value, index) => Math.abs(value - (pixels[at + index] ?? 0)) <= TOLERANCE)) count++;
  return count;
}

describe('a picture is visible after conversion', () => {
  test('from an SVG image', async () => {
    expect(await pixelsOf(RED, imageDocument(RED_SVG, 'image1.svg', SVG_TYPE))).toBeGreaterThan(500);
  });

  test('from a compressed SVG image', async () => {
    expect(await pixelsOf(RED, imageDocument(gzipSync(RED_SVG), 'image1.svgz', SVG_TYPE))).toBeGreaterThan(
      500,
    );
  });

  test('from text in an SVG image', async () => {
    const text = svg('<text x="0" y="80" font-size="90" font-weight="bold" fill="#ff0000">MM</text>');
    expect(await pixelsOf(RED, imageDocument(text, 'image1.svg', SVG_TYPE))).toBeGreaterThan(100);
  });

  test('from an image with an SVG alternative', async () => {
    const document = documentOf({
      body: picture('r:embed="rId1"', '<a:extLst><a:ext><asvg:svgBlip r:embed="rId2"/></a:ext></a:extLst>'),
      links: [
        { id: 'rId1', kind: 'image', target: 'media/image1.png' },
        { id: 'rId2', kind: 'image', target: 'media/image2.svg' },
      ],
      parts: [
        { name: 'word/media/image1.png', data: pngImage(30, 30, { color: [...BLUE] }) },
        { name: 'word/media/image2.svg', data: RED_SVG, type: SVG_TYPE },
      ],
    });
    expect(await pixelsOf(BLUE, document)).toBeGreaterThan(500);
    expect(await pixelsOf(RED, document)).toBe(0);
  });

  test.each([
    ['EMF', (image: Buffer) => image],
    ['packed EMF', gzipSync],
  ])('from %s', async (_format, pack) => {
    expect(await pixelsOf(BLUE, imageDocument(pack(blueEmf()), 'image1.emf', 'image/x-emf'))).toBeGreaterThan(
      500,
    );
  });
});

/** An EMF that is entirely blue: a brush, its selection, a rectangle. */
function blueEmf(): Buffer {
  const record = (...words: number[]) => {
    const bytes = Buffer.alloc(4 * (words.length + 1));
    bytes.writeInt32LE(words[0] ?? 0, 0);
    bytes.writeInt32LE(bytes.length, 4);
    for (const [index, word] of words.slice(1).entries()) bytes.writeInt32LE(word, 8 + 4 * index);
    return bytes;
  };
  return emf(record(39, 1, 0, 0xff0000, 0), record(37, 1), record(43, 0, 0, 100, 100));
}
