import { expect, it, test } from '@jest/globals';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { around, dataRow, rowsOf } from './rows-of.ts';

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const START = p(run('start {y}'));
const END = p(run('end'));
const PAGE = '<w:r><w:br w:type="page"/></w:r>';
/** A paragraph that rows without `x` lack. */
const optional = (properties = '', content = '') =>
  p(run('{#x}')) + p(run('{x}') + content, properties) + p(run('{/x}'));
const cell = (content: string, properties = '') => `<w:tc>${properties}${content}</w:tc>`;
const row = (content: string, properties = '', cells = '') =>
  `<w:tr>${properties}${cell(content, cells)}</w:tr>`;
const table = (rows: string, properties = '') => `<w:tbl>${properties}${rows}</w:tbl>`;
const plain = (text: string) => row(p(run(text)));
/** A row that rows without `x` lack, among others. */
const rows = (properties = '', cells = '') =>
  plain('{y}') +
  `<w:tr>${properties}${cell(p(run('{#x}{x}')), cells)}${cell(p(run('{/x}')))}</w:tr>` +
  plain('end');

function parts(styles: string, numbering = '') {
  const part = (name: string, content: string) => ({
    name: `word/${name}.xml`,
    data: `<w:${name} xmlns:w="${WORD}">${content}</w:${name}>`,
    type: `application/vnd.openxmlformats-officedocument.wordprocessingml.${name}+xml`,
  });
  return {
    links: ['styles', 'numbering'].map((name) => ({
      id: `rId_${name}`,
      kind: name,
      target: `${name}.xml`,
    })),
    parts: [part('styles', styles), part('numbering', numbering)],
  };
}

const style = (id: string, properties: string, more = '') =>
  `<w:style w:type="paragraph" w:styleId="${id}">${more}<w:pPr>${properties}</w:pPr></w:style>`;
const inList = (id: number) => `<w:numPr><w:ilvl w:val="0"/><w:numId w:val="${id}"/></w:numPr>`;
const definition = (id: number, content = '<w:lvl w:ilvl="0"><w:start w:val="1"/></w:lvl>') =>
  `<w:abstractNum w:abstractNumId="${id}">${content}</w:abstractNum>`;
const list = (id: number, of: number, overrides = '') =>
  `<w:num w:numId="${id}"><w:abstractNumId w:val="${of}"/>${overrides}</w:num>`;
const ANEW = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>';
/** The lists 1 and 2 are one, which starts anew at 2. The list 3 is another one. */
const LISTS = parts(
  style('Base', inList(2)) + style('Item', '', '<w:basedOn w:val="Base"/>'),
  definition(0) + definition(1) + list(1, 0) + list(2, 0, ANEW) + list(3, 1),
);
const BANDED = (quote: string) =>
  `<w:style w:type="table" w:styleId="T"><w:tblStylePr w:type=${quote}band1Horz${quote}/></w:style>`;
const bandedTable = (look: string, content = rows()) =>
  table(content, `<w:tblPr><w:tblStyle w:val="T"/>${look}</w:tblPr>`);
const AUTOMATIC = '<w:spacing w:beforeAutospacing="1"/>';

const merged = rows().replaceAll('<w:tc>', '<w:tc><w:tcPr><w:vMerge></w:vMerge></w:tcPr>');

type Case = readonly [what: string, outcome: string, body: string, more?: ReturnType<typeof parts>];

