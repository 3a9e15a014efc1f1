import { describe, expect, it, test } from '@jest/globals';
import type { Json } from '@scriptorium/expressions/expression';
import { bare, p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { around, dataRow, fieldsRow, formOf, placeText, rowsOf } from './rows-of.ts';

const MARK = run('{name}');
const simpleField = (code: string) => p(`<w:fldSimple w:instr="${code}">${run('1')}</w:fldSimple>`);
const complexField = (code: string, result: string) =>
  `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${code}</w:instrText></w:r>` +
  `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${result}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;

const tableOf = (rowProperties: string, content: string, properties = '') =>
  `<w:tbl><w:tblPr>${properties}</w:tblPr><w:tr><w:trPr>${rowProperties}</w:trPr><w:tc>${content}</w:tc></w:tr></w:tbl>${p('')}`;
const FLOATING = '<w:tblpPr w:vertAnchor="text" w:tblpY="1"/>';

/** Templates by what is in them. In each, the text of a value has another effect than to be shown, or may have. */
const UNSAFE: readonly (readonly [string, string])[] = [
  ['a mark in the result of a field', p(complexField(' HYPERLINK "http://a.b" ', MARK))],
  ['a field that repeats text', p(MARK) + simpleField('REF name')],
  ['a field that counts words', p(MARK) + simpleField('NUMWORDS')],
  ['a field that finds a heading', p(MARK) + p(complexField(' STYLEREF 1 ', run('x')))],
  ['a comment', p(`${MARK}<w:r><w:commentReference w:id="1"/></w:r>`)],
  ['the text of a place', p(MARK + run(placeText(0)))],
  ['the text of a place as a reference', p(MARK + bare('&#xF5C0;0&#xF5C1;'))],
  ['the text of a place as a decimal reference', p(MARK + bare('&#62912;'))],
  ['no mark', p(run('x'))],
  ['a mark in a repeated heading row', tableOf('<w:tblHeader/>', p(MARK))],
  ['a mark in a heading row that is on', tableOf('<w:cantSplit/><w:tblHeader w:val="true"/>', p(MARK))],
  ['a mark in a table in a heading row', tableOf('<w:tblHeader/>', tableOf('', p(MARK)))],
  ['a mark in a heading row in a table', tableOf('', tableOf('<w:tblHeader/>', p(MARK)))],
  ['a mark in a floating table', tableOf('', p(MARK), FLOATING)],
  ['a mark in a table in a floating one', tableOf('', tableOf('', p(MARK)), FLOATING)],
];

describe('a form', () => {
  test.each(UNSAFE)('is not made of a template with %s', async (_, body) => {
    const rows = await rowsOf(templateOf(body));
    expect((await rows.document(dataRow({ name: 'x' }))).bytes.length).toBeGreaterThan(0);
    expect(await formOf(rows, dataRow({ name: 'x' }))).toBeUndefined();
  });

  test.each(['trackRevisions', 'documentProtection w:edit="forms"'])(
    'is not made of a template with the setting %s',
    async (setting) => {
      const settings = {
        links: [{ id: 'rIdSettings', kind: 'settings', target: 'settings.xml' }],
        parts: [
          {
            name: 'word/settings.xml',
            data: `<w:settings xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:${setting}/></w:settings>`,
            type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.settings+xml',
          },
        ],
      };
      const rows = await rowsOf(templateOf(p(MARK), settings));
      expect(await formOf(rows, dataRow({ name: 'x' }))).toBeUndefined();
      expect(await formOf(rows, fieldsRow([{ id: 'name', type: 'text', value: 'x' }]))).toBeUndefined();
    },
  );

  it('is made of a template with page numbers and the like', async () => {
    const page = simpleField(' PAGE \\* MERGEFORMAT ') + p(complexField(' NUMPAGES ', run('1')));
    const rows = await rowsOf(templateOf(p(MARK), around(p(MARK), page)));
    expect((await formOf(rows, dataRow({ name: 'x' })))?.texts).toEqual(['x', 'x']);
  });

  it.each([
    ['a row that is no heading row', tableOf('<w:tblHeader w:val="0"/>', p(MARK))],
    ['a row below a heading row', tableOf('<w:tblHeader/>', p(run('x'))) + tableOf('', p(MARK))],
    ['rows that must not split', tableOf('<w:cantSplit/>', p(MARK))],
  ])('is made of a template with a mark in %s', async (_, body) => {
    const rows = await rowsOf(templateOf(body));
    expect((await formOf(rows, dataRow({ name: 'x' })))?.texts).toEqual(['x']);
  });

  it('is not made for fields in a repeated heading row', async () => {
    const rows = await rowsOf(templateOf(tableOf('<w:tblHeader/>', p(MARK))));
    expect(await formOf(rows, fieldsRow([{ id: 'name', type: 'text', value: 'x' }]))).toBeUndefined();
  });
});

test.each(["w:name='_blocks0b'", 'w:name="_rows&#48;a"', 'w:name="_table12"', 'w:name = "_TableTotals"'])(
  'a template has no form if a bookmark may be taken for the mark of a piece: %s',
  async (name) => {
    const bookmark = (attribute: string) =>
      `<w:bookmarkStart w:id="1" ${attribute}/>${MARK}<w:bookmarkEnd w:id="1"/>`;
    const formOfNamed = async (attribute: string) =>
      await formOf(await rowsOf(templateOf(p(bookmark(attribute)))), dataRow({ name: 'x' }));
    expect(await formOfNamed(name)).toBeUndefined();
    expect(await formOfNamed('w:name="table12"')).toBeDefined();
  },
);

/** Templates in which a text stays in the form: an engine may show it in another way when it gets it later. */
const KEPT: readonly (readonly [string, string])[] = [
  ['a tracked insertion', p(`<w:ins w:id="1" w:author="A">${MARK}</w:ins>`)],
  ['a hyperlink', p(`<w:hyperlink w:anchor="x">${MARK}</w:hyperlink>`)],
  [
    'a text box',
    p(
      `<w:r><w:pict><v:shape><v:textbox><w:txbxContent>${p(MARK)}</w:txbxContent></v:textbox></v:shape></w:pict></w:r>`,
    ),
  ],
  ['fitted text', p(run('{name}', '<w:fitText w:val="100"/>'))],
  ['text from right to left', p(run('{name}', '<w:rtl/>'))],
  ['a changed format', p(run('{name}', '<w:b/><w:rPrChange w:id="1" w:author="A"><w:rPr/></w:rPrChange>'))],
  ['a frame', p(MARK, '<w:framePr w:dropCap="drop" w:lines="2"/>')],
  ['a control with choices', p(sdt({ tag: 'x', properties: '<w:comboBox/>' }, MARK))],
];

describe('a text that is not alone on its page', () => {
  test.each(KEPT)('stays in the form: %s', async (_, body) => {
    const rows = await rowsOf(templateOf(p(run('{other}')) + body));
    const both = ['Ada', 'Grace'].map((name) => dataRow({ name, other: 'x' }));
    const shapes = await Promise.all(both.map(async (row) => (await rows.placed(row))?.shape ?? []));
    expect(await rows.form(both, shapes)).toMatchObject({ rows: [{ texts: ['x'] }, 'inline'] });
  });
});

describe('a value', () => {
  const rows = rowsOf(templateOf(p(MARK)));
  const isText = async (name: string) => (await (await rows).placed(dataRow({ name }))) !== undefined;

  it('needs a document of its own if it has a character without a shape of its own', async () => {
    const ranges = [
      [0, 0x09],
      [0x0c, 0x0c],
      [0x0e, 0x1f],
      [0x7f, 0x9f],
      [0xad, 0xad],
      [0x590, 0x8ff],
      [0x200b, 0x200f],
      [0x2028, 0x202e],
      [0x2060, 0x206f],
      [0xd800, 0xdfff],
      [0xe000, 0xf8ff],
      [0xfeff, 0xfeff],
      [0xfff9, 0xffff],
      [0xf0000, 0xf00ff],
    ] as const;
    for (const [from, to] of ranges)
      for (let code = from; code <= to; code++)
        if (await isText(`a${String.fromCodePoint(code)}b`))
          throw new Error(`U+${code.toString(16)} is a text`);
  });

  it('is a text if it has letters, digits, signs and spaces only', async () => {
    for (const text of [
      'a',
      ' a  b ',
      'Zoë',
      'naïve – “x”',
      '1 234,50 €',
      '日本語',
      '한국어',
      '😀',
      'é',
      'two\nlines',
    ])
      expect([text, await isText(text)]).toEqual([text, true]);
  });

  it('needs a document of its own if it is long, a list or an object', async () => {
    expect(await isText('x'.repeat(10_001))).toBe(false);
    const values: Json[] = [['a'], { $html: '<b>x</b>' }, {}];
    for (const name of values) expect(await (await rows).placed(dataRow({ name }))).toBeUndefined();
  });
});
