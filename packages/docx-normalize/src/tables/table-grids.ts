import { BOUNDS } from '@scriptorium/ooxml/bounds';
import type { Inspector } from '@scriptorium/ooxml/package';
import { type Edit, type OpenTag, prefixAt, type XmlVisitor } from '@scriptorium/ooxml/xml';
import {
  narrowCellEdit,
  property,
  scaleOf,
  type TextCell,
  type TextTable,
  textCellVisitor,
} from './narrow-cells.ts';

/**
 * `mend`: a grid that is narrower than its rows gets columns as wide as the cells. LibreOffice drops the cells that have
 * none. Cells whose text it would leave out get no margins. `fit`: the grid has a column for each cell, and the width that it had.
 */
type GridMode = 'mend' | 'fit';

/** The number that an attribute has, and the offsets of its value. */
interface Written {
  value: number;
  start: number;
  end: number;
}

/** The width of a table that names none: the text of an A4 page. */
const TABLE_TWIPS = 9_000;

interface Cell extends TextCell {
  span?: Written;
  /** In twips. Undefined for other units. */
  width?: Written;
}

interface Row {
  depth: number;
  /** Columns without a cell at both ends. */
  before: number;
  after: number;
  cells: Cell[];
}

interface Table extends TextTable {
  /** As the part writes it: `w:`. */
  prefix: string;
  columns: Written[];
  /** The offsets of the columns, or of the place where the grid would stand. */
  start: number;
  end: number;
  /** The place is not inside of a grid. */
  hasNoGrid: boolean;
  rows: Row[];
}

/** Mends the grids of all tables while a document is opened. */
export function wholeGrids(): Inspector {
  return {
    visit: ({ xml, edits }) =>
      xml === undefined ? undefined : gridVisitor(xml, 'mend', (edit) => edits.push(edit)),
  };
}

/** Adds the edits that give each table of a text a grid that fits its rows. */
export function gridVisitor(xml: string, mode: GridMode, add: (edit: Edit) => void): XmlVisitor {
  const tables: Table[] = [];
  const row = () => tables.at(-1)?.rows.at(-1);
  const cell = () => row()?.cells.at(-1);
  const written = (tag: OpenTag, name: string) => writtenIn(xml, tag, name);
  return {
    'w:tbl': {
      open: ({ depth, start, end }) => {
        const prefix = prefixAt(xml, { start, end });
        tables.push({ depth, prefix, columns: [], start: end, end, hasNoGrid: true, rows: [] });
      },
      close: () => {
        const table = tables.pop();
        if (table !== undefined) for (const edit of gridEdits(table, mode)) add(edit);
      },
    },
    'w:tblPr': {
      close: ({ end }) => {
        const table = tables.at(-1);
        if (table?.rows.length === 0 && table.hasNoGrid) Object.assign(table, { start: end, end });
      },
    },
    'w:tblGrid': {
      open: ({ depth, start, end, isEmpty }) => {
        const table = tables.at(-1);
        if (table?.depth !== depth - 1) return;
        Object.assign(table, { start: isEmpty ? start : end, end, hasNoGrid: isEmpty });
      },
    },
    'w:gridCol': property(
      () => tables.at(-1),
      (tag) => {
        const table = tables.at(-1) as Table;
        if (table.columns.length === 0) table.start = tag.start;
        table.end = tag.end;
        table.columns.push(written(tag, 'w:w') ?? { value: 0, start: tag.end, end: tag.end });
      },
    ),
    'w:tr': { open: ({ depth }) => tables.at(-1)?.rows.push({ depth, before: 0, after: 0, cells: [] }) },
    'w:gridBefore': property(row, (tag) =>
      Object.assign(row() ?? {}, { before: written(tag, 'w:val')?.value ?? 0 }),
    ),
    'w:gridAfter': property(row, (tag) =>
      Object.assign(row() ?? {}, { after: written(tag, 'w:val')?.value ?? 0 }),
    ),
    'w:tc': {
      open: ({ depth, end }) =>
        row()?.cells.push({ depth, hasText: false, place: { start: end, end, isInProperties: false } }),
    },
    'w:gridSpan': property(cell, (tag) => Object.assign(cell() ?? {}, { span: written(tag, 'w:val') })),
    'w:tcW': property(cell, (tag) => {
      const isTwips = (tag.attribute('w:type') ?? 'dxa') === 'dxa';
      if (isTwips) Object.assign(cell() ?? {}, { width: written(tag, 'w:w') });
    }),
    ...textCellVisitor(() => tables.at(-1), cell),
  };
}

