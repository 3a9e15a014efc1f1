import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { testInNightly } from '@scriptorium/testing/extent';
import {
  bmp,
  claiming,
  emf,
  gif,
  jpegHeaders,
  pngChunk,
  pngImage,
  tiff,
  webp,
} from '@scriptorium/testing/fixtures/hostile/image-files';
import {
  bmpImage,
  gifImage,
  IMAGES,
  svgImage,
  tiffImage,
  webpImage,
} from '@scriptorium/testing/fixtures/images';
import { jpegImage } from '@scriptorium/testing/fixtures/jpeg';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { ImageCache } from '../src/drawing/image-cache.ts';
import { fillPictures, imagesOf, sizesIn } from './pictures.ts';

const TEMPLATE = templateOf(p(sdt({ tag: 'x' }, run('old'))));

const filledWith = (image: Buffer) => fillPictures(TEMPLATE, [{ id: 'x', type: 'image', image }]);

/** 3 × 3 grayscale pixels, one bit each, interlaced: six rows in the nonempty passes. */
const INTERLACED = Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  pngChunk('IHDR', Buffer.from('00000003000000030100000001', 'hex')),
  pngChunk('IDAT', deflateSync(Buffer.alloc(12))),
  pngChunk('IEND', Buffer.alloc(0)),
]);

describe('an image', () => {
  test.each(Object.entries(IMAGES))('in %s is added unchanged, in its natural size', async (format, make) => {
    const image = make(30, 20);
    const { bytes, xml } = await filledWith(image);
    expect(sizesIn(xml())).toEqual([[30, 20]]);
    const extension = format.toLowerCase();
    const type = format === 'SVG' ? 'svg+xml' : extension;
    const stored = (await imagesOf(bytes)).find(({ name }) => name.endsWith(`.${extension}`));
    expect(stored?.contentType).toBe(`image/${type}`);
    expect(stored?.bytes.equals(image)).toBe(true);
  });

  test('in SVG has a PNG for readers without SVG', async () => {
    const { bytes, xml } = await filledWith(IMAGES.SVG(30, 20));
    const images = await imagesOf(bytes);
    const name = (id = '') => images.find(({ ids }) => ids.includes(id))?.name;
    expect(name(/<a:blip r:embed="(\w+)">/.exec(xml())?.[1])).toMatch(/\.png$/);
    expect(name(/<asvg:svgBlip [^>]*r:embed="(\w+)"/.exec(xml())?.[1])).toMatch(/\.svg$/);
  });

  test('may have trailing bytes or several frames', async () => {
    await expect(filledWith(Buffer.concat([pngImage(3, 3), Buffer.from('rest')]))).resolves.toBeDefined();
    await expect(filledWith(gif(9, 9, 3))).resolves.toBeDefined();
  });

  test('may be interlaced or have few colors', async () => {
    await expect(filledWith(INTERLACED)).resolves.toBeDefined();
  });
});

const cut = (image: Buffer, share = 0.7) => image.subarray(0, Math.floor(image.length * share));
const jpeg = jpegImage(64, 64, (left) => [left, 0, 255 - left]);
const lyingJpeg = Buffer.from(jpeg);
lyingJpeg.writeUInt16BE(6_000, lyingJpeg.indexOf(Buffer.of(0xff, 0xc0)) + 5);
lyingJpeg.writeUInt16BE(6_000, lyingJpeg.indexOf(Buffer.of(0xff, 0xc0)) + 7);
const svg = (inside: string) => svgImage(30, 20, inside);
const uses = Array.from(
  { length: 20 },
  (_, i) => `<g id="g${i + 1}"><use href="#g${i}"/><use href="#g${i}"/></g>`,
);

