import { describe, expect, test } from '@jest/globals';
import { openTable } from '../src/tables.ts';

/** The columns and rows of a table, which comes in parts of `size` characters. */
async function read(
  text: string,
  { size = text.length, delimiter }: { size?: number; delimiter?: string } = {},
) {
  async function* parts() {
    for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
  }
  const { columns, rows } = await openTable(parts(), 'a.csv', delimiter);
  const all: string[][] = [];
  for await (const { value } of rows) all.push(value);
  return { columns, rows: all };
}

describe('a table', () => {
  test.each([
    ['has quotes that are doubled', 'a,b\n"say ""hi""",2', [['say "hi"', '2']]],
    ['has quotes in the middle of a cell', 'a,b\n5" pipe,a "odd" b', [['5" pipe', 'a "odd" b']]],
    ['has line breaks and delimiters in quotes', 'a,b\r\n"x\r\ny","1,5"\r\n', [['x\ny', '1,5']]],
    ['is separated by semicolons', 'a;b\n1,5;"x;y"', [['1,5', 'x;y']]],
    ['is separated by tabs', 'a\tb\n1\t2', [['1', '2']]],
    ['names its delimiter in a first line', 'sep=|\r\na|b\r\n1;2|3\r\n', [['1;2', '3']]],
    [
      'has lines without a value',
      'a,b\n\n1,\n,\n  ,\n2,3',
      [
        ['1', ''],
        ['2', '3'],
      ],
    ],
    ['ends with a delimiter', 'a,b\n1,', [['1', '']]],
    [
      'has lines that end as on an old Mac',
      'a,b\r1,2\r3,4',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    ['has an empty column without a name', 'a,b,\n1,2,\n', [['1', '2']]],
  ])('is read if it %s, in parts of any size', async (_, text, rows) => {
    for (const size of [1, 2, 3, 7, text.length])
      expect(await read(text, { size })).toEqual({ columns: ['a', 'b'], rows });
  });

  test.each([
    ['a quote without an end', 'a,b\n1,2\n"3,4\n5,6\n', /line 3 has a quote without an end/],
    ['a text after a quote', 'a,b\n"Ada,1\n"Bob",2\n', /line 3 has a text after the end of a quote/],
    ['a space before a quote', 'a,b\n1, "x,y"\n', /line 2 has a space before a quote/],
    ['a row of other length', 'a,b\n1,2\n3\n', /line 3 has 1 cells, and the first line has 2/],
    ['two columns of one name', 'a, a\n1,2\n', /two columns a/],
    ['values in a column without a name', 'a,\n1,2\n', /line 2 has a value in a column without a name/],
    ['no column', '\n\n', /names no column/],
    ['more columns than a sheet of Excel', `${'a,'.repeat(16_384)}b\n`, /more than 16384 columns/],
  ])('is refused with its line for %s', async (_, text, message) => {
    for (const size of [1, 5, text.length])
      if (text.length < 100 || size === text.length)
        await expect(read(text, { size })).rejects.toMatchObject({
          code: 'DATA_INVALID',
          message: expect.stringMatching(message),
        });
  });

  test('is refused if its delimiter is not certain, and read with the one that the caller names', async () => {
    const text = 'name;town,zip\n1;2,3\n';
    await expect(read(text)).rejects.toMatchObject({ code: 'DELIMITER_UNKNOWN' });
    expect((await read(text, { delimiter: ';' })).columns).toEqual(['name', 'town,zip']);
    await expect(read(text, { delimiter: '"' })).rejects.toMatchObject({ code: 'DATA_INVALID' });
  });

  test('may have 10,000 columns, and 100,000 rows', async () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `c${at}`).join(',');
    expect((await read(`${names}\n${names}\n`)).rows[0]).toHaveLength(10_000);
    const rows = Array.from({ length: 100_000 }, (_, at) => `"No. ""${at}""",${at}`);
    expect((await read(['a,b', ...rows].join('\r\n'))).rows.at(-1)).toEqual(['No. "99999"', '99999']);
  });
});
