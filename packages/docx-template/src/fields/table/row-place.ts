import { ancestorsOf, childOf, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Control } from '../../template/controls.ts';
import type { Story } from '../../template/story.ts';
import { type SampleRows, sampleRowsOf } from './sample-rows.ts';
import { isHeaderRow, repeatingItemOf, rowsIn } from './table-rows.ts';

/** The template row for the rows of a value, and their place. */
export interface RowPlace {
  template: XmlNode;
  /** The adjacent elements that they replace. Empty if they are inserted after the template row. */
  replaced: readonly XmlNode[];
  /** The filled place: a control, or the text in which a placeholder begins. */
  by: XmlNode;
  /** The template does not mark the row, and another row could be meant. */
  isGuess?: boolean;
}

/**
 * The place for rows in a control:
 *
 * - a control around rows: replaces all of them except header rows at the top; the last one is the template;
 * - any other control with a table: replaces the rows of the first table that are marked by a control around them, else
 *   its sample rows. Appends after all if there are only header rows;
 * - a control around a cell, or inside a paragraph, which cannot contain a table: replaces the row around it.
 *
 * Undefined if it has no row. A control around paragraphs of a cell has room for a new table. `templateRow` is the number
 * of the template row in a table or among the rows of the control.
 */
export function rowPlaceOf(control: Control, templateRow?: number): RowPlace | undefined {
  const { level, content, node, story } = control;
  const table = level === 'row' ? content : firstTable(content);
  if (templateRow !== undefined)
    return table && placeOfSamples(sampleRowsOf(table, story, templateRow), node);
  if (level === 'row') return placeInRowControl(content, node);
  if (table !== undefined) return placeInTable(table, story, node);
  const row = level === 'block' ? undefined : rowAround(node);
  return row && placeOfRow(row, node);
}

/** Replaces a row, together with an item of a repeating section that contains only this row. */
export function placeOfRow(row: XmlNode, by: XmlNode): RowPlace {
  return { template: row, replaced: [repeatingItemOf(row) ?? row], by };
}

/** The content of a text box is not part of the row in which the box is anchored. */
function rowAround(node: XmlNode): XmlNode | undefined {
  for (const outer of ancestorsOf(node)) {
    if (outer.name === 'w:txbxContent') return undefined;
    if (outer.name === 'w:tr') return outer;
  }
  return undefined;
}

/** Tables in a text box do not count as tables of the control. */
function firstTable(content: XmlNode): XmlNode | undefined {
  for (const node of descendantsOf(content, ({ name }) => name === 'w:r'))
    if (node.name === 'w:tbl') return node;
  return undefined;
}

function placeInTable(table: XmlNode, story: Story, by: XmlNode): RowPlace | undefined {
  const marked = table.children.find(({ name }) => name === 'w:sdt');
  const content = marked && childOf(marked, 'w:sdtContent');
  if (content !== undefined && [...rowsIn(content)].some((row) => !isHeaderRow(row)))
    return placeInRowControl(content, by);
  const place = placeOfSamples(sampleRowsOf(table, story), by);
  if (place !== undefined) return place;
  const template = [...rowsIn(table)].at(-1);
  return template && { template, replaced: [], by };
}

/** Includes what stands between the rows, such as range marks. */
function placeOfSamples(samples: SampleRows | undefined, by: XmlNode): RowPlace | undefined {
  if (samples === undefined) return undefined;
  const { rows, isGuess } = samples;
  const [template] = rows;
  if (rows.length === 1) return { ...placeOfRow(template, by), isGuess };
  const siblings = template.parent?.children ?? [];
  const end = siblings.indexOf(rows.at(-1) ?? template) + 1;
  return { template, replaced: siblings.slice(siblings.indexOf(template), end), by, isGuess };
}

function placeInRowControl(content: XmlNode, by: XmlNode): RowPlace | undefined {
  const first = content.children.findIndex((child) => child.name !== 'w:tr' || !isHeaderRow(child));
  const replaced = first === -1 ? [] : content.children.slice(first);
  const template = rowsOf(replaced).at(-1);
  if (template !== undefined) return { template, replaced, by };
  const header = [...rowsIn(content)].at(-1);
  return header && { template: header, replaced: [], by };
}

/** The rows that are removed from a place. */
export function rowsOf(replaced: readonly XmlNode[]): XmlNode[] {
  return replaced.flatMap((node) => (node.name === 'w:tr' ? [node] : [...rowsIn(node)]));
}