/** A whole number of an attribute. Undefined for another value. */
function writtenIn(xml: string, tag: OpenTag, name: string): Written | undefined {
  const attribute = tag.attributes.find((candidate) => candidate.name === name);
  const value = Number(attribute?.value);
  if (attribute === undefined || !Number.isInteger(value) || value < 0) return undefined;
  const from = tag.start + attribute.start;
  const end = tag.start + attribute.end - 1;
  return { value, start: from + xml.slice(from, end).search(/["']/) + 1, end };
}

const spanOf = ({ span }: Cell) => Math.max(span?.value ?? 1, 1);

function columnsOf({ before, after, cells }: Row): number {
  return cells.reduce((sum, cell) => sum + spanOf(cell), before + after);
}

function gridEdits(table: Table, mode: GridMode): Edit[] {
  const { columns, rows, start, end, prefix } = table;
  const widest = rows.reduce<Row | undefined>(
    (most, row) => (most === undefined || columnsOf(row) > columnsOf(most) ? row : most),
    undefined,
  );
  const count = widest === undefined ? 0 : columnsOf(widest);
  const isWhole = mode === 'mend' ? count <= columns.length : count === columns.length;
  const total = columns.reduce((sum, { value }) => sum + value, 0);
  if (widest === undefined || count > BOUNDS.rowCellsMax) return [];
  if (isWhole)
    return mode === 'mend'
      ? narrowEdits(
          table,
          columns.map(({ value }) => value),
        )
      : [];
  const natural = naturalWidths(widest, Math.round(total > 0 ? total / columns.length : TABLE_TWIPS / count));
  const widths = mode === 'mend' || total === 0 ? natural : scaled(natural, total);
  const written = widths.map((width) => `<${prefix}gridCol ${prefix}w="${width}"/>`).join('');
  const text = table.hasNoGrid ? `<${prefix}tblGrid>${written}</${prefix}tblGrid>` : written;
  const grid = { start, end, text };
  return mode === 'mend'
    ? [grid, ...narrowEdits(table, widths)]
    : [grid, ...rows.flatMap((row) => cellEdits(row, widths, columns.length))];
}

/** The edits that let narrow cells show their texts. */
function narrowEdits({ rows, ownWidth, margins, prefix }: Table, columns: readonly number[]): Edit[] {
  const scale = scaleOf(
    columns.reduce((sum, own) => sum + own, 0),
    ownWidth,
  );
  return rows.flatMap(({ before, cells }) => {
    let at = before;
    return cells.flatMap((cell) => {
      const to = at + spanOf(cell);
      const inGrid = scale * columns.slice(at, to).reduce((sum, own) => sum + own, 0);
      at = to;
      const edit = narrowCellEdit(cell, Math.max(inGrid, cell.width?.value ?? 0), margins, prefix);
      return edit === undefined ? [] : [edit];
    });
  });
}

/** The width of each column of a row, in twips. */
function naturalWidths({ before, after, cells }: Row, usual: number): number[] {
  const empty = (count: number) => Array<number>(count).fill(usual);
  const own = cells.flatMap((cell) => {
    const span = spanOf(cell);
    return Array<number>(span).fill(Math.round((cell.width?.value || usual * span) / span));
  });
  return [...empty(before), ...own, ...empty(after)];
}

/** Widths in the same proportions, with this sum. */
function scaled(widths: readonly number[], total: number): number[] {
  const sum = widths.reduce((a, b) => a + b, 0);
  let [seen, at] = [0, 0];
  return widths.map((width) => {
    const from = at;
    seen += width;
    at = sum === 0 ? 0 : Math.round((total * seen) / sum);
    return at - from;
  });
}

/**
 * The edits that give the cells of a row the widths of their columns. If the row filled the old grid, its widest merged
 * cell takes the new columns.
 */
function cellEdits(row: Row, widths: readonly number[], before: number): Edit[] {
  const missing = columnsOf(row) === before ? widths.length - before : 0;
  const merged = row.cells.reduce(
    (most, cell) => (spanOf(cell) > spanOf(most) ? cell : most),
    row.cells[0] as Cell,
  );
  let at = row.before;
  return row.cells.flatMap((cell) => {
    const grown = missing > 0 && cell === merged && cell.span !== undefined ? missing : 0;
    const to = at + spanOf(cell) + grown;
    const width = widths.slice(at, to).reduce((sum, own) => sum + own, 0);
    at = to;
    const edits = cell.width === undefined ? [] : [{ ...cell.width, text: String(width) }];
    const span = cell.span;
    return grown > 0 && span !== undefined
      ? [...edits, { ...span, text: String(spanOf(cell) + grown) }]
      : edits;
  });
}
