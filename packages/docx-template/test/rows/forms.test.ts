import { describe, expect, it, test } from '@jest/globals';
import type { Json } from '@scriptorium/expressions/expression';
import { bare, p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { around, dataRow, fieldsRow, placeText, rowsOf } from './rows-of.ts';

const MARK = run('{name}');
const simpleField = (code: string) => p(`<w:fldSimple w:instr="${code}">${run('1')}</w:fldSimple>`);
const complexField = (code: string, result: string) =>
  `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${code}</w:instrText></w:r>` +
  `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${result}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
const drawing = (attributes: string) =>
  `<w:r><w:drawing><wp:inline><wp:extent cx="1" cy="1"/><wp:docPr id="1" name="x" ${attributes}/>` +
  '<a:graphic><a:graphicData uri="x"/></a:graphic></wp:inline></w:drawing></w:r>';

/** Templates by what is in them. In each, the text of a value has another effect than to be shown, or may have. */
const UNSAFE: readonly (readonly [string, string])[] = [
  ['a loop', p(run('{#items}{name}{/items}'))],
  ['a condition', p(run('{#if}x{/if}{name}'))],
  ['a control paragraph', p(run('{#x}')) + p(MARK) + p(run('{/x}'))],
  ['a picture mark', p(run('{%logo}'))],
  ['a markup mark', p(run('{~html}'))],
  ['an alternative text', p(MARK + drawing('descr="{name}"'))],
  ['a field code with a mark', p(MARK + complexField(' IF {name} = 1 "a" "b" ', run('a')))],
  ['a mark in the result of a field', p(complexField(' HYPERLINK "http://a.b" ', MARK))],
  ['a field that repeats text', p(MARK) + simpleField('REF name')],
  ['a field that counts words', p(MARK) + simpleField('NUMWORDS')],
  ['a field that finds a heading', p(MARK) + p(complexField(' STYLEREF 1 ', run('x')))],
  ['a field without an end', p(MARK) + p('<w:r><w:fldChar w:fldCharType="begin"/></w:r>')],
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
  ['a comment', p(`${MARK}<w:r><w:commentReference w:id="1"/></w:r>`)],
  ['a control with choices', p(sdt({ tag: 'x', properties: '<w:comboBox/>' }, MARK))],
  ['a control in a run', p(`<w:r>${sdt({ tag: 'x' }, '<w:t>{name}</w:t>')}</w:r>`)],
  ['the text of a place', p(MARK + run(placeText(0)))],
  ['the text of a place as a reference', p(MARK + bare('&#xF5C0;0&#xF5C1;'))],
  ['the text of a place as a decimal reference', p(MARK + bare('&#62912;'))],
  ['no mark', p(run('x'))],
];

describe('a form', () => {
  test.each(UNSAFE)('is not made of a template with %s', async (_, body) => {
    const rows = await rowsOf(templateOf(body));
    expect((await rows.document(dataRow({ name: 'x' }))).bytes.length).toBeGreaterThan(0);
    expect(await rows.texts(dataRow({ name: 'x' }))).toBeUndefined();
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
      expect(await rows.texts(dataRow({ name: 'x' }))).toBeUndefined();
      expect(await rows.texts(fieldsRow([{ id: 'name', type: 'text', value: 'x' }]))).toBeUndefined();
    },
  );

  it('is not made of a template with a mark in a footnote', async () => {
    const notes = {
      links: [{ id: 'rIdNotes', kind: 'footnotes', target: 'footnotes.xml' }],
      parts: [
        {
          name: 'word/footnotes.xml',
          data: `<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:footnote w:id="1">${p(MARK)}</w:footnote></w:footnotes>`,
          type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml',
        },
      ],
    };
    const rows = await rowsOf(templateOf(p(MARK), notes));
    expect(await rows.texts(dataRow({ name: 'x' }))).toBeUndefined();
  });

  it('is made of a template with page numbers and the like', async () => {
    const page = simpleField(' PAGE \\* MERGEFORMAT ') + p(complexField(' NUMPAGES ', run('1')));
    const rows = await rowsOf(templateOf(p(MARK), around(p(MARK), page)));
    expect((await rows.texts(dataRow({ name: 'x' })))?.texts).toEqual(['x', 'x']);
  });

  it('is not made again for the next row', async () => {
    const rows = await rowsOf(templateOf(p(MARK)));
    const [one, two] = [await rows.texts(dataRow({ name: 'x' })), await rows.texts(dataRow({ name: 'y' }))];
    expect(one?.form.bytes.length).toBeGreaterThan(0);
    expect(two?.form.bytes).toBe(one?.form.bytes);
  });
});

describe('a value', () => {
  const rows = rowsOf(templateOf(p(MARK)));
  const isText = async (name: string) => (await (await rows).texts(dataRow({ name }))) !== undefined;

  it('needs a document of its own if it has a character without a shape of its own', async () => {
    const ranges = [
      [0, 0x1f],
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
      ' ',
      ' a  b ',
      'Zoë',
      'naïve – “x”',
      '1 234,50 €',
      '日本語',
      '한국어',
      '😀',
      'é',
    ])
      expect([text, await isText(text)]).toEqual([text, true]);
  });

  it('needs a document of its own if it is empty, long, a list or an object', async () => {
    for (const text of ['', 'x'.repeat(10_001)]) expect(await isText(text)).toBe(false);
    const values: Json[] = [['a'], { $html: '<b>x</b>' }, {}];
    for (const name of values) expect(await (await rows).texts(dataRow({ name }))).toBeUndefined();
  });
});
