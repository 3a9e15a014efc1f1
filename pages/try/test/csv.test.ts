import { describe, expect, test } from '@jest/globals';
import { decodeText, readCsv } from '../src/tabs/csv.ts';

const bytesOf = (text: string, encoding: BufferEncoding = 'utf8') =>
  new Uint8Array(Buffer.from(text, encoding));

describe('a CSV', () => {
  test.each([
    ['has quotes that are doubled', 'a,b\n"say ""hi""",2', [['say "hi"', '2']]],
    ['has quotes in the middle of a value', 'a,b\n5" pipe,"a "odd" b"', [['5" pipe', 'a "odd" b']]],
    ['has line breaks and delimiters in quotes', 'a,b\r\n"x\r\ny","1,5"\r\n', [['x\ny', '1,5']]],
    ['is separated by semicolons', 'a;b\n1,5;"x;y"', [['1,5', 'x;y']]],
    ['is separated by tabs', 'a\tb\n1\t2', [['1', '2']]],
    [
      'has empty lines and an empty last value',
      'a,b\n\n1,\n,\n2,3',
      [
        ['1', ''],
        ['2', '3'],
      ],
    ],
    ['ends with a delimiter', 'a,b\n1,', [['1', '']]],
    ['has a quote that never ends', 'a,b\n"1,2\n3,4', [['1,2\n3,4']]],
  ])('is read if it %s', (_, text, rows) => {
    expect(readCsv(text)).toEqual({ columns: ['a', 'b'], rows });
  });

  test('gives columns without a name a number', () => {
    expect(readCsv('a,,c\n1,2,3').columns).toEqual(['a', 'Column 2', 'c']);
  });

  test('has 10,000 rows', () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => `"No. ""${at}""",${at}`);
    expect(readCsv(['a,b', ...rows].join('\r\n')).rows.at(-1)).toEqual(['No. "9999"', '9999']);
  });
});

test.each([
  ['UTF-8', bytesOf('Müller ✓'), 'Müller ✓', 'utf-8'],
  ['UTF-8 with a mark', bytesOf('\ufeffMüller'), 'Müller', 'utf-8'],
  ['UTF-16', bytesOf('\ufeffMüller', 'utf16le'), 'Müller', 'utf-16le'],
  ['Windows-1252', bytesOf('Müller', 'latin1'), 'Müller', 'windows-1252'],
])('a text in %s is detected', (_, bytes, text, encoding) => {
  expect(decodeText(bytes)).toEqual({ text, encoding });
});

test('a text can be read in an encoding that was chosen', () => {
  expect(decodeText(bytesOf('\u00cc\u00fc', 'latin1'), 'windows-1251').text).toBe('Мь');
});
