import { describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { testInWhole } from '@scriptorium/testing/extent';
import { documentOf } from '@scriptorium/testing/fixtures/hostile/document';
import { templateOf } from '@scriptorium/testing/fixtures/templates/template';
import {
  cell,
  control,
  headerRow,
  NAMESPACES,
  paragraph,
  row,
  run,
  table,
} from '@scriptorium/testing/fixtures/templates/word';
import { faultsOf } from '@scriptorium/testing/ooxml-validator/validate';
import { fill } from './filling.ts';
import { fillTable, type Rows, type TableTemplate, TWO, tableValue } from './table-filling.ts';

describe('a row created from the template row', () => {
  test('has its height, borders, shading, alignment and run properties', async () => {
    const { xml } = await fillTable('a table with a header row', TWO);
    const rows =
      xml()
        .match(/<w:tr>.*?<\/w:tr>/gs)
        ?.slice(1) ?? [];
    for (const [number, [name, count]] of TWO.entries())
      expect(rows[number]).toBe(
        row(
          [
            cell(paragraph(run(name ?? '', '<w:b/><w:color w:val="C00000"/>'), '<w:jc w:val="right"/>')),
            cell(count ?? '', '<w:shd w:val="clear" w:color="auto" w:fill="FFF2CC"/>'),
            cell('<w:p></w:p>'),
          ],
          '<w:cantSplit/><w:trHeight w:val="500" w:hRule="atLeast"/>',
        ),
      );
  });

  test('has the properties of rows, cells and paragraphs, but none of runs on request', async () => {
    const { xml } = await fillTable('a table with a header row', TWO, { copyRowStyle: false });
    expect(xml()).not.toContain('C00000');
    expect(xml().match(/FFF2CC|<w:jc w:val="right"\/>|<w:cantSplit\/>/g)).toHaveLength(6);
  });

  test('has lines as equal paragraphs, tabs, and escaped XML characters', async () => {
    const source = templateOf({
      body: control(
        { tag: 'items' },
        table(1, [row([cell(paragraph('x', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'))])]),
      ),
      hasNumbering: true,
    });
    const { rows, xml } = await fillTable(source, [['a < b & "c"\r\n\n\td'], ['']]);
    expect(rows).toEqual([['a < b & "c"\n\n\td'], ['']]);
    expect(xml().match(/<w:numId w:val="1"\/>/g)).toHaveLength(4);
    expect(xml()).toContain('<w:tab/><w:t xml:space="preserve">d</w:t>');
  });

  test('takes the paragraph’s formatting if the template cell shows a prompt or nothing', async () => {
    const mark = '<w:rPr><w:i/></w:rPr>';
    const shown = paragraph(run('Click here', '<w:rStyle w:val="PlaceholderText"/>'), mark);
    const body = control({ tag: 'items' }, table(2, [row([cell(shown), cell(paragraph('', mark))])]));
    const { xml } = await fillTable(templateOf({ body }), TWO);
    expect(xml().match(/<w:r><w:rPr><w:i\/><\/w:rPr>/g)).toHaveLength(4);
    expect(xml()).not.toContain('PlaceholderText');
  });

  test('does not repeat unique ids and is not a tracked change', async () => {
    const { xml, bytes } = await fillTable('a template row full of marks', TWO);
    expect(await faultsOf(bytes)).toEqual([]);
    expect(xml()).not.toMatch(/w14:paraId|<w:ins |cellIns|w:val="522"/);
    for (const once of [
      'bookmarkStart',
      'bookmarkEnd',
      'commentRangeStart',
      'commentRangeEnd',
      'commentReference',
    ])
      expect(xml().match(new RegExp(`<w:${once}`, 'g'))).toHaveLength(1);
    expect(xml().match(/<w:tblPrEx>/g)).toHaveLength(2);
  });

  test('is an item of the repeating section with a unique id', async () => {
    for (const template of [
      'a repeating section of rows',
      'a table whose rows stand in a repeating section',
    ] as const) {
      const { xml, bytes } = await fillTable(template, [...TWO, ...TWO]);
      expect(xml().match(/<w15:repeatingSectionItem\/>/g)).toHaveLength(4);
      expect(await faultsOf(bytes)).toEqual([]);
      const flat = await fillTable(template, TWO, { flatten: true });
      expect(flat.xml()).not.toContain('<w:sdt>');
      expect(flat.rows).toContainEqual(['Fig', '9']);
    }
  });

  test('continues a merged cell if it has no text there, and otherwise begins a new one', async () => {
    const value = [
      ['', '1', '2'],
      ['fruit', '3', '4'],
      ['', '5', '6'],
    ];
    const { xml, rows } = await fillTable('a template row with cells merged down columns', value, {
      templateRow: 2,
    });
    expect(rows.map(([first]) => first)).toEqual(['A', 'group', '', 'fruit', '']);
    expect(xml().match(/<w:vMerge[^>]*>/g)).toEqual([
      '<w:vMerge w:val="restart"/>',
      '<w:vMerge/>',
      '<w:vMerge w:val="restart"/>',
      '<w:vMerge/>',
    ]);
  });

  test('does not continue the row above if the template row begins a merged cell', async () => {
    const body = control(
      { tag: 'items' },
      table(2, [headerRow(['A', 'B']), row([cell('x', '<w:vMerge w:val="restart"/>'), cell('y')])]),
    );
    const { xml } = await fillTable(templateOf({ body }), [
      ['', '1'],
      ['', '2'],
    ]);
    expect(xml().match(/<w:vMerge[^>]*>/g)).toEqual(['<w:vMerge w:val="restart"/>', '<w:vMerge/>']);
  });

  test('uses the prefix and vocabulary of the document', async () => {
    const body = control({ tag: 'items' }, table(2, [row(['a', cell('')])])) + paragraph('');
    const mainXml = `<w:document ${NAMESPACES}><w:body>${body}</w:body></w:document>`
      .replaceAll(/(<\/?|\s|xmlns:)w(?=[:=])/g, '$1x')
      .replace(
        'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
        'http://purl.oclc.org/ooxml/wordprocessingml/main',
      );
    const { xml, rows, bytes } = await fillTable(documentOf({ mainXml }), [['1', '2\n3']]);
    expect(rows).toEqual([['1', '2\n3']]);
    expect(xml()).not.toMatch(/<w:/);
    expect(await faultsOf(bytes)).toEqual([]);
  });
});

describe('a value without rows', () => {
  test.each([
    ['a table with a header row', [['Item', 'Count', 'Price']]],
    [
      'a table of header rows alone',
      [
        ['Goods', ''],
        ['Item', 'Price'],
      ],
    ],
    [
      'a row control above a sum',
      [
        ['Item', 'Price'],
        ['Sum', '1'],
      ],
    ],
    [
      'a repeating section of rows',
      [
        ['Item', 'Price'],
        ['Sum', '2.10'],
      ],
    ],
    ['a table whose rows stand in a repeating section', [['Item', 'Price']]],
    ['a cell control in a row', [['Item', 'Price']]],
    ['a template row full of marks', [['Item', 'Price']]],
    ['a table of one row', [['', '']]],
    ['a block control without a table', []],
  ] as const satisfies readonly (readonly [TableTemplate, Rows])[])('empties %s', async (template, rows) => {
    for (const flatten of [false, true]) {
      const filled = await fillTable(template, [], { flatten });
      expect(filled.rows).toEqual(rows);
      expect(await faultsOf(filled.bytes)).toEqual([]);
    }
  });

  test('leaves no unpaired end of a range', async () => {
    const marked = paragraph(
      '<w:bookmarkEnd w:id="4"/><w:bookmarkStart w:id="5" w:name="b"/><w:bookmarkEnd w:id="5"/>',
    );
    const body =
      paragraph('<w:bookmarkStart w:id="4" w:name="a"/>') +
      control({ tag: 'items' }, table(1, [headerRow(['A']), row([cell(marked)])]));
    const { bytes, xml } = await fillTable(templateOf({ body }), []);
    expect(xml()).toContain('<w:bookmarkEnd w:id="4"/>');
    expect(xml()).not.toContain('w:name="b"');
    expect(await faultsOf(bytes)).toEqual([]);
  });

  test('leaves an empty row if all fields of the table remove their rows', async () => {
    const rowControl = (tag: string, id: number) => control({ tag, id }, row([tag, 'x']));
    const source = templateOf({
      body: table(2, [rowControl('a', 1), rowControl('b', 2), rowControl('b', 3)]) + paragraph(''),
    });
    const { xml, bytes } = await fill(source, [tableValue([], true, 'a'), tableValue([], true, 'b')]);
    expect(xml().match(/<w:tr>/g)).toHaveLength(1);
    expect(xml()).not.toContain('<w:t ');
    expect(await faultsOf(bytes)).toEqual([]);
  });

  testInWhole('is fast in a table of ten thousand fields', async () => {
    const cells = Array.from({ length: 10_000 }, (_, id) => row([control({ tag: 'items', id }, cell('x'))]));
    const source = templateOf({ body: table(1, [headerRow(['A']), ...cells]) + paragraph('') });
    const startedAt = process.cpuUsage();
    expect((await fillTable(source, [])).rows).toEqual([['A']]);
    expect(cpuMsSince(startedAt)).toBeLessThan(10_000);
  });
});
