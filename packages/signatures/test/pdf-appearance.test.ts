import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import {
  croppedPdf,
  formPdf,
  onePage,
  packedPdf,
  plainPdf,
  rotatedPdf,
} from '@scriptorium/testing/fixtures/pdf/documents';
import { plainPng, pngOf } from '@scriptorium/testing/fixtures/picture';
import { pdfsig, pdfText, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { type OpensslKey, opensslKey } from '@scriptorium/testing/openssl-signing';
import { pictureOf } from './pictures.ts';
import { prepared, signed } from './signing.ts';

let key: OpensslKey;
beforeAll(async () => {
  key = await opensslKey('Ada');
});
afterAll(() => key.remove());

const AREA = { x: 30, y: 40, width: 180, height: 50 };

test.each([0, 90, 180, 270])(
  'a signature on a page rotated by %i degrees is upright at the requested place',
  async (degrees) => {
    const before = await pictureOf(rotatedPdf(degrees));
    const pdf = await signed(rotatedPdf(degrees), key, {
      appearance: { page: 1, rectangle: AREA, text: 'TTTTTTTTTT' },
    });
    const after = await pictureOf(pdf);
    const gained = after.ink(AREA) - before.ink(AREA);
    expect(gained).toBeGreaterThan(50);
    const all = { x: 0, y: 0, width: after.width, height: after.height };
    expect(after.ink(all) - before.ink(all)).toBe(gained);
    // The bars of these letters are above their middle.
    const half = { ...AREA, height: AREA.height / 2 };
    expect(
      after.ink({ ...half, y: AREA.y + AREA.height / 2 }) -
        before.ink({ ...half, y: AREA.y + AREA.height / 2 }),
    ).toBeGreaterThan(after.ink(half) - before.ink(half));
    expect((await pdfsig(pdf))[0]?.validation).toBe('Signature is Valid.');
    expect(await qpdfComplaints(pdf)).toEqual([]);
  },
);

test('the rectangle on a cropped page counts from the corner of the visible area', async () => {
  const pdf = await signed(croppedPdf(), key, {
    appearance: { page: 1, rectangle: { x: 0, y: 0, width: 100, height: 20 }, text: 'corner' },
  });
  expect((await pictureOf(pdf)).ink({ x: 0, y: 0, width: 100, height: 20 })).toBeGreaterThan(10);
});

test('text in many scripts is shown and searchable', async () => {
  const lines = ['Größe geprüft – “Łódź” €', 'Кирилица', 'Ελληνικά', 'Tiếng Việt'];
  const pdf = await signed(packedPdf(), key, {
    appearance: { page: 1, rectangle: { x: 20, y: 20, width: 300, height: 100 }, text: lines.join('\n') },
  });
  const shown = await pdfText(pdf);
  for (const line of lines) expect(shown).toContain(line);
});

test('Arabic letters are joined from right to left and remain searchable', async () => {
  const pdf = await signed(plainPdf(), key, {
    appearance: { page: 1, rectangle: { x: 20, y: 20, width: 300, height: 30 }, text: 'محمد 42' },
  });
  const shown = await pdfText(pdf);
  expect(shown).toContain('محمد');
  expect(shown).toContain('42');
});

test('long text is reduced and wrapped until it fits', async () => {
  const text = 'I have read the whole agreement and accept each of its terms. '.repeat(4).trim();
  const area = { x: 100, y: 100, width: 120, height: 60 };
  const pdf = await signed(plainPdf(), key, { appearance: { page: 1, rectangle: area, text } });
  const shown = (await pdfText(pdf)).replace(/\s+/g, ' ');
  expect(shown.split('accept each of its terms.')).toHaveLength(5);
  const picture = await pictureOf(pdf);
  const around = { x: 90, y: 90, width: 140, height: 80 };
  expect(picture.ink(around)).toBe(picture.ink(area));
});

test('an image keeps its proportions and its transparency', async () => {
  const red = { red: 255, green: 0, blue: 0 };
  const image = pngOf(20, 20, (x) => ({ ...red, alpha: x < 10 ? 255 : 0 }));
  const pdf = await signed(plainPdf(), key, {
    appearance: { page: 1, rectangle: { x: 100, y: 100, width: 104, height: 44 }, image },
  });
  const picture = await pictureOf(pdf);
  expect(picture.at(140, 122)).toEqual([255, 0, 0]);
  expect(picture.at(165, 122)).toEqual([255, 255, 255]);
  expect(picture.at(110, 122)).toEqual([255, 255, 255]);
  for (let y = 104; y < 140; y++) expect(picture.at(140, y)).toEqual([255, 0, 0]);
  expect(await qpdfComplaints(pdf)).toEqual([]);
});

test.each([
  ['gray', [128, 128, 128]],
  ['rgb', [255, 0, 0]],
  ['palette', [255, 0, 0]],
] as const)('an opaque image, %s, keeps its colors', async (kind, color) => {
  const pdf = await signed(plainPdf(), key, {
    appearance: { page: 1, rectangle: { x: 100, y: 100, width: 44, height: 44 }, image: plainPng(kind, 20) },
  });
  const picture = await pictureOf(pdf);
  for (const at of [105, 122, 138]) expect(picture.at(at, at)).toEqual(color);
  expect(await qpdfComplaints(pdf)).toEqual([]);
});

test('a signature in an existing field is shown at the field’s position', async () => {
  const pdf = await signed(formPdf(), key, {
    field: 'Signature',
    appearance: { page: 1, rectangle: { x: 0, y: 0, width: 50, height: 50 }, text: 'Ada Signer' },
  });
  const picture = await pictureOf(pdf);
  expect(picture.ink({ x: 50, y: 100, width: 200, height: 60 })).toBeGreaterThan(50);
  expect(picture.ink({ x: 0, y: 0, width: 50, height: 50 })).toBe(0);
});

test('existing annotations of a page are kept in a direct or an indirect array', async () => {
  const link = '<</Type/Annot/Subtype/Link/Rect[0 0 10 10]>>';
  const shared = classicPdf(onePage('/Annots 6 0 R', '', ['[7 0 R]', link]));
  const own = classicPdf(onePage('/Annots[6 0 R]', '', [link]));
  for (const original of [shared, own]) {
    const pdf = await signed(original, key);
    expect((await pdfsig(pdf))[0]?.validation).toBe('Signature is Valid.');
    expect(await qpdfComplaints(pdf)).toEqual([]);
  }
});

test.each([
  ['appearance.page', { page: 2, rectangle: AREA }, 'The document has 1 pages.'],
  ['appearance.rectangle', { page: 1, rectangle: { ...AREA, x: 300 } }, '400 points wide and 600 high'],
  ['appearance.rectangle', { page: 1, rectangle: { ...AREA, y: -1 } }, '400 points wide and 600 high'],
  ['appearance.rectangle', { page: 1, rectangle: { ...AREA, height: 0 } }, 'must be greater than 0'],
  ['appearance.text', { page: 1, rectangle: AREA, text: 'A'.repeat(4_001) }, 'more than 4000 characters'],
])('an invalid appearance is rejected with its field, %s', async (field, appearance, issue) => {
  await expect(prepared(plainPdf(), { appearance: { text: 'Ada', ...appearance } })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field, issue: expect.stringContaining(issue) }],
  });
});

