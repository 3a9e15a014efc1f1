import { describe, expect, test } from '@jest/globals';
import { Budget } from '@scriptorium/ooxml/bounds';
import { applyEdits, type Edit, scanXml } from '@scriptorium/ooxml/xml';
import { wordXml } from '@scriptorium/testing/fixtures/hostile/document';
import { gridVisitor } from '../../src/tables/table-grids.ts';

const cell = (width: number | string, more = '', inside = '<w:p/>') =>
  `<w:tc><w:tcPr>${typeof width === 'number' ? `<w:tcW w:w="${width}" w:type="dxa"/>` : width}${more}</w:tcPr>${inside}</w:tc>`;
const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;
const table = (columns: readonly number[], ...rows: string[]) =>
  `<w:tbl><w:tblPr/><w:tblGrid>${columns.map((width) => `<w:gridCol w:w="${width}"/>`).join('')}</w:tblGrid>${rows.join('')}</w:tbl>`;

function edited(body: string, mode: 'mend' | 'fit'): string {
  const xml = wordXml(body);
  const edits: Edit[] = [];
  scanXml(xml, [gridVisitor(xml, mode, (edit) => edits.push(edit))], { budget: new Budget(), part: 'x' });
  return applyEdits(xml, edits);
}

/** The columns of each grid, in the order of their ends. */
const gridsOf = (xml: string) =>
  [...xml.matchAll(/<w:tblGrid>(.*?)<\/w:tblGrid>/g)].map(([, columns = '']) =>
    [...columns.matchAll(/w:w="(\d+)"/g)].map(([, width]) => Number(width)),
  );
const valuesOf = (xml: string, name: string) =>
  [...xml.matchAll(new RegExp(`<w:${name} w:(?:w|val)="(\\d+)"`, 'g'))].map(([, value]) => Number(value));

describe('a grid that is narrower than a row', () => {
  test.each<[name: string, columns: number[], rows: string[], mended: number[]]>([
    ['gets the widths of the cells', [2000], [row(cell(1000), cell(3000))], [1000, 3000]],
    [
      'follows the widest row',
      [2000],
      [row(cell(2000)), row(cell(1000), cell(500), cell(500))],
      [1000, 500, 500],
    ],
    [
      'divides cells of several columns',
      [900],
      [row(cell(2000, '<w:gridSpan w:val="2"/>'), cell(700))],
      [1000, 1000, 700],
    ],
    [
      'has the usual width for cells without one',
      [900, 1100],
      [row(cell(500), cell('<w:tcW w:w="0" w:type="auto"/>'), cell(''))],
      [500, 1000, 1000],
    ],
  ])('%s', (_, columns, rows, mended) => {
    expect(gridsOf(edited(table(columns, ...rows), 'mend'))).toEqual([mended]);
  });

  test('counts columns before and after the cells', () => {
    const skipped = '<w:tr><w:trPr><w:gridBefore w:val="1"/><w:gridAfter w:val="1"/></w:trPr>';
    expect(gridsOf(edited(table([800], `${skipped}${cell(500)}</w:tr>`), 'mend'))).toEqual([[800, 500, 800]]);
  });

  test.each(['<w:tblGrid/>', '<w:tblGrid></w:tblGrid>', ''])('is written where it is %s', (grid) => {
    const body = table([], row(cell(500), cell(''), cell(700)));
    const xml = edited(body.replace('<w:tblGrid></w:tblGrid>', grid), 'mend');
    expect(gridsOf(xml)).toEqual([[500, 3000, 700]]);
    expect(xml).toContain('<w:tblPr/><w:tblGrid><w:gridCol');
  });

  test('is mended in a table inside a cell, and in a document with another prefix', () => {
    const inner = table([1000], row(cell(300), cell(700)));
    const xml = edited(table([4000], row(cell(4000, '', `${inner}<w:p/>`))), 'mend');
    expect(valuesOf(xml, 'gridCol')).toEqual([4000, 300, 700]);
    const other = table([1000], row(cell(300), cell(700))).replaceAll('w:', 'x:');
    const outer = `<x:sdt xmlns:x="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${other}</x:sdt>`;
    expect(edited(outer, 'mend')).toContain('<x:gridCol x:w="300"/><x:gridCol x:w="700"/></x:tblGrid>');
  });

  test.each([
    ['the grid is wider', table([1, 2, 3], row(cell(5), cell(5)))],
    [
      'the columns were more before a change',
      table(
        [1],
        row(cell(5, '<w:tcPrChange w:id="1"><w:tcPr><w:gridSpan w:val="9"/></w:tcPr></w:tcPrChange>')),
      ),
    ],
    [
      'a cell spans more columns than any table has',
      table([1], row(cell(5, '<w:gridSpan w:val="99999999"/>'))),
    ],
  ])('is left as it is where %s', (_, body) => {
    expect(edited(body, 'mend')).toBe(wordXml(body));
  });
});

