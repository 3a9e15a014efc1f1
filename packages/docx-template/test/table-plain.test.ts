import { describe, expect, test } from '@jest/globals';
import { PRICE_LIST_STYLE, templateOf } from '@scriptorium/testing/fixtures/templates/template';
import { cell, control, paragraph, row, table } from '@scriptorium/testing/fixtures/templates/word';
import { fillTable, TWO } from './table-filling.ts';

describe('a plain table', () => {
  test('has as many columns as the longest row, and borders if there is no table style', async () => {
    const { rows, xml } = await fillTable('a block control without a table', [['a'], ['b', 'c', 'd'], []]);
    expect(rows).toEqual([
      ['a', '', ''],
      ['b', 'c', 'd'],
      ['', '', ''],
    ]);
    expect(xml()).toContain('<w:tblW w:w="5000" w:type="pct"/>');
    expect(xml()).toContain('<w:insideV w:val="single"');
    expect(xml()).not.toMatch(/tblHeader|tblStyle|showingPlcHdr/);
  });

  test('has the document’s table style, and a header row if the style defines one', async () => {
    const grid = await fillTable('a block control without a table in a document with a table style', TWO);
    expect(grid.xml()).toContain('<w:tblStyle w:val="TableGrid"/>');
    expect(grid.xml()).not.toMatch(/tblHeader|tblBorders/);
    const body = control({ tag: 'items' }, paragraph('table'));
    const priced = await fillTable(templateOf({ body, styles: PRICE_LIST_STYLE }), TWO);
    expect(priced.xml()).toContain('<w:tblStyle w:val="PriceList"/>');
    expect(priced.xml()).toMatch(/<w:tblLook w:firstRow="1"/);
    expect(priced.xml().match(/<w:tblHeader\/>/g)).toHaveLength(1);
  });

  test('is followed by a paragraph at the end of a cell or of the document', async () => {
    const { xml } = await fillTable('a block control that is the last of its cell', TWO);
    expect(xml()).toMatch(/<\/w:tbl><w:p\/><\/w:sdtContent><\/w:sdt><\/w:tc>/);
    const { xml: atEnd } = await fillTable(
      'a block control without a table in a document with a table style',
      TWO,
    );
    expect(atEnd()).toMatch(/<\/w:tbl><w:p\/><\/w:sdtContent><\/w:sdt><w:sectPr>/);
    const { xml: before } = await fillTable('a block control without a table', TWO);
    expect(before()).toMatch(/<\/w:tbl><\/w:sdtContent><\/w:sdt><w:p>/);
  });
});

describe('a table value', () => {
  const refusal = (field: string, issue: RegExp) =>
    expect.objectContaining({
      code: 'VALIDATION_ERROR',
      details: [{ field, issue: expect.stringMatching(issue) }],
    });

  test('is rejected with the row that has more values than cells', async () => {
    const wide = [...TWO, ['1', '2', '3', '4']];
    await expect(fillTable('a table with a header row', wide)).rejects.toEqual(
      refusal('fields[0].value[2]', /has 4 values, but the template row takes at most 3$/),
    );
    await expect(
      fillTable('a template row with cells merged across columns', [['1', '2', '3', '4', '5']]),
    ).rejects.toEqual(refusal('fields[0].value[0]', /at most 3, or 4, one for each column/));
  });

  test('is rejected with the value for a column in which the row has no cell', async () => {
    await expect(
      fillTable('a template row that leaves grid columns out', [['', 'a', 'b', 'c']]),
    ).rejects.toEqual(refusal('fields[0].value[0][3]', /no cell/));
  });

  test('is rejected if the field is inside a paragraph', async () => {
    await expect(fillTable('an inline control for a table', TWO)).rejects.toEqual(
      refusal('fields[0]', /is inside a paragraph and cannot contain one/),
    );
  });

  test('is rejected with more rows or columns than Word opens', async () => {
    await expect(fillTable('a table of one row', Array(32_768).fill([]))).rejects.toEqual(
      refusal('fields[0].value', /has 32768 rows/),
    );
    await expect(fillTable('a block control without a table', [Array(64).fill('')])).rejects.toEqual(
      refusal('fields[0].value[0]', /has 64 values/),
    );
  });

  test('is rejected before few characters become many rows in memory', async () => {
    const body = control(
      { tag: 'items' },
      table(1, [row([cell('x', `<w:shd w:fill="${'0'.repeat(9_000)}"/>`)])]),
    );
    const rows: string[][] = Array(32_000).fill([]);
    const before = process.resourceUsage().maxRSS;
    await expect(fillTable(templateOf({ body }), rows)).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_COMPLEX',
    });
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(100 * 1024);
  });

  test.each([
    ['lines in a row', control({ tag: 'items' }, table(1, [row(['x'])])), '\n'],
    ['tabs in a row', control({ tag: 'items' }, table(1, [row(['x'])])), 'a\t'],
    ['lines in a plain table', control({ tag: 'items' }, paragraph('')), '\n'],
  ])('is rejected with more %s than a document can contain', async (_, body, part) => {
    const source = templateOf({ body: body + paragraph('') });
    await expect(fillTable(source, Array(8).fill([part.repeat(400_000)]))).rejects.toMatchObject({
      code: 'DOCUMENT_TOO_COMPLEX',
    });
  });
});
