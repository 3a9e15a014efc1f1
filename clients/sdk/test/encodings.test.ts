import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { encodingOf, openTable, readJsonLines, textOf } from '../src/tables.ts';

/** A name of each script, and the encodings that have it, as iconv of the C library names them. */
const NAMES: readonly [name: string, encodings: string][] = [
  [
    'Jürgen Müller',
    'UTF-8 UTF-16LE UTF-16BE UTF-32LE UTF-32BE ISO-8859-1 ISO-8859-4 ISO-8859-9 ISO-8859-10 ISO-8859-14 ISO-8859-15 WINDOWS-1252 WINDOWS-1254 WINDOWS-1257 WINDOWS-1258 CP437 CP850 CP852 MACINTOSH IBM1047',
  ],
  ['Łukasz Wałęsa', 'ISO-8859-2 ISO-8859-13 ISO-8859-16 WINDOWS-1250'],
  ['Ċensa Ħal', 'ISO-8859-3'],
  ['Ольга Іванова', 'ISO-8859-5 WINDOWS-1251 KOI8-U MAC-CYRILLIC UTF-16LE'],
  ['Ольга Петрова', 'KOI8-R CP866'],
  ['Ελένη Παππά', 'ISO-8859-7 WINDOWS-1253'],
  ['דוד לוי', 'ISO-8859-8 WINDOWS-1255'],
  ['مريم حسن', 'ISO-8859-6 WINDOWS-1256'],
  ['สมชาย ใจดี', 'TIS-620 WINDOWS-874'],
  ['山田太郎', 'SHIFT_JIS EUC-JP ISO-2022-JP'],
  ['김민준', 'EUC-KR'],
  ['王小明', 'GBK GB18030 BIG5 UTF-16BE'],
];
const CASES = NAMES.flatMap(([name, list]) =>
  list
    .split(' ')
    .flatMap((encoding) => ['csv', 'tsv', 'ndjson'].map((format) => ({ name, encoding, format }))),
);

/** As `TextDecoder` names it, if it has it. */
const LABELS: Record<string, string> = {
  'MAC-CYRILLIC': 'x-mac-cyrillic',
  CP866: 'ibm866',
  'TIS-620': 'windows-874',
};
const WITHOUT = /^(UTF-32|CP437|CP850|CP852|IBM1047)/;

const textFor = (name: string, format: string): string =>
  format === 'ndjson'
    ? `${JSON.stringify({ no: '1', name })}\n`
    : ['no', 'name\r\n1', `${name}\r\n`].join(format === 'csv' ? ';' : '\t');

const encoded = new Map<string, Buffer>();

function bytesIn(text: string, encoding: string): Buffer {
  const key = `${encoding} ${text}`;
  const bytes = encoded.get(key) ?? execFileSync('iconv', ['-f', 'UTF-8', '-t', encoding], { input: text });
  encoded.set(key, bytes);
  return bytes;
}

/** The name that a reader of tables finds, or the code of its refusal. */
async function nameIn(bytes: Uint8Array, format: string, given?: string) {
  const isJson = format === 'ndjson';
  const source = {
    name: 'rows',
    open: async function* () {
      yield bytes;
    },
    isJson,
  };
  try {
    const { encoding, isGuess } = await encodingOf(source, given);
    const text = textOf(source, encoding);
    if (isJson)
      for await (const { value } of readJsonLines(text, 'rows'))
        return { name: (value as { name: string }).name, isGuess };
    const { columns, rows } = await openTable(text, 'rows');
    expect(columns).toEqual(['no', 'name']);
    for await (const { value } of rows) return { name: value[1], isGuess };
    return { code: 'nothing' };
  } catch (error) {
    return { code: (error as { code: string }).code };
  }
}

describe('a table in 45 encodings and three formats', () => {
  test('is read right, refused, or read with a word that the encoding is a guess', async () => {
    const counts = { right: 0, refused: 0, guessed: 0 };
    for (const { name, encoding, format } of CASES) {
      const found = await nameIn(bytesIn(textFor(name, format), encoding), format);
      if ('code' in found) {
        expect(found.code).toMatch(/^(DATA_INVALID|ENCODING_UNKNOWN)$/);
        counts.refused++;
      } else if (found.isGuess && found.name !== name) counts.guessed++;
      else {
        expect({ encoding, format, name: found.name }).toEqual({ encoding, format, name });
        counts.right++;
      }
    }
    expect(counts).toEqual({ right: 35, refused: 105, guessed: 4 });
  });

  test('is read right in the encoding that the caller names, or that is refused', async () => {
    for (const { name, encoding, format } of CASES) {
      const label = LABELS[encoding] ?? encoding;
      const found = await nameIn(bytesIn(textFor(name, format), encoding), format, label);
      const isUnknown = WITHOUT.test(encoding);
      expect({ encoding, found }).toEqual({
        encoding,
        found: isUnknown ? { code: 'ENCODING_UNKNOWN' } : { name, isGuess: false },
      });
    }
  });

  test('is never read with U+FFFD or control characters, whatever encoding the caller names', async () => {
    const all = Buffer.from(Array.from({ length: 128 }, (_, at) => at + 128));
    for (const encoding of [
      'windows-1250',
      'windows-1252',
      'windows-1253',
      'windows-1257',
      'iso-8859-3',
      'utf-8',
    ])
      for (const byte of all) {
        const bytes = Buffer.concat([Buffer.from('no;name\n1;x'), Buffer.from([byte]), Buffer.from('x\n')]);
        const found = await nameIn(bytes, 'csv', encoding);
        if (!('code' in found)) expect(found.name).not.toMatch(/\ufffd|\p{Cc}/u);
      }
    expect(await nameIn(Buffer.from('no;name\n1;M\ufffdller\n'), 'csv')).toEqual({ code: 'DATA_INVALID' });
  });
});
