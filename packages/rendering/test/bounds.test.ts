import { inflateSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { compareRevisions } from '../src/compare-revisions.ts';
import { markedPdf } from './marks.ts';

const MIB = 1024 * 1024;
const page = { page: 0, fields: [], annotations: [], added: [], unsure: [], isPrintedToo: false };

const compared = (bytes: Buffer, before = bytes.length) =>
  compareRevisions({
    bytes,
    comparisons: [{ before, now: bytes.length, pages: [page] }],
    pictures: [{ end: bytes.length, page: 0, before }],
  });

const blank = () => markedPdf({ content: '' }, undefined).bytes;
const resized = (box: string) =>
  Buffer.from(blank().toString('latin1').replace('[0 0 595 842]', box), 'latin1');

test('a file that does not fit in the memory of PDFium is too large, and the next one is compared', async () => {
  const { comparisons, pictures } = await compared(Buffer.alloc(600 * MIB));
  expect(comparisons[0]?.failure?.code).toBe('TOO_LARGE');
  expect(pictures).toEqual([undefined]);
  expect((await compared(blank())).comparisons).toEqual([{ differences: [] }]);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a text', Buffer.from('This is not a PDF.')],
  ['the first half of a PDF', blank().subarray(0, 60)],
])('%s is unreadable', async (_, bytes) => {
  const { comparisons, pictures, readings } = await compared(bytes);
  expect(comparisons[0]?.failure?.code).toBe('UNREADABLE');
  expect({ pictures, readings }).toEqual({ pictures: [undefined], readings: [] });
});

test('a page that would be illegible within the bound of pixels is too large', async () => {
  const { comparisons } = await compared(resized('[0 0 14400 14400]'));
  expect(comparisons[0]?.failure?.code).toBe('TOO_LARGE');
});

test('a page as large as A0 is compared', async () => {
  expect((await compared(resized('[0 0 2384 3370]'))).comparisons[0]?.failure).toBeUndefined();
});

test('a small page is rendered as large as readers display it', async () => {
  const { pictures } = await compared(resized('[0 0 20 10]'));
  expect(pictures[0]).toMatchObject({ width: 1_000, height: 500 });
});

test('a picture is a PNG with the pixels of the page', async () => {
  const { bytes } = markedPdf({ content: '1 0 0 rg 0 0 595 842 re f' }, undefined);
  const { pictures } = await compared(bytes);
  const { png = new Uint8Array(), width = 0, height = 0 } = pictures[0] ?? {};
  const file = Buffer.from(png);
  expect(file.readUInt32BE(16)).toBe(width);
  const start = file.indexOf('IDAT', 0, 'latin1');
  const rows = inflateSync(file.subarray(start + 4, start + 4 + file.readUInt32BE(start - 4)));
  expect(rows.length).toBe(height * (1 + 3 * width));
  expect([...rows.subarray(0, 4)]).toEqual([2, 255, 0, 0]);
});
