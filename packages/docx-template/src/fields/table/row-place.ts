import { ancestorsOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Control } from '../../template/controls.ts';
import { isHeaderRow, repeatingItemOf, rowsIn } from './rows.ts';

/** The row that the rows of a value are made after, and where they are put. */
export interface RowPlace {
  template: XmlNode;
  /** What they are put in place of, neighbours; nothing where they are put behind the template. */
  replaced: readonly XmlNode[];
  /** What takes them: a control, or the text in which a placeholder begins. */
  by: XmlNode;
}

/**
 * Where a control takes rows:
 *
 * - a control around rows: in place of all of them but header rows at its top; the last of them is the template;
 * - any other with a table in it: in place of the last row of the first table that is no header row, or behind all;
 * - one around a cell, or inside a paragraph, which can hold no table: in place of the row that it stands in.
 *
 * Undefined where it has no row; a control around paragraphs of a cell has room for a table of its own.
 */
export function rowPlaceOf(control: Control): RowPlace | undefined {
  const { level, content, node } = control;
  if (level === 'row') return placeInRowControl(content, node);
  const table = firstTable(content);
  if (table !== undefined) return placeInTable(table, node);
  const row = level === 'block' ? undefined : rowAround(node);
  return row && placeOfRow(row, node);
}

/** A row gives its place to others, with the item of a repeating section that is around it alone. */
export function placeOfRow(row: XmlNode, by: XmlNode): RowPlace {
  return { template: row, replaced: [repeatingItemOf(row) ?? row], by };
}

/** What is in a text box does not stand in the row that the box is anchored in. */
function rowAround(node: XmlNode): XmlNode | undefined {
  for (const outer of ancestorsOf(node)) {
    if (outer.name === 'w:txbxContent') return undefined;
    if (outer.name === 'w:tr') return outer;
  }
  return undefined;
}

/** A text box in the control is another place, and tables in it are not the control's own. */
function firstTable(content: XmlNode): XmlNode | undefined {
  for (const node of descendantsOf(content, ({ name }) => name === 'w:r'))
    if (node.name === 'w:tbl') return node;
  return undefined;
}

function placeInTable(table: XmlNode, by: XmlNode): RowPlace | undefined {
  const rows = [...rowsIn(table)];
  const last = rows.findLast((row) => !isHeaderRow(row));
  if (last !== undefined) return placeOfRow(last, by);
  const template = rows.at(-1);
  return template && { template, replaced: [], by };
}

function placeInRowControl(content: XmlNode, by: XmlNode): RowPlace | undefined {
  const first = content.children.findIndex((child) => child.name !== 'w:tr' || !isHeaderRow(child));
  const replaced = first === -1 ? [] : content.children.slice(first);
  const template = rowsOf(replaced).at(-1);
  if (template !== undefined) return { template, replaced, by };
  const header = [...rowsIn(content)].at(-1);
  return header && { template: header, replaced: [], by };
}

/** The rows that go from a place. */
export function rowsOf(replaced: readonly XmlNode[]): XmlNode[] {
  return replaced.flatMap((node) => (node.name === 'w:tr' ? [node] : [...rowsIn(node)]));
}
