import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { compareWithPoppler } from '../src/poppler.ts';
import { PopplerHost } from '../src/poppler-host.ts';

const host = new PopplerHost();
beforeAll(async () => {
  execFileSync('make', ['-s', '-C', fileURLToPath(new URL('../second-reader', import.meta.url)), 'all']);
  await host.start();
});
afterAll(() => host.close());

/** A page with text that is not seen, and a frame that only paper shows; an update replaces one of the two. */
const replacing = (num: 4 | 6, body: Buffer) => {
  const bodies = onePage('/Annots[6 0 R]').with(3, invisible('900 EUR')).concat(frame('[0 0 0]'));
  const before = classicPdf(bodies);
  const object = Buffer.concat([Buffer.from(`${num} 0 obj\n`), body, Buffer.from('\nendobj\n')]);
  const [, previous] = /startxref\n(\d+)/.exec(before.toString('latin1')) ?? [];
  const table = `xref\n${num} 1\n${String(before.length).padStart(10, '0')} 00000 n\r\n`;
  const rest = `${table}trailer\n<</Root 1 0 R/Size 7/Prev ${previous}>>\nstartxref\n${before.length + object.length}\n%%EOF\n`;
  return { before: before.length, bytes: Buffer.concat([before, object, Buffer.from(rest)]) };
};
const invisible = (text: string, x = 50) =>
  streamBody('', Buffer.from(`BT 3 Tr /F1 12 Tf ${x} 500 Td (${text}) Tj ET`));
const frame = (color: string) =>
  Buffer.from(`<</Type/Annot/Subtype/Square/F 36/Rect[9 9 40 40]/C${color}/BS<</W 9>>>>`);

const TOUCHED = { page: 0, fields: [], annotations: [], added: [], unsure: [], isPrintedToo: true };
const OTHER = { pages: [], everyPageBut: [] };

test.each([
  ['invisible text of a touched page', 4, invisible('100 EUR'), { pages: [TOUCHED] }, false],
  ['the place of invisible text', 4, invisible('900 EUR', 90), { pages: [TOUCHED] }, false],
  ['the place of invisible text of another page', 4, invisible('900 EUR', 90), OTHER, false],
  ['what only paper shows of another page', 6, frame('[1 0 0]'), OTHER, true],
] as const)('Poppler finds the difference of %s', async (_, num, body, which, isSeen) => {
  const { before, bytes } = replacing(num, body);
  const request = { bytes, comparisons: [{ before, now: bytes.length, ...which }], pictures: [] };
  const [found] = (await compareWithPoppler(request, { name: host.name })).compared.comparisons;
  expect(found?.failure).toBeUndefined();
  expect(found?.differences.map(({ page, regions }) => [page, regions.length > 0])).toEqual([[0, isSeen]]);
});
