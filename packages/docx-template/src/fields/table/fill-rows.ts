import { ancestorsOf, childOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { PackageEditor } from '../../package-editor.ts';
import type { Story } from '../../template/story.ts';
import { looseEndsIn, rangesIn, withDescendants } from '../ranges.ts';
import { BREAK_CHARS, breaksIn } from '../text.ts';
import { unbind } from '../unbind.ts';
import { cellValues } from './cell-values.ts';
import type { RemainingRows } from './remaining-rows.ts';
import { type RowPlace, rowsOf } from './row-place.ts';
import { type CellTemplate, type RowTemplate, readRowTemplate } from './row-template.ts';
import { ancestorNamed, repeatingItemOf } from './table-rows.ts';
import { writeRows } from './write-rows.ts';

export interface TableValue {
  rows: readonly (readonly string[])[];
  /** Path of the value in the caller's request: `fields[3].value`. */
  path: string;
  keepsRunStyle: boolean;
}

/**
 * Writes a row for each row of the value, unless another field has already replaced the place. Without rows, the
 * replaced rows are removed, with controls that contain nothing else. An empty row stays if the table would have none.
 *
 * Throws TemplateError: VALIDATION_ERROR if a row has more values than cells, DOCUMENT_TOO_COMPLEX from the editor.
 */
export function fillRows(editor: PackageEditor, story: Story, place: RowPlace, value: TableValue): void {
  const { replaced, by } = place;
  // One row may contain many fields. The first of them has already replaced it.
  if (replaced.length > 0 && replaced.every((node) => editor.replaced.has(node))) return;
  editor.replaced.add(replaced, by);
  unbindAround(editor, story, place.template);
  if (value.rows.length === 0 && removeRows(editor, story, place)) return;
  const { promptStyles } = editor.template;
  const { keepsRunStyle } = value;
  const template = readRowTemplate(place.template, story, { promptStyles, keepsRunStyle });
  editor.reserve(value.rows.length * template.chars);
  const rows = value.rows.map((values, number) => cellValues(values, template, `${value.path}[${number}]`));
  editor.reserve(charsOf(template, rows));
  const { starts, ends, references } = rangesIn(withDescendants(replaced), story.xml);
  const marks = { first: starts, last: ends + references };
  const written = writeRows(template, rows.length === 0 ? [[]] : rows, marks);
  const item = editor.isFlattened ? undefined : repeatingItemOf(place.template);
  const text = (item === undefined ? written : inItems(written, item, story)).join('');
  const { end } = replaced.at(-1) ?? place.template;
  editor.edit(story, { start: replaced[0]?.start ?? end, end, text });
}

function charsOf(template: RowTemplate, rows: readonly (readonly string[])[]): number {
  let chars = rows.length * template.chars;
  const breaks = template.cells.map(breakChars);
  for (const row of rows)
    for (const [index, value] of row.entries())
      chars += value.length + breaksIn(value) * (breaks[index] ?? 0);
  return chars;
}

function breakChars({ paragraph, text }: CellTemplate): number {
  return [...paragraph, ...text].reduce((sum, { length }) => sum + length, BREAK_CHARS);
}

/** Wraps each row in an item of the repeating section. Only the first keeps its id (ECMA-376-1 §17.5.2.18). */
function inItems(rows: readonly string[], item: XmlNode, { xml }: Story): string[] {
  const content = childOf(item, 'w:sdtContent');
  const properties = childOf(item, 'w:sdtPr');
  if (content === undefined) return [...rows];
  const id = properties && childOf(properties, 'w:id');
  const first = xml.slice(item.start, content.openEnd);
  const other =
    id === undefined ? first : xml.slice(item.start, id.start) + xml.slice(id.end, content.openEnd);
  const close = xml.slice(content.closeStart, item.end);
  return rows.map((row, number) => (number === 0 ? first : other) + row + close);
}

/** Removes the replaced rows. False if their table would have no rows left. */
function removeRows(editor: PackageEditor, story: Story, { template, replaced }: RowPlace): boolean {
  const [first] = replaced;
  const last = replaced.at(-1);
  const table = ancestorNamed(template, 'w:tbl');
  const going = rowsOf(replaced).filter((row) => editor.rows.has(row));
  if (first === undefined || last === undefined || going.length === 0) return true;
  if (table === undefined || editor.rows.countIn(table) === going.length) return false;
  editor.rows.remove(going);
  const outer = emptied(first, editor.rows);
  const [start, end] = outer === undefined ? [first.start, last.end] : [outer.start, outer.end];
  const removed = withDescendants(outer === undefined ? replaced : [outer]);
  editor.edit(story, { start, end, text: looseEndsIn(removed, story.xml) });
  return true;
}

/** The outermost control or `w:customXml` without remaining rows. An empty one would be invalid. */
function emptied(removed: XmlNode, rows: RemainingRows): XmlNode | undefined {
  let found: XmlNode | undefined;
  for (const outer of ancestorsOf(removed)) {
    if (outer.name === 'w:tbl' || rows.countIn(outer) > 0) break;
    if (outer.name !== 'w:sdtContent') found = outer;
  }
  return found;
}

/** Unbinds repeating sections of rows, because Word would fill them from the bound data. */
function unbindAround(editor: PackageEditor, story: Story, row: XmlNode): void {
  for (const outer of ancestorsOf(row)) {
    if (outer.name === 'w:tbl') break;
    const properties = childOf(outer, 'w:sdtPr');
    if (properties !== undefined) unbind(editor, { story, properties });
  }
}
