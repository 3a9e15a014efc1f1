import { describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { png } from '@scriptorium/testing/fixtures/not-docx';
import { BOMB_MS_MAX, prepare, refusal } from './sanitizer-under-test.ts';

const HEAD = '{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0 Arial;}}';
const PNG = png().toString('hex');

async function rewritten(body: string): Promise<string> {
  const { bytes, engineSource } = await prepare('rtf', Buffer.from(`${HEAD}${body}}`, 'latin1'));
  expect(engineSource).toBe('rtf');
  return bytes.toString('latin1');
}

async function droppedOf(body: string) {
  return (await prepare('rtf', Buffer.from(`${HEAD}${body}}`, 'latin1'))).dropped.map(({ what, detail }) =>
    detail === undefined ? [what] : [what, detail],
  );
}

describe('an RTF document', () => {
  test('keeps its text, formatting, escapes, tables, pictures, links and fields', async () => {
    const body =
      "\\pard\\plain {\\b bold} Gr\\'fc\\'dfe \\u8364 ? \\{braces\\} \\\\ \\~ a\\-b\\_c\\par\r\n" +
      '\\trowd\\cellx100\\cellx200 a\\cell b\\cell\\row' +
      `{\\*\\shppict{\\pict\\pngblip\\picw1\\pich1 ${PNG}}}` +
      '{\\field{\\*\\fldinst HYPERLINK "https://example.org/"}{\\fldrslt link}}' +
      '{\\field{\\*\\fldinst {\\b PAGE \\\\* MERGEFORMAT}}{\\fldrslt 1}}' +
      '{\\*\\bkmkstart x}{\\*\\bkmkend x}{\\footnote note}{\\*\\unknown data}';
    const kept = await rewritten(body);
    for (const piece of [
      '{\\b bold}',
      "Gr\\'fc\\'dfe \\u8364 ? \\{braces\\} \\\\ \\~ a\\-b\\_c",
      'a\\cell b\\cell \\row',
      'HYPERLINK "https://example.org/"}{\\fldrslt link}',
      'PAGE \\\\* MERGEFORMAT}}{\\fldrslt 1}',
      '{\\*\\bkmkstart x}',
      '{\\footnote note}',
    ])
      expect(kept).toContain(piece);
    expect(kept.replaceAll('\n', '')).toContain(PNG);
    expect(await droppedOf(body)).toEqual([]);
  });

  test('keeps a binary picture as hexadecimal digits', async () => {
    const bytes = png().toString('latin1');
    const kept = await rewritten(`{\\pict\\pngblip\\bin${bytes.length} ${bytes}}after`);
    expect(kept.replaceAll('\n', '')).toContain(`${PNG}}after`);
    expect(kept).not.toContain('\\bin');
  });

  test('keeps the parts of a form field', async () => {
    const body =
      '{\\field{\\*\\fldinst { FORMTEXT {\\*\\formfield{\\fftype0{\\*\\ffname n}}}}}{\\fldrslt typed}}';
    const kept = await rewritten(body);
    expect(kept).toMatch(/FORMTEXT \{\\\*\\formfield .*\\ffname n/);
    expect(kept).toContain('{\\fldrslt typed}');
  });

  test('loses content after its end', async () => {
    const { bytes } = await prepare('rtf', `${HEAD}text}{\\object evil}\0\0`);
    expect(bytes.toString()).toMatch(/text\}$/);
  });
});

describe('the RTF sanitizer removes', () => {
  test.each([
    [
      'an object',
      '{\\object\\objemb{\\*\\objclass Evil}{\\*\\objdata 0105evil}{\\result shown}}',
      ['OLE object'],
    ],
    [
      'a linked object',
      '{\\object\\objautlink\\objupdate{\\*\\objdata evil}{\\result shown}}',
      ['OLE object'],
    ],
    ['object data in any group', 'shown{\\b\\objdata evil}', undefined],
    ...[
      'INCLUDEPICTURE',
      'INCLUDETEXT',
      'LINK',
      'DDE',
      'DDEAUTO',
      'IMPORT',
      'DATABASE',
      'MACROBUTTON',
      'RD',
    ].map((name): [string, string, string[]] => [
      `a field ${name}`,
      `{\\field{\\*\\fldinst ${name} "http://evil/"}{\\fldrslt shown}}`,
      ['field', `${name} "http://evil/"`],
    ]),
    [
      'a field in several pieces',
      '{\\field{\\*\\fldinst {\\b INCL}{\\i UDE}PICTURE "http://evil/"}{\\fldrslt shown}}',
      ['field', 'INCLUDEPICTURE "http://evil/"'],
    ],
    [
      'a field with escapes',
      '{\\field{\\*\\fldinst \\\'49NCLUDE\\u80 XICTURE "http://evil/"}{\\fldrslt shown}}',
      ['field', 'INCLUDEPICTURE "http://evil/"'],
    ],
    [
      'a field composed by another field',
      '{\\field{\\*\\fldinst {\\field{\\*\\fldinst QUOTE }{\\fldrslt INCLUDE}}PICTURE "http://evil/"}{\\fldrslt shown}}',
      ['field', expect.stringContaining('INCLUDE')],
    ],
    [
      'a field with its instruction after its result',
      '{\\field{\\fldrslt shown}{\\*\\fldinst INCLUDEPICTURE "http://evil/"}}',
      ['field', 'INCLUDEPICTURE "http://evil/"'],
    ],
    [
      'a unsafe link',
      '{\\field{\\*\\fldinst HYPERLINK "vnd.sun.star.script:evil"}{\\fldrslt shown}}',
      ['unsafe link', 'HYPERLINK "vnd.sun.star.script:evil"'],
    ],
    ['a template', 'shown{\\*\\template http://evil/}', ['remote template', 'template']],
    ['additional files', 'shown{\\*\\filetbl{\\file evil}}', ['external link', 'filetbl']],
    ['a next file', 'shown{\\*\\nextfile evil}', ['external link', 'nextfile']],
    ['data of other programs', 'shown{\\*\\datastore 0102evil}', undefined],
    ['a mail merge', 'shown{\\*\\mailmerge{\\mmconnectstr evil}}', ['data source', 'mailmerge']],
    [
      'an embedded font',
      'shown{\\fonttbl{\\f1{\\*\\fontemb\\ftruetype evil}A;}}',
      ['embedded font', 'fontemb'],
    ],
    [
      'a shape’s linked picture',
      'shown{\\shp{\\sp{\\sn pibName}{\\sv http://evil/}}}',
      ['external link', 'pibName: http://evil/'],
    ],
    [
      'a shape’s picture with an escaped name',
      "shown{\\shp{\\sp{\\sn \\uc0\\u112 ib\\'4eame}{\\sv http://evil/}}}",
      ['external link', 'pibName: http://evil/'],
    ],
    [
      'a shape’s script',
      'shown{\\shp{\\sp{\\sn pihlShape}{\\sv vnd.sun.star.script:evil}}}',
      ['unsafe link', 'vnd.sun.star.script:evil'],
    ],
    [
      'an SVG picture',
      `shown{\\pict\\pngblip ${Buffer.from('<svg>evil</svg>').toString('hex')}}`,
      ['SVG image'],
    ],
    [
      'a picture in an unknown format',
      `shown{\\pict\\macpict ${Buffer.from('evil').toString('hex')}}`,
      ['image'],
    ],
    ['a binary SVG picture', 'shown{\\pict\\pngblip\\bin15 <svg>evil</svg>}', ['SVG image']],
  ])('%s', async (_name, body, dropped) => {
    const kept = await rewritten(`first ${body} last`);
    expect(kept).not.toMatch(/evil|6576696c/);
    expect(kept).toMatch(/first .*shown.* last/s);
    expect(await droppedOf(body)).toEqual(dropped === undefined ? [] : [dropped]);
  });

  test('binary data, without interpreting braces and words in it', async () => {
    const kept = await rewritten('a{\\b\\bin10 {\\object }b}c');
    expect(kept).toMatch(/a\{\\b b\}c\}$/);
  });

  test.each([
    ['a word of more than 32 letters', `\\${'a'.repeat(33)} text`],
    ['a number beyond 32 bits', '\\b99999999999999999999 text'],
    ['control bytes', 'te\0\x01\x02xt'],
    ['an incomplete escape', "text\\'g"],
  ])('%s', async (_name, body) => {
    const kept = await rewritten(body);
    expect(kept).toContain('text');
    expect(kept).not.toMatch(/aaaa|9999|\\'/);
    expect(kept).not.toContain('\0');
  });
});

describe('an RTF document is rejected', () => {
  test.each([
    ['if it is truncated', `${HEAD}{\\b text`, 'truncated'],
    ['if it is truncated in binary data', `${HEAD}{\\pict\\bin1000 abc`, 'truncated'],
  ])('%s', async (_name, document, part) => {
    const { code, message } = await refusal('rtf', document);
    expect(code).toBe('INVALID_FILE_FORMAT');
    expect(message).toContain(part);
  });

  test.each([
    ['nested groups', '{'.repeat(1_000_000), 'levels of nested groups'],
    ['nested fields', '{\\field{\\*\\fldinst '.repeat(100_000), 'levels of nested groups'],
    ['groups', '{}'.repeat(2_000_001), 'XML elements'],
    ['cells', '\\cell'.repeat(100_001), 'table cells'],
    ['nested tables', '\\itap21 x', 'levels of nested tables'],
  ])('for too many %s', async (_name, body, bound) => {
    const startedAt = process.cpuUsage();
    const { code, message } = await refusal('rtf', `${HEAD}${body}}`);
    expect(code).toBe('DOCUMENT_TOO_COMPLEX');
    expect(message).toContain(bound);
    expect(cpuMsSince(startedAt)).toBeLessThan(BOMB_MS_MAX);
  });

  test('for a picture with too many pixels', async () => {
    const bytes = Buffer.from(png());
    bytes.writeUInt32BE(60_000, 16);
    bytes.writeUInt32BE(60_000, 20);
    const { message } = await refusal('rtf', `${HEAD}{\\pict\\pngblip ${bytes.toString('hex')}}}`);
    expect(message).toBe('The document has more than 50,000,000 pixels in one image.');
  });
});

describe('a field of an RTF document', () => {
  const field = (code: string, result: string) =>
    `{\\field{\\*\\fldinst {${code}}}{\\fldrslt {\\b ${result}}}}`;
  const frozenBy = async (body: string, updateFields: 'none' | 'all') => {
    const { bytes, facts } = await prepare('rtf', Buffer.from(`${HEAD}${body}}`, 'latin1'), { updateFields });
    return { rtf: bytes.toString('latin1'), frozen: facts?.frozenFields };
  };

  test.each(['DATE \\\\@ "d. MMMM yyyy"', 'TIME', 'SAVEDATE', 'FILENAME \\\\p', 'USERNAME'])(
    'keeps its text without an update: %s',
    async (code) => {
      const { rtf, frozen } = await frozenBy(field(code, 'stored'), 'none');
      expect(rtf).toContain('{\\b stored}');
      expect(rtf).not.toMatch(/fldinst|fldrslt|\\field/);
      expect(frozen).toEqual({ [code.split(' ')[0] ?? '']: 1 });
    },
  );

  test('stays a field if the engine updates it right', async () => {
    const { rtf, frozen } = await frozenBy(
      field('PAGE', '1') + field('DATE', 'today') + field('SAVEDATE', 'once'),
      'all',
    );
    expect(rtf).toMatch(/PAGE.*DATE/);
    expect(rtf).not.toContain('SAVEDATE');
    expect(frozen).toEqual({ SAVEDATE: 1 });
  });

  test.each([
    ['MACROBUTTON Run Click {\\b here}', '{Click here}'],
    ["GOTOBUTTON place Gr\\'fc\\u223 ?e \\u8364 ?", "{Gr\\'fc\\'dfe \\uc1\\u8364 ?}"],
  ])('shows the text of a button: %s', async (code, shown) => {
    const { bytes, dropped } = await prepare(
      'rtf',
      Buffer.from(`${HEAD}{\\field{\\*\\fldinst ${code}}{\\fldrslt other}}}`, 'latin1'),
    );
    const rtf = bytes.toString('latin1');
    expect(rtf).toContain(shown);
    expect(rtf).not.toMatch(/BUTTON|other/);
    expect(dropped).toMatchObject([{ what: 'field', leavesGap: false }]);
  });
});
