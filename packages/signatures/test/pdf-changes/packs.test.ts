import { describe, expect, test } from '@jest/globals';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { appended, edited, stream, verdicts } from './revisions.ts';

type Place = { stream: number; index: number };

const isPlace = (value: string | Buffer | Place): value is Place =>
  typeof value === 'object' && 'index' in value;

const startxrefOf = (pdf: Buffer): number =>
  Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(pdf.toString('latin1'))?.[1]);

/** Appends these objects, with a cross-reference stream that is object `own`. */
function withObjects(before: Buffer, own: number, objects: Record<number, string | Buffer | Place>): Buffer {
  const parts = [before];
  const rows: number[][] = [];
  let length = before.length;
  const begin = (num: number, body: string | Buffer) => {
    rows.push([num, 1, length, 0]);
    const head = Buffer.from(`${num} 0 obj\n`);
    const part = Buffer.concat([head, Buffer.from(body as string, 'latin1'), Buffer.from('\nendobj\n')]);
    parts.push(part);
    length += part.length;
  };
  for (const [num, value] of Object.entries(objects)) {
    if (isPlace(value)) rows.push([Number(num), 2, value.stream, value.index]);
    else begin(Number(num), value);
  }
  const start = length;
  const all = [...rows, [own, 1, start, 0]];
  const data = Buffer.concat(
    all.map(([, type = 0, second = 0, third = 0]) => {
      const row = Buffer.from([type, 0, 0, 0, 0, third]);
      row.writeUInt32BE(second, 1);
      return row;
    }),
  );
  const prev = before.includes('startxref') ? `/Prev ${startxrefOf(before)}` : '';
  const index = all.map(([num]) => `${num} 1`).join(' ');
  begin(
    own,
    stream(`/Type/XRef/Size 100/W[1 4 1]/Root 1 0 R/Index[${index}]${prev}`, data.toString('latin1')),
  );
  return Buffer.concat([...parts, Buffer.from(`startxref\n${start}\n%%EOF\n`)]);
}

function pack(objects: readonly [number, string][], keys = '/Type/ObjStm', first?: string): Buffer {
  let at = 0;
  const index = objects.map(([num, body]) => {
    const entry = `${num} ${at}`;
    at += body.length + 1;
    return entry;
  });
  const head = `${index.join(' ')}\n`;
  const bodies = objects.map(([, body]) => body).join('\n');
  return stream(`${keys}/N ${objects.length}/First ${first ?? head.length}`, head + bodies);
}

const page = (content: number) => `<</Type/Page/Parent 2 0 R/Contents ${content} 0 R>>`;
const AGREED = page(4);
const FORGED = page(6);

/** A file whose page, object 3, is in the object stream 10. */
const packed = (body: Buffer, index = 0, more: Record<number, string> = {}) => {
  const [catalog = '', pages = '', , content = '', font = ''] = onePage();
  return withObjects(Buffer.from('%PDF-1.7\n'), 90, {
    ...{ 1: catalog, 2: pages, 4: content, 5: font, 6: stream('', 'BT (Disagreement) Tj ET'), 10: body },
    ...{ 3: { stream: 10, index }, ...more },
  });
};

describe('the differ notices another page in an object stream', () => {
  test('if the stream is replaced, even without a type', () => {
    const pdf = packed(pack([[3, AGREED]], ''));
    const later = edited(pdf, ({ put }) => put(10, pack([[3, FORGED]], '')));
    expect(verdicts(pdf, later)).toEqual(['forbidden PAGE_CONTENT']);
  });

  test('if an entry has another index in the stream', () => {
    const pdf = packed(
      pack([
        [3, AGREED],
        [7, FORGED],
      ]),
    );
    const later = withObjects(pdf, 91, { 3: { stream: 10, index: 1 } });
    expect(verdicts(pdf, later)).toEqual(['forbidden STRUCTURE']);
    expect(verdicts(pdf, withObjects(pdf, 91, { 3: { stream: 10, index: 0 } }))).toEqual([]);
  });

  test('if a new stream of the update contains the page twice', () => {
    const pdf = packed(pack([[3, AGREED]]));
    const twice = pack([
      [3, FORGED],
      [3, AGREED],
    ]);
    const later = withObjects(pdf, 91, { 11: twice, 3: { stream: 11, index: 0 } });
    expect(() => verdicts(pdf, later)).toThrow('an object stream contains an object twice');
  });

  test('if the indirect /First of the stream is replaced', () => {
    const first = '3 0\n'.length;
    const pdf = packed(pack([[3, `${AGREED}\n${FORGED}`]], '/Type/ObjStm', '8 0 R'), 0, { 8: `${first}` });
    const later = edited(pdf, ({ put }) => put(8, `${first + AGREED.length + 1}`));
    expect(verdicts(pdf, later)).toEqual(['forbidden STRUCTURE']);
  });
});

test('the differ forbids an update whose table frees an object that its stream keeps', () => {
  const pdf = appended(packed(pack([[3, AGREED]])), []);
  const at = pdf.length;
  const row = Buffer.from([1, 0, 0, 0, 0, 0]);
  row.writeUInt32BE(pdf.indexOf('4 0 obj'), 1);
  const beside = Buffer.concat([
    Buffer.from('50 0 obj\n'),
    stream('/Type/XRef/Size 100/W[1 4 1]/Index[4 1]', row.toString('latin1')),
    Buffer.from('\nendobj\n'),
  ]);
  const table = `xref\n4 1\n0000000000 00000 f\r\ntrailer\n<</Size 100/Root 1 0 R/Prev ${startxrefOf(pdf)}/XRefStm ${at}>>\n`;
  const end = `startxref\n${at + beside.length}\n%%EOF\n`;
  expect(verdicts(pdf, Buffer.concat([pdf, beside, Buffer.from(table + end)]))).toEqual([
    'forbidden STRUCTURE',
  ]);
});
