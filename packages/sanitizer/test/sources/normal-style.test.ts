import { expect, test } from '@jest/globals';
import { textCell, workbookWith } from '@scriptorium/testing/fixtures/workbook';
import { partsOf, prepare } from './sanitizer-under-test.ts';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const FORMATS =
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>';
const CELLS = '<cellXfs count="1"><xf fontId="0" xfId="0"/></cellXfs>';
const NORMAL = '<cellStyle name="Normal" xfId="0" builtinId="0"/>';
const NAMED = `<cellStyles count="1">${NORMAL}</cellStyles>`;
const OTHER = '<cellStyle name="Price" xfId="0" builtinId="4"/>';
const DEFAULT = (content: string) => `<styleSheet xmlns="${MAIN}">${content}</styleSheet>`;

async function stylesOf(data: string): Promise<string | undefined> {
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml';
  const workbook = workbookWith({
    sheets: [{ rows: `<row r="1">${textCell('A1', 'text')}</row>` }],
    links: [{ id: 'rIdS', kind: 'styles', target: 'styles.xml' }],
    parts: [{ name: 'xl/styles.xml', type, data }],
  });
  return (await partsOf((await prepare('xlsx', workbook)).bytes))['xl/styles.xml'];
}

test.each([
  ['no named style', FORMATS + CELLS, FORMATS + CELLS + NAMED],
  ['no formats of styles either', CELLS, FORMATS + CELLS + NAMED],
  ['an empty list', `${FORMATS}${CELLS}<cellStyles count="0"/><dxfs/>`, `${FORMATS}${CELLS}${NAMED}<dxfs/>`],
  [
    'another style',
    `${FORMATS}${CELLS}<cellStyles>${OTHER}</cellStyles>`,
    `${FORMATS}${CELLS}<cellStyles>${NORMAL}${OTHER}</cellStyles>`,
  ],
  [
    'the style without its number',
    `${FORMATS}${CELLS}<cellStyles><cellStyle name="Normal" xfId="0"/></cellStyles>`,
    FORMATS + CELLS + NAMED.replace(' count="1"', ''),
  ],
  [
    'the style in another language',
    FORMATS + CELLS + NAMED.replace('Normal', 'Standard'),
    FORMATS + CELLS + NAMED.replace('Normal', 'Standard'),
  ],
])(
  'a workbook with %s has the style Normal, whose font Excel takes for cells',
  async (_name, before, after) => {
    expect(await stylesOf(DEFAULT(before))).toBe(DEFAULT(after));
  },
);

test('the style has the prefix of its part', async () => {
  const prefixed = (content: string) =>
    DEFAULT(content)
      .replace(/<(?=\w)/g, '<s:')
      .replace(/<\//g, '</s:')
      .replace('xmlns=', 'xmlns:s=');
  expect(await stylesOf(prefixed(CELLS))).toBe(prefixed(FORMATS + CELLS + NAMED));
});
