import { describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { templateOf } from '@scriptorium/testing/fixtures/templates/template';
import {
  cell,
  control,
  headerRow,
  paragraph,
  row,
  run,
  table,
} from '@scriptorium/testing/fixtures/templates/word';
import { randomNumbers } from '@scriptorium/testing/random';
import { fill } from './filling.ts';
import { fillTable, TWO, tableValue } from './table-filling.ts';

const around = (rows: string[]) =>
  templateOf({ body: control({ tag: 'items' }, table(3, rows)) + paragraph('Below') });
const total = (text: string) => row([cell('Total', '<w:gridSpan w:val="2"/>'), text]);
const HEADER = ['Item', 'Count', 'Price'];
const [APPLE, PEAR] = [
  ['Apple', '1', '2.00'],
  ['Pear', '4', '6.00'],
];
const DATA = [
  ['Nut', '7', '1'],
  ['Fig', '9', '2'],
];

const RANDOM_TABLES = 150;

/** A random table, and what a value with one row leaves of it. */
function randomTable(seed: number) {
  const random = randomNumbers(seed);
  const isFlagged = random(2) === 0;
  const header = isFlagged
    ? Array.from({ length: 1 + random(2) }, (_, at) => [`H${at}`, 'b', 'c'])
    : [HEADER];
  const samples = Array.from({ length: 1 + random(4) }, (_, at) => [`sample ${at}`, 'x', 'y']);
  const [isBlankBehind, isTotalBehind] = [random(2) === 0, random(2) === 0];
  const rest = [
    ...(isBlankBehind ? [['', '', '']] : []),
    ...(isBlankBehind && random(2) === 0 ? [['note', 'of three', 'cells']] : []),
    ...(isTotalBehind ? [['Total', '8.00']] : []),
  ];
  const write = (cells: string[]) => (cells.length === 2 ? total('8.00') : row(cells));
  const source = around([
    ...header.map((cells) => (isFlagged ? headerRow(cells) : row(cells))),
    ...[...samples, ...rest].map(write),
  ]);
  const isGuess = (isFlagged ? 0 : 1) + samples.length + rest.length > 1;
  return { source, header, rest, isGuess };
}

describe('a table without a marked row', () => {
  testInWhole('loses all its samples, and keeps its header and what follows the samples', async () => {
    for (let seed = 0; seed < RANDOM_TABLES; seed++) {
      const { source, header, rest, isGuess } = randomTable(seed);
      const { rows, report } = await fillTable(source, DATA);
      expect([seed, rows]).toEqual([seed, [...header, ...DATA, ...rest]]);
      expect([seed, report.templateRowGuessed]).toEqual([seed, isGuess]);
      expect([seed, (await fillTable(source, [])).rows]).toEqual([seed, [...header, ...rest]]);
    }
  });

  test('takes the format of the first sample', async () => {
    const bold = row([cell(paragraph(run('Apple', '<w:b/>'))), '1', '2.00']);
    const { xml } = await fillTable(around([headerRow(HEADER), bold, row(PEAR), total('8.00')]), DATA);
    expect(xml()).toContain('<w:b/></w:rPr><w:t xml:space="preserve">Fig');
  });

  test('keeps a total of the same shape that contains a field or a formula', async () => {
    const formula =
      '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> =SUM(ABOVE) </w:instrText></w:r>' +
      '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>8.00</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>';
    const field = paragraph(control({ tag: 'total' }, run('8.00')));
    for (const content of [paragraph(formula), field, paragraph('{total}')]) {
      const last = row(['Total', '', cell(content)]);
      const { rows } = await fillTable(around([headerRow(HEADER), row(APPLE), row(PEAR), last]), DATA);
      expect(rows.slice(0, 3)).toEqual([HEADER, ...DATA]);
      expect(rows[3]?.[0]).toBe('Total');
    }
  });

  test('uses all blank rows below its header', async () => {
    const blank = row(['', '', '']);
    const { rows } = await fillTable(around([row(HEADER), blank, blank, row(['Sum', '', '0'])]), DATA);
    expect(rows).toEqual([HEADER, ...DATA, ['Sum', '', '0']]);
  });

  test('with a bookmark between its samples stays valid', async () => {
    const marks = '<w:bookmarkStart w:id="7" w:name="b"/><w:bookmarkEnd w:id="7"/>';
    const { rows, xml } = await fillTable(around([headerRow(HEADER), row(APPLE), marks, row(PEAR)]), DATA);
    expect(rows).toEqual([HEADER, ...DATA]);
    expect(xml()).toContain('w:name="b"');
  });
});

describe('the option templateRow', () => {
  const source = around([row(['Goods', '', '']), row(HEADER), row(APPLE), row(PEAR), total('8.00')]);
  const withRow = (templateRow: number) =>
    fill(source, [{ id: 'items', type: 'table', value: DATA, options: { templateRow } }]);

  test('names the template row, counted from 0', async () => {
    const { xml, report } = await withRow(2);
    expect(xml()).toMatch(/Goods.*Item.*Nut.*Fig.*Total/s);
    expect(xml()).not.toMatch(/Apple|Pear/);
    expect(report.templateRowGuessed).toBe(false);
  });

  test('can name a total', async () => {
    const { bytes } = await fill(source, [
      { id: 'items', type: 'table', value: [['Sum', '9']], options: { templateRow: 4 } },
    ]);
    expect((await fillTable(bytes, [])).rows).not.toContainEqual(['Total', '8.00']);
  });

  test('that the table does not have is refused by its path', async () => {
    await expect(withRow(5)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'fields[0].options.templateRow' }],
    });
  });
});

test('a row marked inside a table is the template row, wherever it is', async () => {
  const item = control({ id: 8, kind: '<w15:repeatingSectionItem/>' }, row(APPLE));
  const section = control({ id: 9, kind: '<w15:repeatingSection/>' }, item);
  const { rows, report } = await fillTable(
    around([row(HEADER), row(PEAR), section, row(['Sum', '', ''])]),
    DATA,
  );
  expect(rows).toEqual([HEADER, PEAR, ...DATA, ['Sum', '', '']]);
  expect(report.templateRowGuessed).toBe(false);
});

test('rows of two tables are guessed for each of them', async () => {
  const part = (tag: string) =>
    control({ tag }, table(2, [row(['Item', 'Price']), row(['a', '1']), row(['b', '2'])]));
  const { xml } = await fill(
    templateOf({ body: part('one') + paragraph('') + part('two') + paragraph('') }),
    [tableValue(TWO, true, 'one'), tableValue(TWO, true, 'two')],
  );
  expect(xml().match(/<w:tr>/g)).toHaveLength(6);
});
