import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { formatOfRows, readRows } from '../src/batch/input-rows.ts';
import type { Io } from '../src/io.ts';
import { encodingIn } from '../src/sources.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-cells-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ioWith = (bytes: Buffer): Io => ({
  env: {},
  stdin: Readable.from([bytes]),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  signal: new AbortController().signal,
});

interface Given {
  encoding?: string;
  delimiter?: string;
  falseWords?: string[];
}

/** The data of the rows of a file, or of standard input if its name is `-`. */
async function rowsOf(name: string, bytes: Buffer, given: Given = {}): Promise<unknown[]> {
  const io = ioWith(bytes);
  const path = name === '-' ? name : join(folder, name);
  if (name !== '-') await writeFile(path, bytes);
  const format = name === '-' ? 'csv' : formatOfRows(name, undefined);
  const encoding = await encodingIn(io, path, given.encoding);
  const falseWords = new Set(given.falseWords ?? ['FALSE']);
  const rows = readRows(io, path, {
    format,
    encoding,
    falseWords,
    delimiter: given.delimiter,
    isEnvelope: false,
  });
  const all: unknown[] = [];
  for await (const { row } of rows) all.push((row as { data: unknown }).data);
  return all;
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const TEXT = 'name,city\r\nJürg,Zürich\r\n';
const ROWS = [{ name: 'Jürg', city: 'Zürich' }];

describe('a table is read', () => {
  test.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['UTF-16, big end first', Buffer.from(`\ufeff${TEXT}`, 'utf16le').swap16()],
    ['Windows-1252', latin1(TEXT)],
  ])('in %s', async (_, bytes) => {
    expect(await rowsOf('rows.csv', bytes)).toEqual(ROWS);
  });

  test('in an encoding that the user names', async () => {
    const bytes = latin1('name;no\n\u00a3ukasz;1\n');
    expect(await rowsOf('rows.csv', bytes, { encoding: 'iso-8859-2' })).toEqual([
      { name: 'Łukasz', no: '1' },
    ]);
  });

  test.each([
    ['semicolons', 'a;b\n"x;y";1,5\n'],
    ['tabs', 'a\tb\nx;y\t1,5\n'],
    ['bars, and a comma in a name in quotes', '"a"|"b"\nx;y|1,5\n'],
  ])('with %s between its cells', async (_, text) => {
    const [row] = await rowsOf('rows.csv', Buffer.from(text));
    expect(row).toEqual({ a: 'x;y', b: '1,5' });
  });

  test('with the delimiter that the user names', async () => {
    expect(await rowsOf('rows.csv', Buffer.from('a;b;c,d\n1;2;3,4\n'), { delimiter: ',' })).toEqual([
      { 'a;b;c': '1;2;3', d: '4' },
    ]);
  });

  test('with words that are false', async () => {
    const bytes = Buffer.from('paid,no\nFALSE,0\nFalse,no\nTRUE,1\n');
    expect(await rowsOf('rows.csv', bytes)).toEqual([
      { paid: false, no: '0' },
      { paid: false, no: 'no' },
      { paid: 'TRUE', no: '1' },
    ]);
    expect(await rowsOf('rows.csv', bytes, { falseWords: ['0', 'NO'] })).toMatchObject([
      { paid: 'FALSE', no: false },
      { paid: 'False', no: false },
      { no: '1' },
    ]);
  });

  test('of 20,000 rows whose only sign that is not ASCII is the last one', async () => {
    const rows = await rowsOf('rows.csv', latin1(`name\n${'Ada\n'.repeat(20_000)}Jürg\n`));
    expect(rows.at(-1)).toEqual({ name: 'Jürg' });
  });
});

describe('a table is refused', () => {
  test.each([
    ['in Latin-2', latin1('name\n\u00a3ukasz\n')],
    ['in Windows-1250', latin1('name\nWa\u00b3\u00easa\n')],
    ['in Windows-1251', latin1('name\n\u00cc\u00fe\u00eb\u00eb\u00e5\u00f0\n')],
    ['of Czechs in Windows-1250', latin1('name\nDvo\u00f8\u00e1k\n')],
    ['of Turks in Windows-1254', latin1('name\nI\u00fe\u00fdl\n')],
    ['in an encoding of Japan', Buffer.from([0x61, 0x0a, 0x93, 0xfa, 0x96, 0x7b, 0x81, 0x42, 0x0a])],
  ])('%s, which looks like Windows-1252', async (_, bytes) => {
    await expect(rowsOf('rows.csv', bytes)).rejects.toMatchObject({
      code: 'ENCODING_UNKNOWN',
    });
  });

  test('of standard input that is not UTF-8, with its line', async () => {
    await expect(rowsOf('-', latin1('name\nAda\nJ\u00fcrg\n'))).rejects.toMatchObject({
      code: 'DATA_INVALID',
      message: expect.stringMatching(/line 3 is not UTF-8/),
    });
  });

  test('whose encoding is unknown', async () => {
    const refused = rowsOf('rows.csv', Buffer.from('a\n1\n'), { encoding: 'klingon' });
    await expect(refused).rejects.toMatchObject({ code: 'ENCODING_UNKNOWN' });
  });

  test('as NDJSON that is not UTF-8', async () => {
    await expect(rowsOf('rows.ndjson', latin1('{"a":"J\u00fcrg"}\n'))).rejects.toMatchObject({
      code: 'ENCODING_UNKNOWN',
    });
  });
});

test.each([
  'a',
  'Müller & Söhne',
  '10 £',
  'l’été',
  'm³/h, 5 km²',
  '«Où?»',
  '¿Qué?',
  'Ångström',
  'naïve café',
  'col·lecció',
  '½ Stück',
  '25 °C ±2',
  'Œuvre Žižek',
  'Nr. 5®',
  'façade',
  'Þórður á Ísafirði',
  'Søren Æbelø, Malmö',
])('a text in Windows-1252 is taken for one: %s', async (text) => {
  const bytes = Buffer.from(
    [...text].map((c) => ({ '’': 0x92, Œ: 0x8c, Ž: 0x8e, ž: 0x9e })[c] ?? c.charCodeAt(0)),
  );
  expect(await rowsOf('rows.csv', Buffer.concat([Buffer.from('a\n"'), bytes, Buffer.from('"\n')]))).toEqual([
    { a: text },
  ]);
});
