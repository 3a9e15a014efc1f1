import { gridVisitor } from '@scriptorium/docx-normalize/grids';
import { Budget } from '@scriptorium/ooxml/bounds';
import { applyEdits, type Edit, type OpenTag, scanXml, type XmlVisitor } from '@scriptorium/ooxml/xml';

/** What loops and conditions may break in a table. */
export interface TableMends {
  /** The tags around the table, which declare its namespaces. */
  open: string;
  close: string;
  /** Cells repeat, so that the grid follows them. Otherwise, rows do. */
  hasColumns: boolean;
}

/**
 * The table with a grid that has a column for each cell and the same width. Its vertical merges begin anew, as the row in which
 * one began may be gone.
 */
export function mendedTable(table: string, { open, close, hasColumns }: TableMends): string {
  const edits: Edit[] = [];
  const xml = open + table + close;
  // A table around this one has no grid in the tags around it.
  const add = (edit: Edit) => {
    if (edit.start >= open.length && edit.end <= xml.length - close.length) edits.push(edit);
  };
  const visitors = [mergeVisitor(xml, add), ...(hasColumns ? [gridVisitor(xml, 'fit', add)] : [])];
  scanXml(xml, visitors, { budget: new Budget(), part: 'a table' });
  return applyEdits(xml, edits).slice(open.length, -close.length);
}

interface Table {
  /** The first columns of merged cells in the row above, and in this row. */
  above: Set<number>;
  row: Set<number>;
  column: number;
  /** The depth of the open cell, and its columns. */
  depth: number;
  span: number;
}

/** Lets a vertical merge begin in a cell above which there is none (ECMA-376-1 §17.4.84). */
function mergeVisitor(xml: string, add: (edit: Edit) => void): XmlVisitor {
  const tables: Table[] = [];
  const inTable = (act: (table: Table, tag: OpenTag) => void) => ({
    open: (tag: OpenTag) => {
      const table = tables.at(-1);
      if (table !== undefined) act(table, tag);
    },
  });
  /** Properties of the cell itself, not of its history. */
  const ofCell = (act: (table: Table, tag: OpenTag) => void) =>
    inTable((table, tag) => {
      if (tag.depth === table.depth + 2) act(table, tag);
    });
  const numberOf = (tag: OpenTag) => Math.max(Number(tag.attribute('w:val')) || 0, 0);
  return {
    'w:tbl': {
      open: () => tables.push({ above: new Set(), row: new Set(), column: 0, depth: 0, span: 1 }),
      close: () => void tables.pop(),
    },
    'w:tr': inTable((table) => Object.assign(table, { above: table.row, row: new Set(), column: 0 })),
    'w:gridBefore': inTable((table, tag) => {
      if (table.column === 0) table.column = numberOf(tag);
    }),
    'w:tc': {
      ...inTable((table, { depth }) => Object.assign(table, { depth, span: 1 })),
      close: () => {
        const table = tables.at(-1);
        if (table !== undefined) table.column += table.span;
      },
    },
    'w:gridSpan': ofCell((table, tag) => Object.assign(table, { span: Math.max(numberOf(tag), 1) })),
    'w:vMerge': ofCell(({ row, above, column }, tag) => {
      row.add(column);
      if (tag.attribute('w:val') === 'restart' || above.has(column)) return;
      const name = /^<([^\s/>]+)/.exec(xml.slice(tag.start, tag.end))?.[1] ?? 'w:vMerge';
      const prefix = name.slice(0, name.indexOf(':') + 1);
      const text = `<${name} ${prefix}val="restart"${tag.isEmpty ? '/' : ''}>`;
      add({ start: tag.start, end: tag.end, text });
    }),
  };
}
