import { gridVisitor } from '@scriptorium/docx-normalize/grids';
import { Budget } from '@scriptorium/ooxml/bounds';
import { applyEdits, type Edit, scanXml } from '@scriptorium/ooxml/xml';

/** A table whose grid has a column for each cell of its rows, and the same width. `around` are the tags around it. */
export function withFittingGrid(table: string, [open, close]: readonly [string, string]): string {
  const edits: Edit[] = [];
  const xml = open + table + close;
  const visitor = gridVisitor(xml, 'fit', (edit) => edits.push(edit));
  scanXml(xml, [visitor], { budget: new Budget(), part: 'a table' });
  return applyEdits(xml, edits).slice(open.length, -close.length);
}
