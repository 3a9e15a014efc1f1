import { expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { testInWhole } from '@scriptorium/testing/extent';
import { TABLE_TEMPLATES } from '@scriptorium/testing/fixtures/templates/tables';
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
import { shownTexts } from '@scriptorium/testing/office';
import { onlyFilledControlsDiffer } from '@scriptorium/testing/ooxml-validator/differences';
import { faultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { fill, text } from './filling.ts';
import { fillTable, type Rows, type TableTemplate, TWO, tableValue } from './table-filling.ts';

/** A template, a value, and the resulting rows of the first table. */
const FILLED: readonly (readonly [TableTemplate, Rows, Rows])[] = [
  [
    'a table with a header row',
    TWO,
    [
      ['Item', 'Count', 'Price'],
      ['Nut', '7', ''],
      ['Fig', '9', ''],
    ],
  ],
  ['a table of header rows alone', TWO, [['Goods', ''], ['Item', 'Price'], ...TWO]],
  ['a table without a header row', TWO, [['Item', 'Price'], ...TWO]],
  ['a table of one row', TWO, TWO],
  [
    'a template row with cells merged across columns',
    [
      ['a', 'b', 'c', 'd'],
      ['e', 'f', 'g'],
      ['h', '', 'i', 'j'],
    ],
    [
      ['A', 'B', 'C', 'D'],
      ['a', 'b c', 'd'],
      ['e', 'f', 'g'],
      ['h', 'i', 'j'],
    ],
  ],
  [
    'a template row that leaves grid columns out',
    [
      ['', 'a', 'b', ''],
      ['c', 'd'],
    ],
    [
      ['A', 'B', 'C', 'D'],
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['a table that runs from right to left', TWO, [['פריט', 'מחיר'], ...TWO]],
  ['a table in a cell of the template row', TWO, [['Item', 'Detail'], ...TWO]],
  ['a repeating section of rows', TWO, [['Item', 'Price'], ...TWO, ['Sum', '2.10']]],
  ['a table whose rows stand in a repeating section', TWO, [['Item', 'Price'], ...TWO]],
  ['a row control above a sum', TWO, [['Item', 'Price'], ...TWO, ['Sum', '1']]],
  ['a cell control in a row', TWO, [['Item', 'Price'], ...TWO]],
  ['an inline control in a row', TWO, [['Item', 'Price'], ...TWO]],
  ['a block control without a table', TWO, TWO],
  ['a block control without a table in a document with a table style', TWO, TWO],
  ['a template row full of marks', TWO, [['Item', 'Price'], ...TWO]],
];

test.each(FILLED)('%s gets a row for each row of the value', async (template, value, rows) => {
  expect((await fillTable(template, value)).rows).toEqual(rows);
});

test('a table field in a cell, a nested table or a text control fills only that', async () => {
  const nested = await fillTable('a field in a table inside of another table', TWO);
  expect(nested.rows).toEqual([['Outer', expect.any(String)]]);
  expect(nested.xml()).toContain('<w:t xml:space="preserve">in the outer cell</w:t>');
  for (const template of [
    'a control in a cell of a row',
    'a block control that is the last of its cell',
  ] as const) {
    const { xml, bytes } = await fillTable(template, TWO);
    expect(xml().match(/<w:tbl>/g)).toHaveLength(2);
    expect(await faultsOf(bytes)).toEqual([]);
  }
});

test('a bound control and a bound section of rows lose the binding, which would restore the old rows', async () => {
  const bound = '<w15:dataBinding w:xpath="/a" w:storeItemID="{00000000-0000-0000-0000-000000000000}"/>';
  const section = control({ id: 2, kind: `${bound}<w15:repeatingSection/>` }, row(['Apple', '1']));
  const inside = await fillTable(
    templateOf({ body: control({ tag: 'items', id: 1, binding: '/a' }, table(2, [section])) }),
    TWO,
  );
  expect(inside.xml()).not.toContain('dataBinding');
  const itself = control(
    { tag: 'items', id: 3, kind: `${bound}<w15:repeatingSection/>` },
    row(['Apple', '1']),
  );
  expect((await fillTable(templateOf({ body: table(2, [itself]) }), TWO)).xml()).not.toContain('dataBinding');
});

test('a text field in a replaced row is removed, and one in another row is filled', async () => {
  const body = control(
    { tag: 'items', id: 1 },
    table(2, [
      headerRow([cell(paragraph(control({ tag: 'title', id: 2 }, run('Title')))), 'Price']),
      row([cell(paragraph(control({ tag: 'title', id: 3 }, run('Apple')))), '1']),
    ]),
  );
  const fields = [tableValue(TWO), text({ id: 'title' }, 'Goods')];
  for (const order of [fields, fields.toReversed()]) {
    const { xml, bytes, report } = await fill(templateOf({ body }), order);
    expect(xml().match(/Goods/g)).toHaveLength(1);
    expect(report.filled).toBe(2);
    expect(xml()).not.toContain('Apple');
    expect(await faultsOf(bytes)).toEqual([]);
  }
});

test('the first of two table fields in a row fills it, and the other is not counted', async () => {
  const body = table(2, [row(['a', 'b'].map((tag, id) => cell(paragraph(control({ tag, id }, run('x'))))))]);
  const fields = [tableValue(TWO, true, 'a'), tableValue([['Ivy', '1']], true, 'b')];
  const { xml, report } = await fill(templateOf({ body: body + paragraph('') }), fields);
  expect(xml().match(/Nut|Fig|Ivy/g)).toEqual(['Nut', 'Fig']);
  expect(report.filled).toBe(1);
});

testInWhole('a row with ten thousand controls of one name is filled once', async () => {
  const controls = Array.from({ length: 10_000 }, (_, id) => control({ tag: 'items', id }, run('x')));
  const body = table(1, [row([cell(paragraph(controls.join('')))])]) + paragraph('');
  const startedAt = process.cpuUsage();
  const { report, rows } = await fillTable(templateOf({ body }), [['Nut'], ['Fig']]);
  expect(rows).toEqual([['Nut'], ['Fig']]);
  expect(report.filled).toBe(1);
  expect(cpuMsSince(startedAt)).toBeLessThan(10_000);
});

testInWhole('filling ten thousand rows takes about as long as reading them', async () => {
  const rows = Array.from({ length: 10_000 }, (_, number) => [`Item ${number}`, String(number), '1.00']);
  const startedAt = process.cpuUsage();
  const filled = await fillTable('a table with a header row', rows);
  const spentMs = cpuMsSince(startedAt);
  expect(filled.rows).toHaveLength(10_001);
  expect(filled.rows.at(-1)).toEqual(rows.at(-1));
  expect(spentMs).toBeLessThan(10_000);
});

testInWhole(
  'every filled template is valid, differs only in its control, and shows its rows in LibreOffice',
  async () => {
    const documents: Buffer[] = [];
    const names = Object.keys(TABLE_TEMPLATES).filter(
      (name) => name !== 'an inline control for a table',
    ) as TableTemplate[];
    for (const name of names) {
      const { bytes, source } = await fillTable(name, TWO);
      expect([name, await faultsOf(bytes)]).toEqual([name, []]);
      // The row is around the control.
      if (name !== 'a cell control in a row' && name !== 'an inline control in a row')
        expect([name, await onlyFilledControlsDiffer(source, bytes, ['items'])]).toEqual([name, []]);
      documents.push(bytes);
    }
    const texts = await shownTexts(documents);
    for (const [number, name] of names.entries())
      for (const [item, count] of TWO)
        expect([name, texts[number]]).toEqual([
          name,
          expect.stringMatching(new RegExp(`${item}.*${count}|${count}.*${item}`)),
        ]);
  },
);
