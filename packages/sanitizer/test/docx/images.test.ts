import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { rewriteFont } from '@scriptorium/fonts/rewrite';
import { type OoxmlPackage, openPackage } from '@scriptorium/ooxml/package';
import {
  type Content,
  documentOf,
  imageDocument,
  picture,
  relationshipsXml,
  wordType,
  wordXml,
} from '@scriptorium/testing/fixtures/hostile/document';
import {
  emf,
  emfComment,
  emfPlusImage,
  gif,
  pngChunk,
  pngImage,
} from '@scriptorium/testing/fixtures/hostile/image-files';
import { embeddedFonts } from '../../src/docx/embedded-fonts.ts';
import { images } from '../../src/docx/images.ts';

const RED =
  '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20" fill="red"/></svg>';
const SVG_TYPE = 'image/svg+xml';

function open(bytes: Buffer): Promise<OoxmlPackage> {
  return openPackage(bytes, [images(), embeddedFonts()]);
}

async function imageOf(image: Buffer | string, name: string, type: string) {
  const document = await open(imageDocument(image, name, type));
  return { part: document.parts.get(`word/media/${name}`), dropped: document.dropped };
}

describe('an SVG image', () => {
  test('becomes a PNG of twice its size', async () => {
    const { part, dropped } = await imageOf(RED, 'image1.svg', SVG_TYPE);
    expect(part?.contentType).toBe('image/png');
    expect(part?.bytes.toString('latin1', 1, 4)).toBe('PNG');
    expect([part?.bytes.readUInt32BE(16), part?.bytes.readUInt32BE(20)]).toEqual([60, 40]);
    expect(dropped).toEqual([]);
  });

  test('of many megapixels becomes a PNG of four megapixels', async () => {
    const { part } = await imageOf(
      RED.replaceAll('30', '30000').replaceAll('20"', '20000"'),
      'a.svg',
      SVG_TYPE,
    );
    const pixels = (part?.bytes.readUInt32BE(16) ?? 0) * (part?.bytes.readUInt32BE(20) ?? 0);
    expect(pixels).toBeGreaterThan(3_900_000);
    expect(pixels).toBeLessThan(4_100_000);
  });

  test('is reported if its text cannot be drawn', async () => {
    const svg = RED.replace('</svg>', '<text y="9">Title</text></svg>');
    const { part, dropped } = await imageOf(svg, 'image1.svg', SVG_TYPE);
    expect(part?.contentType).toBe('image/png');
    expect(dropped).toMatchObject([{ what: 'SVG image', detail: expect.stringContaining('text') }]);
  });

  const both = (first: string): Content => ({
    body: picture(`r:embed="${first}"`, '<a:extLst><a:ext><asvg:svgBlip r:embed="rId2"/></a:ext></a:extLst>'),
    links: [
      { id: 'rId1', kind: 'image', target: 'media/image1.png' },
      { id: 'rId2', kind: 'image', target: 'media/image2.svg' },
    ],
    parts: [
      { name: 'word/media/image1.png', data: pngImage(3, 3) },
      { name: 'word/media/image2.svg', data: RED, type: SVG_TYPE },
    ],
  });

  test('with a fallback image is omitted without a report', async () => {
    const document = await open(documentOf(both('rId1')));
    expect([...document.parts.keys()]).toContain('word/media/image1.png');
    expect([...document.parts.keys()]).not.toContain('word/media/image2.svg');
    expect(document.dropped).toEqual([]);
  });

  test('without a fallback image is drawn', async () => {
    const document = await open(documentOf(both('rIdNone')));
    expect(document.parts.get('word/media/image2.svg')?.contentType).toBe('image/png');
  });

  test('with links and a style sheet of classes is drawn', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><style>.a{clip-path:url(#c)}.b{fill:url(#g)}</style>' +
      '<clipPath id="c"><rect class="d" width="4" height="4"/></clipPath><linearGradient id="g"><stop/></linearGradient>' +
      '<a href="https://example.com/"><g class="a"><rect class="b" width="9" height="9"/></g></a></svg>';
    expect((await imageOf(svg, 'image1.svg', SVG_TYPE)).dropped).toEqual([]);
  });
});

describe('a PNG', () => {
  test('keeps its picture and loses texts, an embedded second picture, and trailing bytes', async () => {
    const extra = [
      pngChunk('gAMA', Buffer.from('0000b18f', 'hex')),
      pngChunk('tEXt', Buffer.from('Software\0x')),
      pngChunk('msOG', gif(9, 9, 1)),
    ];
    const image = Buffer.concat([pngImage(5, 5, { extra }), Buffer.from('%PDF-1.7')]);
    const { part } = await imageOf(image, 'image1.png', 'image/png');
    const kept = pngImage(5, 5, { extra: extra.slice(0, 1) });
    expect(part?.bytes.equals(kept)).toBe(true);
  });

  test('with nothing to remove stays byte for byte', async () => {
    const { part } = await imageOf(pngImage(5, 5), 'image1.png', 'image/png');
    expect(part?.entry).toBeDefined();
  });
});

describe('an EMF', () => {
  const kept = emfComment('EMF+', emfPlusImage(pngImage(3, 3)));

  test('with a raster image inside does not change', async () => {
    const { part } = await imageOf(emf(kept), 'image1.emf', 'image/x-emf');
    expect(part?.bytes.equals(emf(kept))).toBe(true);
  });

  test.each([
    ['an SVG image in EMF+', emfComment('EMF+', emfPlusImage(Buffer.from(RED)))],
    ['a PDF', emfComment('GDIC', Buffer.concat([Buffer.from('04000040', 'hex'), Buffer.from('%PDF-1.7')]))],
    ['an EMF in EMF+ with an SVG image inside', nested()],
  ])('loses %s and keeps its own records', async (_what, comment) => {
    const { part } = await imageOf(emf(comment), 'image1.emf', 'image/x-emf');
    const [before, after] = [emf(comment), part?.bytes ?? Buffer.alloc(0)];
    expect(after.length).toBe(before.length);
    expect(after.toString('latin1', 100, 104)).toBe('\0\0\0\0');
    expect(after.subarray(104).equals(before.subarray(104))).toBe(true);
  });

  test('loses an image in several pieces', async () => {
    const whole = emfPlusImage(Buffer.from(RED)).subarray(12);
    const piece = (data: Buffer, flags: number) => {
      const head = Buffer.alloc(16);
      head.writeUInt16LE(0x4008, 0);
      head.writeUInt16LE(flags, 2);
      head.writeUInt32LE(16 + data.length, 4);
      head.writeUInt32LE(4 + data.length, 8);
      head.writeUInt32LE(whole.length, 12);
      return Buffer.concat([head, data]);
    };
    const pieces = [piece(whole.subarray(0, 8), 0x8500), piece(whole.subarray(8), 0x8500)];
    const image = emf(...pieces.map((data) => emfComment('EMF+', data)));
    const { part } = await imageOf(image, 'image1.emf', 'image/x-emf');
    expect(part?.bytes.includes('EMF+')).toBe(false);
  });
});

/** An EMF with a bitmap of 32 bits and its alpha, whose pixels are given. */
function blended(pixels: Buffer, compression = 0): Buffer {
  const [header, place] = [108, 148];
  const record = Buffer.alloc(place + pixels.length);
  const words = [114, record.length, 0, 0, 9, 9, 0, 0, 9, 9, 0x01ff8000];
  for (const [at, word] of words.entries()) record.writeUInt32LE(word, 4 * at);
  for (const [at, word] of [header, 40, place, pixels.length].entries())
    record.writeUInt32LE(word, 84 + 4 * at);
  for (const [at, word] of [40, 2, 1, 0x200001, compression].entries())
    record.writeUInt32LE(word, header + 4 * at);
  pixels.copy(record, place);
  return emf(record);
}

test('a bitmap with transparency in an EMF stands on white', async () => {
  const pixels = (hex: string) => Buffer.from(hex, 'hex');
  const { part } = await imageOf(blended(pixels('0000000010203080')), 'image1.emf', 'image/x-emf');
  expect(part?.bytes.equals(blended(pixels('ffffffff8f9fafff')))).toBe(true);
  const packed = blended(pixels('0000000010203080'), 4);
  expect((await imageOf(packed, 'image1.emf', 'image/x-emf')).part?.bytes.equals(packed)).toBe(true);
});

/** A WMF with an EMF in two comments; `lie` is added to the number of comments. */
function wmfAround(inner: Buffer, lie = 0): Buffer {
  const half = 2 * Math.ceil(inner.length / 4);
  const pieces = [inner.subarray(0, half), inner.subarray(half)];
  const records = pieces.map((data, at) => {
    const record = Buffer.alloc(44 + data.length + (data.length % 2));
    record.writeUInt32LE(record.length / 2, 0);
    record.writeUInt16LE(0x0626, 4);
    record.writeUInt16LE(15, 6);
    record.writeUInt16LE(record.length - 10, 8);
    record.write('WMFC', 10);
    record.writeUInt32LE(1, 14);
    record.writeUInt32LE(0x10000, 18);
    const rest = at === 0 ? inner.length - half : 0;
    for (const [place, word] of [pieces.length + lie, data.length, rest, inner.length].entries())
      record.writeUInt32LE(word, 28 + 4 * place);
    data.copy(record, 44);
    return record;
  });
  const head = Buffer.from('010009000003000000000000000000000000', 'hex');
  return Buffer.concat([head, ...records, Buffer.from('030000000000', 'hex')]);
}

test('a WMF keeps the EMF in its comments if that is safe as it is', async () => {
  const image = async (bytes: Buffer) => (await imageOf(bytes, 'image1.wmf', 'image/x-wmf')).part?.bytes;
  const safe = wmfAround(emf(emfComment('EMF+', emfPlusImage(pngImage(3, 3)))));
  expect((await image(safe))?.equals(safe)).toBe(true);
  for (const unsafe of [wmfAround(emf(nested())), wmfAround(emf(), 1), wmfAround(Buffer.from('%PDF-1.7'))]) {
    const bytes = (await image(unsafe)) ?? Buffer.alloc(0);
    // The comments have another function.
    expect([bytes.length, bytes.readUInt16LE(18 + 6)]).toEqual([unsafe.length, 0]);
  }
});

function nested(): Buffer {
  return emfComment('EMF+', emfPlusImage(emf(emfComment('EMF+', emfPlusImage(Buffer.from(RED))))));
}

test('metafiles are removed if they are not to be kept', async () => {
  const wmf = Buffer.concat([Buffer.from('010009000003', 'hex'), Buffer.alloc(40)]);
  for (const [name, bytes] of [
    ['EMF', emf()],
    ['WMF', wmf],
  ] as const) {
    const document = imageDocument(bytes, `image1.${name.toLowerCase()}`, `image/x-${name.toLowerCase()}`);
    const { parts, dropped } = await openPackage(document, [images('drop')]);
    expect([...parts.keys()].filter((key) => key.includes('image1'))).toEqual([]);
    expect(dropped).toMatchObject([
      { what: 'image', detail: `an ${name} image, which this service removes` },
    ]);
  }
});

describe('an embedded font', () => {
  const key = '{00112233-4455-6677-8899-AABBCCDDEEFF}';
  const font = readFileSync(execFileSync('fc-match', ['-f', '%{file}', 'DejaVu Sans'], { encoding: 'utf8' }));

  function documentWith(bytes: Buffer, attribute: string): Buffer {
    const table = `<w:font w:name="F"><w:embedRegular r:id="rId1"${attribute}/></w:font>`;
    return documentOf({
      links: [{ id: 'rId1', kind: 'fontTable', target: 'fontTable.xml' }],
      parts: [
        { name: 'word/fontTable.xml', data: wordXml(table, 'fonts', ''), type: wordType('fontTable') },
        {
          name: 'word/_rels/fontTable.xml.rels',
          data: relationshipsXml([{ id: 'rId1', kind: 'font', target: 'fonts/font1.odttf' }]),
        },
        {
          name: 'word/fonts/font1.odttf',
          data: bytes,
          type: 'application/vnd.openxmlformats-officedocument.obfuscatedFont',
        },
      ],
    });
  }

  /** Both ways. */
  function obfuscated(bytes: Buffer): Buffer {
    const mask = Buffer.from(key.replace(/[{}-]/g, ''), 'hex').reverse();
    return Buffer.from(bytes.map((byte, at) => (at < 32 ? byte ^ (mask[at % 16] ?? 0) : byte)));
  }

  test.each([
    ['obfuscated with its key', obfuscated, ` w:fontKey="${key}"`],
    ['not obfuscated', (bytes: Buffer) => bytes, ''],
  ])('%s is written anew', async (_how, hide, attribute) => {
    const { parts, dropped } = await open(documentWith(hide(font), attribute));
    expect(hide(parts.get('word/fonts/font1.odttf')?.bytes ?? font)).toEqual(rewriteFont(font));
    expect(dropped).toEqual([]);
  });

  test('with another key is removed', async () => {
    const { parts, dropped } = await open(
      documentWith(obfuscated(font), ` w:fontKey="${key.replace('EEFF', 'FFEE')}"`),
    );
    expect(parts.has('word/fonts/font1.odttf')).toBe(false);
    expect(dropped).toEqual([{ what: 'embedded font', part: 'word/fonts/font1.odttf' }]);
  });
});
