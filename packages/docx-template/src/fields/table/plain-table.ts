import type { Story } from '../../template/story.ts';
import type { TableStyle } from '../../template/table-styles.ts';
import { linesOf, run } from '../text.ts';

/** Of the whole table, where nothing says how wide its place is: readers fit it into that. Twentieths of a point. */
const WIDTH_TWIPS = 9_000;
const SIDES = ['top', 'left', 'bottom', 'right', 'insideH', 'insideV'];

export interface PlainTable {
  rows: readonly (readonly string[])[];
  story: Story;
  /** Run properties, an element or nothing. */
  style: string;
  tableStyle: TableStyle | undefined;
}

/**
 * A table as wide as its place, its columns equal: as many as the widest row has values. In the document's table style,
 * and with its first row as the header where the style has a look for one; without a style, with a line around each cell.
 * Nothing where there are no rows, for a table has at least one.
 */
export function plainTable(table: PlainTable): string {
  const { rows, story, tableStyle } = table;
  const { element } = story.dialect;
  if (rows.length === 0) return '';
  const columns = Math.max(1, ...rows.map(({ length }) => length));
  const grid = element('gridCol', { w: String(Math.floor(WIDTH_TWIPS / columns)) }).repeat(columns);
  const header = tableStyle?.hasHeader === true ? element('trPr', {}, element('tblHeader')) : '';
  const cellProperties = element(
    'tcPr',
    {},
    element('tcW', { w: String(Math.floor(5_000 / columns)), type: 'pct' }),
  );
  const written = rows.map((values, number) => {
    const cells = Array.from({ length: columns }, (_, index) =>
      element('tc', {}, cellProperties + blocks(values[index] ?? '', table)),
    );
    return element('tr', {}, (number === 0 ? header : '') + cells.join(''));
  });
  return element('tbl', {}, properties(table) + element('tblGrid', {}, grid) + written.join(''));
}

/** In the order of ECMA-376-1 §17.4.59. */
function properties({ story, tableStyle }: PlainTable): string {
  const { element } = story.dialect;
  const line = { val: 'single', sz: '4', space: '0', color: 'auto' };
  const borders = SIDES.map((side) => element(side, line)).join('');
  const look = { firstRow: tableStyle?.hasHeader === true ? '1' : '0', lastRow: '0', firstColumn: '0' };
  const name = tableStyle === undefined ? '' : element('tblStyle', { val: tableStyle.id });
  const width = element('tblW', { w: '5000', type: 'pct' });
  const ownBorders = tableStyle === undefined ? element('tblBorders', {}, borders) : '';
  const bands = { lastColumn: '0', noHBand: '0', noVBand: '1' };
  return element('tblPr', {}, name + width + ownBorders + element('tblLook', { ...look, ...bands }));
}

function blocks(value: string, { story: { dialect }, style }: PlainTable): string {
  return linesOf(value)
    .map((line) => dialect.element('p', {}, line === '' ? '' : run([line], style, dialect)))
    .join('');
}