const REFUSED: readonly (readonly [what: string, image: Buffer, issue: RegExp])[] = [
  ['nothing', Buffer.alloc(0), /empty/],
  ['text', Buffer.from('<!doctype html><p>Hello</p>'), /not an image/],
  ['a PDF', Buffer.from('%PDF-1.7\n'), /not an image/],
  ['a metafile', emf(), /not an image/],
  ['a compressed SVG', gzipSync(svg('')), /not an image/],
  ['a PNG of 10^10 pixels', claiming(100_000, 100_000), /50,000,000 pixels/],
  ['a JPEG of 10^9 pixels', jpegHeaders(60_000, 60_000), /50,000,000 pixels/],
  ['a GIF of 10^9 pixels', gif(60_000, 60_000, 1), /50,000,000 pixels/],
  ['a GIF of a thousand frames', gif(300, 300, 1_000), /50,000,000 pixels/],
  ['a BMP of 10^9 pixels', bmp(60_000, 60_000), /50,000,000 pixels/],
  ['a TIFF of 10^9 pixels', tiff(60_000, 60_000), /50,000,000 pixels/],
  ['a WebP of 10^8 pixels', webp(16_000, 16_000), /50,000,000 pixels/],
  ['a PNG with missing rows', claiming(500, 500), /truncated/],
  ['a JPEG with missing pixels', lyingJpeg, /damaged JPEG/],
  ['a BMP with missing rows', bmp(500, 500), /truncated/],
  ['a TIFF without data', tiff(50, 50), /damaged TIFF/],
  ['a WebP without an image', webp(50, 50), /damaged WebP/],
  ['a truncated PNG', cut(pngImage(30, 20)), /truncated/],
  ['a truncated JPEG', cut(jpeg), /truncated/],
  ['a truncated GIF', cut(gifImage(30, 20)), /truncated/],
  ['a truncated BMP', cut(bmpImage(30, 20)), /truncated/],
  ['a truncated TIFF', cut(tiffImage(30, 20)), /truncated/],
  ['a truncated WebP', cut(webpImage(30, 20)), /truncated/],
  ['a PNG with a wrong checksum', corrupt(pngImage(30, 20)), /damaged PNG/],
  ['an arithmetically coded JPEG', withFrame(0xc9), /unsupported coding process/],
  [
    'an SVG with an image from a file',
    svg('<image href="file:///etc/passwd" width="9" height="9"/>'),
    /another file/,
  ],
  [
    'an SVG with an image from an address',
    svg('<image href="http://127.0.0.1/x.png" width="9" height="9"/>'),
    /another file/,
  ],
  ['an SVG with an imported style', svg('<style>@import "http://127.0.0.1/"</style>'), /another file/],
  [
    'an SVG with an external style sheet',
    Buffer.concat([Buffer.from('<?xml-stylesheet href="http://127.0.0.1/x.css"?>'), svg('')]),
    /another file/,
  ],
  ['an SVG with a script', svg('<script>alert(1)</script>'), /script/],
  ['an SVG with an event handler', svg('<rect onclick="alert(1)" width="9" height="9"/>'), /script/],
  ['an SVG with a link to a script', svg('<a href="javascript:alert(1)"><rect/></a>'), /script/],
  [
    'an SVG with entities',
    Buffer.from(
      '<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg"><text>&a;</text></svg>',
    ),
    /not a valid SVG/,
  ],
  [
    'an SVG with exponential repetition',
    svg(`<defs><g id="g0"><rect/></g>${uses.join('')}</defs><use href="#g20"/>`),
    /elements/,
  ],
  ['an SVG that is not well-formed', Buffer.from('<svg><rect></svg>'), /not a valid SVG/],
  [
    'HTML with an SVG inside',
    Buffer.from('<html><svg xmlns="http://www.w3.org/2000/svg"/></html>'),
    /root element is not/,
  ],
];

/** One small pixel drawn on a large canvas. */
function wideScreen(width: number, height: number): Buffer {
  const image = gif(1, 1, 1);
  image.writeUInt16LE(width, 6);
  image.writeUInt16LE(height, 8);
  return image;
}

function corrupt(png: Buffer): Buffer {
  const bytes = Buffer.from(png);
  const at = bytes.indexOf('IDAT') + 6;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

function withFrame(marker: number): Buffer {
  const bytes = Buffer.from(jpeg);
  bytes[bytes.indexOf(Buffer.of(0xff, 0xc0)) + 1] = marker;
  return bytes;
}

describe('filling rejects an invalid image and names its field', () => {
  test.each(REFUSED)('%s', async (_what, image, issue) => {
    await expect(filledWith(image)).rejects.toMatchObject({
      code: 'IMAGE_INVALID',
      details: [{ field: 'fields[0].value', issue: expect.stringMatching(issue) }],
    });
  });
});

describe('the images of a request', () => {
  const body = (count: number) =>
    templateOf(
      Array.from({ length: count }, (_, index) => p(sdt({ tag: `f${index}` }, run('old')))).join(''),
    );

  test('have a bound for the pixels of all of them', async () => {
    const fields = Array.from({ length: 12 }, (_, index) => {
      return { id: `f${index}`, type: 'image', image: wideScreen(7_000, 7_000 + index) } as const;
    });
    await expect(fillPictures(body(10), fields.slice(0, 10))).resolves.toBeDefined();
    await expect(fillPictures(body(12), fields)).rejects.toMatchObject({
      code: 'IMAGE_INVALID',
      details: [{ field: 'fields[10].value', issue: expect.stringContaining('500,000,000') }],
    });
  });

  test('have a bound for the number of SVG images', async () => {
    const fields = Array.from({ length: 101 }, (_, index) => {
      const image = svg(`<rect width="9" height="${index}"/>`);
      return { id: `f${index}`, type: 'image', image } as const;
    });
    await expect(fillPictures(body(101), fields)).rejects.toMatchObject({
      code: 'IMAGE_INVALID',
      details: [{ field: 'fields[100].value' }],
    });
  });

  test('count once if many fields show the same image', async () => {
    const image = wideScreen(7_000, 7_000);
    const fields = Array.from(
      { length: 12 },
      (_, index) => ({ id: `f${index}`, type: 'image', image }) as const,
    );
    await expect(fillPictures(body(12), fields)).resolves.toBeDefined();
  });
});

testInNightly('drawings of a request have pixels at most, as drawn', async () => {
  const images = new ImageCache(Buffer.alloc(0));
  const draw = (name: number) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 1000"><title>${name}</title></svg>`;
    return images.readBytes(Buffer.from(svg), 'x');
  };
  for (let name = 0; name < 50; name++) await draw(name);
  await expect(draw(50)).rejects.toMatchObject({
    code: 'IMAGE_INVALID',
    details: [{ field: 'x' }],
  });
});
