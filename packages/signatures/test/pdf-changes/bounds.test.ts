import { describe, expect, test } from '@jest/globals';
import { PdfError } from '@scriptorium/pdf/error';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { testInWhole } from '@scriptorium/testing/extent';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { readPdfEvidence } from '../../src/pades/pdf-evidence.ts';
import { signedOnce } from './contract.ts';
import { edited, formXObject, historyOf, stream, verdicts } from './revisions.ts';

const stamp = '<</Type/Annot/Subtype/Stamp/Rect[50 490 200 520]>>';
const withStamp = (pdf: Buffer) => edited(pdf, ({ set, add }) => set(3, { Annots: `[${add(stamp)}]` }));

test('the history reports fifty successive signatures as one change each, in any order of requests', async () => {
  const files = [await signedOnce(plainPdf())];
  for (let count = 0; count < 50; count++) files.push(await signedOnce(files.at(-1) ?? Buffer.alloc(0)));
  const history = historyOf(...files);
  expect(history.step(51)).toMatchObject([{ revision: 51, code: 'SIGNATURE_ADDED' }]);
  for (let revision = 2; revision < 51; revision++) {
    expect(history.step(revision)).toMatchObject([{ revision, code: 'SIGNATURE_ADDED', level: 'permitted' }]);
  }
  expect(history.step(1)).toEqual([]);
});

describe('the differ finishes in time, or refuses,', () => {
  test('for forms that draw themselves and each other', () => {
    const forms = Array.from({ length: 9 }, (_, index) =>
      formXObject('/A Do '.repeat(40), `/XObject<</A ${index < 8 ? 7 + index : 6} 0 R>>`),
    );
    const all = [...onePage('', '', forms)];
    all[2] = '<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</XObject<</A 6 0 R>>>>>>';
    all[3] = stream('', '/A Do');
    const pdf = classicPdf(all);
    expect(verdicts(pdf, withStamp(pdf))).toContain('doubtful CONTENT_COVERED');
  });

  testInWhole('for an endless content stream', () => {
    const all = [...onePage()];
    all[3] = stream('', 'q '.repeat(3_000_000));
    const pdf = classicPdf(all);
    expect(verdicts(pdf, withStamp(pdf))).toContain('doubtful CONTENT_COVERED');
  });

  testInWhole('for repeated cross-reference sections of millions of objects', () => {
    const files = [plainPdf()];
    for (let count = 0; count < 15; count++) {
      const pdf = files.at(-1) ?? Buffer.alloc(0);
      const [, previous] = [...pdf.toString('latin1').matchAll(/startxref\n(\d+)/g)].at(-1) ?? [];
      const keys = `/Type/XRef/Size 8000000/W[1 4 1]/Index[100000 7000000]/Root 1 0 R/Prev ${previous}`;
      const end = Buffer.from(`\nendobj\nstartxref\n${pdf.length}\n%%EOF\n`);
      files.push(Buffer.concat([pdf, Buffer.from('9000 0 obj\n'), streamBody(keys, Buffer.alloc(6)), end]));
    }
    const history = historyOf(...files);
    expect(history.step(16)).toMatchObject([{ code: 'STRUCTURE', level: 'forbidden' }]);
  });

  testInWhole('for thousands of annotations on thousands of words', () => {
    const all = [...onePage('/Annots[]')];
    all[3] = stream('', `BT /F1 9 Tf ${'1 1 Td (a) Tj '.repeat(20_000)}ET`);
    const pdf = classicPdf(all);
    const later = edited(pdf, ({ set, add }) => {
      const body = `<</Type/Annot/Subtype/Stamp/Rect[0 900000 99 900099]/AP<</N ${add(formXObject('0 0 9 9 re f'))}>>>>`;
      set(3, { Annots: `[${Array.from({ length: 5_000 }, () => add(body)).join(' ')}]` });
    });
    expect(verdicts(pdf, later)).toEqual(['forbidden STRUCTURE']);
  });

  testInWhole('for a large object that every revision replaces', () => {
    const numbers = '1 '.repeat(100_000);
    const files = [classicPdf(onePage('', '/X 6 0 R', [`[${numbers}]`]))];
    for (let count = 0; count < 45; count++) {
      files.push(edited(files.at(-1) ?? Buffer.alloc(0), ({ put }) => put(6, `[${count} ${numbers}]`)));
    }
    const changes = historyOf(...files).step(46);
    expect(changes).toMatchObject([{ code: 'STRUCTURE', level: 'forbidden' }]);
  });
});

test('a list of many changes keeps the worst one', () => {
  const fields = Array.from(
    { length: 3_000 },
    (_, index) => `<</FT/Tx/T(f${index})${index === 2_900 ? '/Ff 1' : ''}>>`,
  );
  const refs = fields.map((_, index) => `${6 + index} 0 R`).join(' ');
  const pdf = classicPdf(onePage('', `/AcroForm<</Fields[${refs}]>>`, fields));
  const later = edited(pdf, ({ set }) => {
    for (const index of fields.keys()) set(6 + index, { V: '(x)' });
  });
  const changes = historyOf(pdf, later).step(2);
  expect(changes.length).toBeLessThan(1_000);
  expect(changes.filter(({ level }) => level === 'forbidden')).toMatchObject([
    { code: 'FIELD_CHANGED', field: 'f2900', path: '/Root/AcroForm/Fields[2900]/V' },
  ]);
});

testInWhole('the differ reads or refuses thousands of fields in hundreds of revisions in time', async () => {
  const numbers = Array.from({ length: 3_000 }, (_, index) => index + 6);
  const list = numbers.map((num) => `${num} 0 R`).join(' ');
  const fields = numbers.map((num) => `<</FT/Tx/T(f${num})>>`);
  let pdf = await signedOnce(classicPdf(onePage('', `/AcroForm<</Fields[${list}]>>`, fields)));
  for (let item = 0; item < 300; item++) pdf = appendedQuickly(pdf, item);
  const start = process.cpuUsage();
  expect(outcomeOf(pdf)).toMatch(/^(read|DOCUMENT_TOO_COMPLEX)$/);
  expect(cpuMsSince(start)).toBeLessThan(30_000);
});

/** Appends an update that replaces the first field. */
function appendedQuickly(pdf: Buffer, item: number): Buffer {
  const tail = pdf.toString('latin1', pdf.length - 60);
  const prev = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)?.[1];
  const object = `6 0 obj\n<</FT/Tx/T(f6)/V(${item})>>\nendobj\n`;
  const table = `xref\n6 1\n${String(pdf.length).padStart(10, '0')} 00000 n\r\ntrailer\n<</Size 9000/Root 1 0 R/Prev ${prev}>>\n`;
  const end = `startxref\n${pdf.length + object.length}\n%%EOF\n`;
  return Buffer.concat([pdf, Buffer.from(object + table + end)]);
}

function outcomeOf(pdf: Buffer): string {
  try {
    readPdfEvidence(pdf);
    return 'read';
  } catch (error) {
    return error instanceof PdfError ? error.code : String(error);
  }
}