test.each([
  ['a text', Buffer.from('not a picture')],
  ['a truncated image', pngOf(20, 20, () => ({ red: 0, green: 0, blue: 0, alpha: 255 })).subarray(0, 60)],
  [
    'an image of 900 million pixels',
    pngOf(1, 1, () => ({ red: 0, green: 0, blue: 0, alpha: 255 }))
      .fill(0x75, 17, 19)
      .fill(0x75, 21, 23),
  ],
  [
    'an image of many rows without pixels, which would decompress without limit',
    pngOf(1, 1, () => ({ red: 0, green: 0, blue: 0, alpha: 255 }))
      .fill(0, 16, 20)
      .fill(0xff, 20, 24),
  ],
  ['a truncated JPEG', Buffer.from('ffd8ffe0', 'hex')],
  ['a JPEG without pixels', Buffer.from('ffd8ffc0001108000000000301110002110103110100ffd9', 'hex')],
])('%s is rejected as an image', async (_, image) => {
  const refusal = prepared(plainPdf(), { appearance: { page: 1, rectangle: AREA, image } });
  await expect(refusal).rejects.toMatchObject({
    code: 'IMAGE_INVALID',
    details: [{ field: 'appearance.image' }],
  });
});

test('a long word in a rectangle of one point is laid out quickly', async () => {
  const rectangle = { x: 1, y: 1, width: 1, height: 500 };
  const appearance = { page: 1, rectangle, text: 'سلام'.repeat(1_000) };
  const startedAt = process.cpuUsage();
  const { bytes } = await prepared(plainPdf(), { appearance });
  expect(bytes.toString('latin1')).toContain('/Rect[1 1 2 501]');
  expect(cpuMsSince(startedAt)).toBeLessThan(5_000);
});
