import type { Dialect } from '../template/dialect.ts';
import type { TableStyle } from '../template/table-styles.ts';
import type { Block, CellBlock, TableBlock } from './blocks.ts';
import { HtmlRefusal } from './shown-markup.ts';

/** The maximum of Word. */
const COLUMNS_MAX = 63;
const CELLS_MAX = 20_000;
/** Cell margins at both sides. */
const MARGINS_TWIPS = 230;
const CELL_TWIPS_MIN = 100;
const SIDES = ['top', 'left', 'bottom', 'right', 'insideH', 'insideV'];

export interface TablePlace {
  dialect: Dialect;
  /** The style of new tables of the document. */
  tableStyle: TableStyle | undefined;
  widthTwips: number;
  /** The content of a cell of this inner width. */
  content(blocks: readonly Block[], widthTwips: number): string;
}

/** A cell of the grid. Without a cell, it continues the one above or is empty. */
interface Slot {
  columns: number;
  cell?: CellBlock;
  merge?: 'restart' | 'continue';
}

/** A table as wide as its place, with equal columns. Throws HtmlRefusal if it has too many columns or cells. */
export function writeTable({ rows }: TableBlock, place: TablePlace): string {
  const { element } = place.dialect;
  const grid = gridOf(rows);
  const columns = Math.max(...grid.map(widthOf));
  const columnTwips = Math.floor(place.widthTwips / columns);
  const header = headerRows(rows);
  const written = grid.map((slots, number) => {
    const padded = [...slots, ...Array<Slot>(columns - widthOf(slots)).fill({ columns: 1 })];
    const properties = number < header ? element('trPr', {}, element('tblHeader')) : '';
    return element('tr', {}, properties + padded.map((slot) => writeCell(slot, columnTwips, place)).join(''));
  });
  const gridColumns = element('gridCol', { w: String(columnTwips) }).repeat(columns);
  const head = tableProperties(header > 0, place) + element('tblGrid', {}, gridColumns);
  return element('tbl', {}, head + written.join(''));
}

/** Number of rows at the top with only header cells. A table of only such rows has no header. */
function headerRows(rows: TableBlock['rows']): number {
  const count = rows.findIndex((row) => !row.every(({ isHeader }) => isHeader));
  return Math.max(count, 0);
}

function widthOf(slots: readonly Slot[]): number {
  return slots.reduce((sum, { columns }) => sum + columns, 0);
}

/** The cells of each row, with those that continue a cell above (HTML §4.9.12). */
function gridOf(rows: TableBlock['rows']): Slot[][] {
  /** By column: how many rows the cell above goes on, and over how many columns. */
  let above: { rows: number; columns: number }[] = [];
  let cells = 0;
  return rows.map((row, number) => {
    const slots: Slot[] = [];
    const below: typeof above = [];
    let column = 0;
    const goOn = () => {
      for (let over = above[column]; over !== undefined && over.rows > 0; over = above[column]) {
        slots.push({ columns: over.columns, merge: 'continue' });
        below[column] = { rows: over.rows - 1, columns: over.columns };
        column += over.columns;
      }
    };
    for (const cell of row) {
      goOn();
      const left = Math.min(cell.rows, rows.length - number) - 1;
      const columns = Math.min(cell.columns, roomIn(above, column, cell.columns));
      slots.push({ columns, cell, ...(left > 0 && { merge: 'restart' as const }) });
      if (left > 0) below[column] = { rows: left, columns };
      column += columns;
    }
    for (; column < above.length; column++) {
      const before = column;
      goOn();
      if (column === before) slots.push({ columns: 1 });
      else column--;
    }
    if (widthOf(slots) > COLUMNS_MAX)
      throw new HtmlRefusal(`has a table of more than ${COLUMNS_MAX} columns`);
    cells += slots.length;
    if (cells > CELLS_MAX)
      throw new HtmlRefusal(`has a table of more than ${CELLS_MAX.toLocaleString('en-US')} cells`);
    above = below;
    return slots;
  });
}

/** The free columns from one on, because cells that go on from above must not overlap. */
function roomIn(above: readonly { rows: number }[], column: number, wanted: number): number {
  for (let at = column; at < Math.min(column + wanted, above.length); at++)
    if ((above[at]?.rows ?? 0) > 0) return Math.max(at - column, 1);
  return wanted;
}

function writeCell({ columns, cell, merge }: Slot, columnTwips: number, place: TablePlace): string {
  const { element } = place.dialect;
  const width = columns * columnTwips;
  const fill = cell?.background;
  const properties =
    element('tcW', { w: String(width), type: 'dxa' }) +
    (columns > 1 ? element('gridSpan', { val: String(columns) }) : '') +
    (merge === undefined ? '' : element('vMerge', merge === 'restart' ? { val: 'restart' } : {})) +
    (fill === undefined ? '' : element('shd', { val: 'clear', color: 'auto', fill }));
  const inner = Math.max(width - MARGINS_TWIPS, CELL_TWIPS_MIN);
  return element('tc', {}, element('tcPr', {}, properties) + place.content(cell?.blocks ?? [], inner));
}

/** In the order of ECMA-376-1 §17.4.59. */
function tableProperties(hasHeader: boolean, { dialect, tableStyle }: TablePlace): string {
  const { element } = dialect;
  const line = { val: 'single', sz: '4', space: '0', color: 'auto' };
  const borders = SIDES.map((side) => element(side, line)).join('');
  const look = { firstRow: hasHeader ? '1' : '0', lastRow: '0', firstColumn: '0', lastColumn: '0' };
  return element(
    'tblPr',
    {},
    (tableStyle === undefined ? '' : element('tblStyle', { val: tableStyle.id })) +
      element('tblW', { w: '5000', type: 'pct' }) +
      (tableStyle === undefined ? element('tblBorders', {}, borders) : '') +
      element('tblLook', { ...look, noHBand: '0', noVBand: '1' }),
  );
}
