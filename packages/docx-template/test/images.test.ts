import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
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
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { bmpImage, gifImage, IMAGES, svgImage, tiffImage, webpImage } from './fixtures/images.ts';
import { jpegImage } from './fixtures/jpeg.ts';
import { fillPictures, imagesOf, sizesIn } from './pictures.ts';

const TEMPLATE = templateOf(p(sdt({ tag: 'x' }, run('old'))));

const filledWith = (image: Buffer) => fillPictures(TEMPLATE, [{ id: 'x', type: 'image', image }]);

/** 3 × 3 pixels in shades of grey, one bit each, interlaced: six rows in the passes that have any. */
const INTERLACED = Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  pngChunk('IHDR', Buffer.from('00000003000000030100000001', 'hex')),
  pngChunk('IDAT', deflateSync(Buffer.alloc(12))),
  pngChunk('IEND', Buffer.alloc(0)),
]);

describe('An image', () => {
  test.each(Object.entries(IMAGES))(
    'in %s goes into the document as it is, in its size',
    async (format, make) => {
      const image = make(30, 20);
      const { bytes, xml } = await filledWith(image);
      expect(sizesIn(xml())).toEqual([[30, 20]]);
      const extension = format.toLowerCase();
      const type = format === 'SVG' ? 'svg+xml' : extension;
      const stored = (await imagesOf(bytes)).find(({ name }) => name.endsWith(`.${extension}`));
      expect(stored?.contentType).toBe(`image/${type}`);
      expect(stored?.bytes.equals(image)).toBe(true);
    },
  );

  test('in SVG has a PNG beside it for readers that show none', async () => {
    const { bytes, xml } = await filledWith(IMAGES.SVG(30, 20));
    const images = await imagesOf(bytes);
    const name = (id = '') => images.find(({ ids }) => ids.includes(id))?.name;
    expect(name(/<a:blip r:embed="(\w+)">/.exec(xml())?.[1])).toMatch(/\.png$/);
    expect(name(/<asvg:svgBlip [^>]*r:embed="(\w+)"/.exec(xml())?.[1])).toMatch(/\.svg$/);
  });

  test('may be followed by something, or have several frames', async () => {
    await expect(filledWith(Buffer.concat([pngImage(3, 3), Buffer.from('rest')]))).resolves.toBeDefined();
    await expect(filledWith(gif(9, 9, 3))).resolves.toBeDefined();
  });

  test('that is interlaced or has few colours is whole as well', async () => {
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
  ['text', Buffer.from('<!doctype html><p>Hello</p>'), /no image/],
  ['a PDF', Buffer.from('%PDF-1.7\n'), /no image/],
  ['a metafile', emf(), /no image/],
  ['a packed SVG', gzipSync(svg('')), /no image/],
  ['a PNG of 10^10 pixels', claiming(100_000, 100_000), /50,000,000 pixels/],
  ['a JPEG of 10^9 pixels', jpegHeaders(60_000, 60_000), /50,000,000 pixels/],
  ['a GIF of 10^9 pixels', gif(60_000, 60_000, 1), /50,000,000 pixels/],
  ['a GIF of a thousand frames', gif(300, 300, 1_000), /50,000,000 pixels/],
  ['a BMP of 10^9 pixels', bmp(60_000, 60_000), /50,000,000 pixels/],
  ['a TIFF of 10^9 pixels', tiff(60_000, 60_000), /50,000,000 pixels/],
  ['a WebP of 10^8 pixels', webp(16_000, 16_000), /50,000,000 pixels/],
  ['a PNG that claims more rows than it has', claiming(500, 500), /cut short/],
  ['a JPEG that claims more pixels than it has', lyingJpeg, /damaged JPEG/],
  ['a BMP that claims more rows than it has', bmp(500, 500), /cut short/],
  ['a TIFF that has no data', tiff(50, 50), /damaged TIFF/],
  ['a WebP that has no image', webp(50, 50), /damaged WebP/],
  ['a truncated PNG', cut(pngImage(30, 20)), /cut short/],
  ['a truncated JPEG', cut(jpeg), /cut short/],
  ['a truncated GIF', cut(gifImage(30, 20)), /cut short/],
  ['a truncated BMP', cut(bmpImage(30, 20)), /cut short/],
  ['a truncated TIFF', cut(tiffImage(30, 20)), /cut short/],
  ['a truncated WebP', cut(webpImage(30, 20)), /cut short/],
  ['a PNG with a wrong checksum', corrupt(pngImage(30, 20)), /damaged PNG/],
  ['an arithmetically coded JPEG', withFrame(0xc9), /of a kind/],
  [
    'an SVG that shows a file',
    svg('<image href="file:///etc/passwd" width="9" height="9"/>'),
    /another file/,
  ],
  [
    'an SVG that shows an address',
    svg('<image href="http://127.0.0.1/x.png" width="9" height="9"/>'),
    /another file/,
  ],
  ['an SVG with a style from elsewhere', svg('<style>@import "http://127.0.0.1/"</style>'), /another file/],
  [
    'an SVG with a style sheet from elsewhere',
    Buffer.concat([Buffer.from('<?xml-stylesheet href="http://127.0.0.1/x.css"?>'), svg('')]),
    /another file/,
  ],
  ['an SVG with a script', svg('<script>alert(1)</script>'), /script/],
  ['an SVG with a handler', svg('<rect onclick="alert(1)" width="9" height="9"/>'), /script/],
  ['an SVG with a link to a script', svg('<a href="javascript:alert(1)"><rect/></a>'), /script/],
  [
    'an SVG with entities',
    Buffer.from(
      '<!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg"><text>&a;</text></svg>',
    ),
    /no sound SVG/,
  ],
  [
    'an SVG that repeats itself',
    svg(`<defs><g id="g0"><rect/></g>${uses.join('')}</defs><use href="#g20"/>`),
    /elements/,
  ],
  ['an SVG that is no XML', Buffer.from('<svg><rect></svg>'), /no sound SVG/],
  ['HTML with an SVG in it', Buffer.from('<html><svg xmlns="http://www.w3.org/2000/svg"/></html>'), /no SVG/],
];

/** One pixel on a large screen. */
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

describe('What is no image that can be shown is refused, by the name of its field:', () => {
  test.each(REFUSED)('%s', async (_what, image, issue) => {
    await expect(filledWith(image)).rejects.toMatchObject({
      code: 'IMAGE_INVALID',
      details: [{ field: 'fields[0].value', issue: expect.stringMatching(issue) }],
    });
  });
});

describe('The images of a request are bounded together:', () => {
  const body = (count: number) =>
    templateOf(
      Array.from({ length: count }, (_, index) => p(sdt({ tag: `f${index}` }, run('old')))).join(''),
    );

  test('in the pixels that readers have to make of them', async () => {
    const fields = Array.from({ length: 12 }, (_, index) => {
      return { id: `f${index}`, type: 'image', image: wideScreen(7_000, 7_000 + index) } as const;
    });
    await expect(fillPictures(body(10), fields.slice(0, 10))).resolves.toBeDefined();
    await expect(fillPictures(body(12), fields)).rejects.toMatchObject({
      code: 'IMAGE_INVALID',
      details: [{ field: 'fields[10].value', issue: expect.stringContaining('500,000,000') }],
    });
  });

  test('in the SVG images that are drawn', async () => {
    const fields = Array.from({ length: 101 }, (_, index) => {
      const image = svg(`<rect width="9" height="${index}"/>`);
      return { id: `f${index}`, type: 'image', image } as const;
    });
    await expect(fillPictures(body(101), fields)).rejects.toMatchObject({
      code: 'IMAGE_INVALID',
      details: [{ field: 'fields[100].value' }],
    });
  });

  test('but one that many fields show counts once', async () => {
    const image = wideScreen(7_000, 7_000);
    const fields = Array.from(
      { length: 12 },
      (_, index) => ({ id: `f${index}`, type: 'image', image }) as const,
    );
    await expect(fillPictures(body(12), fields)).resolves.toBeDefined();
  });
});
