import { beforeAll, expect, test } from '@jest/globals';
import { openPdf } from '@scriptorium/pdf/read';
import { xrefStreamPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { readPdfEvidence } from '../../src/pades/pdf-evidence.ts';
import { signedOnce } from './contract.ts';

/** Object 4 is the content of page 3, which also refers to the missing object 40. */
const CONTENT = 4;
const MISSING = 40;

let signed: Buffer;
beforeAll(async () => {
  const bodies = [...onePage()];
  bodies[2] = String(bodies[2]).replace('/Contents 4 0 R', `/Contents[${CONTENT} 0 R ${MISSING} 0 R]`);
  signed = await signedOnce(xrefStreamPdf(bodies));
});

type Listed = 'unlisted' | 'free' | 'listed';

/** Appends an update with a date, whose cross-reference stream has this number. */
function sectionNumbered(num: number, listed: Listed): Buffer {
  const { document } = openPdf(signed);
  const info = document.xref.numMax + 1;
  const date = Buffer.from(`${info} 0 obj\n<</ModDate(D:20261128000000Z)>>\nendobj\n`);
  const start = signed.length + date.length;
  const row = (type: number, offset: number) => {
    const bytes = Buffer.alloc(7);
    bytes[0] = type;
    bytes.writeUInt32BE(offset, 1);
    return bytes;
  };
  const own = listed === 'free' ? row(0, 0) : row(1, start);
  const entries = [{ num: info, data: row(1, signed.length) }];
  if (listed !== 'unlisted') entries.push({ num, data: own });
  entries.sort((a, b) => a.num - b.num);
  const data = Buffer.concat(entries.map((entry) => entry.data));
  const index = entries.map((entry) => `${entry.num} 1`).join(' ');
  const keys = `/Size ${Math.max(info, num) + 1}/W[1 4 2]/Index[${index}]/Prev ${document.xref.startxref}`;
  const roots = `/Root ${document.catalog.num} 0 R/Info ${info} 0 R`;
  const head = `${num} 0 obj\n<</Type/XRef${keys}${roots}/Length ${data.length}>>\nstream\n`;
  const end = `\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.concat([signed, date, Buffer.from(head), data, Buffer.from(end)]);
}

/** What is wrong with the changes after the signature. */
function wrongs(pdf: Buffer): string[] {
  const [signature] = readPdfEvidence(pdf).signatures;
  const faults = signature?.faults.map(({ code }) => code).filter((code) => code.startsWith('STRUCTURE'));
  const changes = signature?.modifications.filter(({ level }) => level !== 'permitted');
  return [...(faults ?? []), ...(changes ?? []).map(({ code }) => code)];
}

test.each<Listed>(['unlisted', 'free', 'listed'])('a cross-reference stream may be %s', (listed) => {
  expect(wrongs(sectionNumbered(60, listed))).toEqual([]);
});

test.each<[string, number, Listed]>([
  ['the page has for its content', CONTENT, 'unlisted'],
  ['the page has for its content', CONTENT, 'free'],
  ['the page has for its content', CONTENT, 'listed'],
  ['the page refers to in vain', MISSING, 'unlisted'],
  ['the page refers to in vain', MISSING, 'free'],
  ['is none', 0, 'unlisted'],
])('a cross-reference stream may not have the number that %s (%p), %s', (_, num, listed) => {
  expect(wrongs(sectionNumbered(num, listed))).not.toEqual([]);
});
