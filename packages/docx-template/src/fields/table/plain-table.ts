import type { Story } from '../../template/story.ts';
import type { TableStyle } from '../../template/table-styles.ts';
import { linesOf, run } from '../text.ts';

/** Total width if that of the place is unknown, in twentieths of a point. Readers fit the table into the place. */
const WIDTH_TWIPS = 9_000;
const SIDES = ['top', 'left', 'bottom', 'right', 'insideH', 'insideV'];

export interface PlainTable {
  rows: readonly (readonly string[])[];
  story: Story;
  /** Run properties, as an element or empty. */
  style: string;
  tableStyle: TableStyle | undefined;
}

/**
 * A table as wide as its place, with equal columns, as many as the longest row has values. It has the document's table
 * style, and a header row if the style defines one. Without a style, cells have borders. Empty without rows, because a
 * table must have at least one.
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

/** Table properties in the order of ECMA-376-1 §17.4.59. */
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