const CASES: readonly Case[] = [
  ['a paragraph', 'fits', START + optional() + END],
  ['a row', 'fits', START + table(rows()) + END],
  // A header.
  ['a row in a header', 'inline', START + END, around(p('') + table(rows()) + END)],
  ['a paragraph in a footer', 'inline', START + END, around(p(''), p('') + optional() + END)],
  ['a row in a header that all rows have', 'fits', START + optional() + END, around(table(plain('a')) + END)],
  // Lists.
  [
    'the first of a list that starts anew',
    'break',
    START + optional(inList(2)) + p(run('a'), inList(2)) + END,
    LISTS,
  ],
  [
    'the first by its style',
    'break',
    START + optional('<w:pStyle w:val="Item"/>') + p(run('a'), inList(2)) + END,
    LISTS,
  ],
  ['a part of the list before', 'break', START + optional(inList(1)) + p(run('a'), inList(2)) + END, LISTS],
  [
    'a numbered row',
    'break',
    START +
      table(
        rows()
          .replace('<w:p>', `<w:p><w:pPr>${inList(2)}</w:pPr>`)
          .replace(
            '<w:p><w:r><w:t xml:space="preserve">{#x}',
            `<w:p><w:pPr>${inList(2)}</w:pPr><w:r><w:t xml:space="preserve">{#x}`,
          ),
      ) +
      END,
    LISTS,
  ],
  [
    'a whole list that starts anew',
    'fits',
    START + optional(inList(2)) + p(run('a'), inList(1)) + END,
    LISTS,
  ],
  [
    'an item of a list that never starts anew',
    'fits',
    START + optional(inList(3)) + p(run('a'), inList(3)) + END,
    LISTS,
  ],
  [
    'lists of table styles',
    'break',
    START + optional() + END,
    parts(`<w:style w:type="table" w:styleId="T"><w:pPr>${inList(1)}</w:pPr></w:style>`),
  ],
  // Breaks.
  ['what follows a break', 'break', START + p(run('a') + PAGE) + optional() + END],
  ['what follows a table after a break', 'break', START + p(PAGE) + table(plain('a')) + optional() + END],
  ['what begins a table after a break', 'break', START + p(PAGE) + table(row(optional() + END)) + END],
  ['what follows the text after a break', 'fits', START + p(PAGE) + p(run('a')) + optional() + END],
  ['a row of a table after a break', 'fits', START + p(PAGE) + table(rows()) + END],
  ['a break in single quotes', 'break', START + optional('', PAGE.replaceAll('"', "'")) + END],
  [
    'a break with an end tag',
    'break',
    START + optional('', PAGE.replace('/></w:r>', '></w:br></w:r>')) + END,
  ],
  // Space.
  [
    'the paragraph before an automatic space',
    'break',
    table(row(optional() + p(run('{y}'), AUTOMATIC))) + END,
  ],
  [
    'the same by a style',
    'break',
    table(row(optional() + p(run('{y}'), '<w:pStyle w:val="Web"/>'))) + END,
    parts(style('Web', AUTOMATIC)),
  ],
  [
    'the first paragraph of a cell',
    'fits',
    table(row(optional() + p(run('{y}')))) + END,
    parts(style('Web', AUTOMATIC)),
  ],
  // Tables.
  ['a row of bands', 'table', START + bandedTable('') + END, parts(BANDED('"'))],
  ['a row of bands in single quotes', 'table', START + bandedTable('') + END, parts(BANDED("'"))],
  [
    'a row without bands',
    'fits',
    START + bandedTable('<w:tblLook w:noHBand="1"/>') + END,
    parts(BANDED('"')),
  ],
  [
    'a row without bands in single quotes',
    'fits',
    START + bandedTable("<w:tblLook w:noHBand='1'/>") + END,
    parts(BANDED('"')),
  ],
  ['a merged cell', 'table', START + table(merged) + END],
  [
    'a heading',
    'table',
    START + table(rows("<w:trPr><w:tblHeader w:val='true'></w:tblHeader></w:trPr>")) + END,
  ],
  ['no heading', 'fits', START + table(rows("<w:trPr><w:tblHeader w:val='0'/></w:trPr>")) + END],
  [
    'a row of a floating table',
    'inline',
    START + table(rows(), '<w:tblPr><w:tblpPr w:tblpY="1"/></w:tblPr>').replaceAll(/\{[^}]*y\}/g, 'a') + END,
  ],
  ['what is between tables', 'table', START + table(plain('a')) + optional() + table(plain('b')) + END],
  [
    'what is between a table and a control',
    'table',
    START + table(plain('a')) + optional() + sdt({}, table(plain('b'))) + END,
  ],
  [
    'what is between a control and a table',
    'table',
    START + sdt({}, table(plain('a'))) + optional() + table(plain('b')) + END,
  ],
  ['what is before a table in a cell', 'table', table(row(optional() + table(plain('{y}')) + END)) + END],
  [
    'what is beside unknown markup',
    'inline',
    `${START}<w:customXml w:element="a">${table(plain('a'))}</w:customXml>${optional()}${END}`,
  ],
  ['a row beside one in a control', 'table', START + table(rows() + sdt({}, plain('a')) + plain('b')) + END],
];

test.each(CASES)('without %s: %s', async (...[_what, outcome, body, more]) => {
  const template = await rowsOf(templateOf(body, more));
  const data = ['x', ''].map((x) => dataRow({ x, y: 'y' }));
  const shapes = await Promise.all(data.map(async (own) => (await template.placed(own))?.shape ?? []));
  const form = await template.form(data, shapes);
  const [whole, own] = typeof form === 'string' ? [form, form] : form.rows;
  expect([typeof whole, typeof own === 'string' ? own : 'fits']).toEqual(['object', outcome]);
});

it('reads a tag of many spaces once', async () => {
  const template = await rowsOf(templateOf(`${START}<w:p${' '.repeat(200_000)}>${run('a')}</w:p>${END}`));
  const data = dataRow({ y: 'y' });
  const form = await template.form([data], [(await template.placed(data))?.shape ?? []]);
  expect(form).toMatchObject({ rows: [{ texts: ['y'] }] });
});

it('is not made for a row of many copies, even without a value', async () => {
  const template = await rowsOf(templateOf(START + p(run('{#x}')) + p(run('a')) + p(run('{/x}')) + END));
  const data = [700, 2, 1].map((count) => dataRow({ y: 'y', x: Array(count).fill('x') }));
  const shapes = await Promise.all(data.map(async (own) => (await template.placed(own))?.shape ?? []));
  expect(await template.form(data, shapes)).toMatchObject({ rows: ['long', {}, {}] });
  expect(await template.form(data.slice(0, 1), shapes.slice(0, 1))).toBe('long');
});