describe('a cell that is no wider than its margins', () => {
  const shown = '<w:p><w:r><w:t>x</w:t></w:r></w:p>';
  const none = '<w:tcMar><w:left w:w="0" w:type="dxa"/><w:right w:w="0" w:type="dxa"/></w:tcMar>';
  const margins = (twips: number, name = 'tcMar') =>
    `<w:${name}><w:left w:w="${twips}" w:type="dxa"/><w:right w:w="${twips}" w:type="dxa"/></w:${name}>`;
  const before = (columns: number[], inside: string) => table(columns, `<w:tr><w:tc>${inside}</w:tc></w:tr>`);

  test.each([
    ['without properties', `${shown}`, `<w:tcPr>${none}</w:tcPr>${shown}`],
    ['with empty ones', `<w:tcPr/>${shown}`, `<w:tcPr>${none}</w:tcPr>${shown}`],
    [
      'with a width',
      `<w:tcPr><w:tcW w:w="150"/></w:tcPr>${shown}`,
      `<w:tcPr><w:tcW w:w="150"/>${none}</w:tcPr>${shown}`,
    ],
    [
      'with later properties',
      `<w:tcPr><w:vAlign w:val="top"/></w:tcPr>${shown}`,
      `<w:tcPr>${none}<w:vAlign w:val="top"/></w:tcPr>${shown}`,
    ],
    ['with margins', `<w:tcPr>${margins(100)}</w:tcPr>${shown}`, `<w:tcPr>${none}</w:tcPr>${shown}`],
    [
      'with a change',
      `<w:tcPr><w:tcPrChange w:id="1"><w:tcPr/></w:tcPrChange></w:tcPr>${shown}`,
      `<w:tcPr>${none}<w:tcPrChange w:id="1"><w:tcPr/></w:tcPrChange></w:tcPr>${shown}`,
    ],
  ])('has no margins then: %s', (_, inside, mended) => {
    expect(edited(before([150], inside), 'mend')).toBe(wordXml(before([150], mended)));
  });

  test.each([
    ['it is wide enough', before([217], shown)],
    ['it has no text', before([20], '<w:p/>')],
    ['its margins are smaller', before([150], `<w:tcPr>${margins(20)}</w:tcPr>${shown}`)],
    [
      'those of the table are smaller',
      before([150], shown).replace('<w:tblPr/>', `<w:tblPr>${margins(20, 'tblCellMar')}</w:tblPr>`),
    ],
    [
      'the table is wider than its grid',
      before([10], shown).replace('<w:tblPr/>', '<w:tblPr><w:tblW w:w="5000" w:type="pct"/></w:tblPr>'),
    ],
    ['its own width is larger', before([10], `<w:tcPr><w:tcW w:w="900" w:type="dxa"/></w:tcPr>${shown}`)],
  ])('is left as it is if %s', (_, body) => {
    expect(edited(body, 'mend')).toBe(wordXml(body));
  });
});

describe('a grid that fits its rows', () => {
  test('keeps the width of the table, and gives each cell its part', () => {
    const xml = edited(table([2000, 1000], row(cell(2000), cell(1000), cell(1000))), 'fit');
    expect(gridsOf(xml)).toEqual([[1500, 750, 750]]);
    expect(valuesOf(xml, 'tcW')).toEqual([1500, 750, 750]);
    expect(gridsOf(edited(table([1000, 1000, 1000], row(cell(1000), cell(1000))), 'fit'))).toEqual([
      [1500, 1500],
    ]);
  });

  test('lets the merged cell of a row over all columns span the new ones', () => {
    const title = row(cell(2000, '<w:gridSpan w:val="2"/>'));
    const xml = edited(table([1000, 1000], title, row(cell(1000), cell(1000), cell(1000))), 'fit');
    expect(valuesOf(xml, 'gridSpan')).toEqual([3]);
    expect(valuesOf(xml, 'tcW')).toEqual([2000, 667, 666, 667]);
  });
});
