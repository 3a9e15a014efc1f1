import { TABLE_TEMPLATES } from '@scriptorium/testing/fixtures/templates/tables';
import { readXml, type XmlElement } from '@scriptorium/testing/ooxml-validator/xml-element';
import type { Annotation } from '../src/annotation.ts';
import type { FieldValueInput } from '../src/fields.ts';
import { type Filled, fill } from './filling.ts';

export type Rows = readonly (readonly string[])[];
/** A value with two rows. */
export const TWO: Rows = [
  ['Nut', '7'],
  ['Fig', '9'],
];

export type TableTemplate = keyof typeof TABLE_TEMPLATES;

export function tableValue(
  rows: Rows,
  copyRowStyle = true,
  id = 'items',
  templateRow?: number,
): FieldValueInput {
  const options = { copyRowStyle, ...(templateRow !== undefined && { templateRow }) };
  return { id, type: 'table', value: rows.map((row) => [...row]), options };
}

export interface FilledTable extends Filled {
  source: Buffer;
  /** Cell texts of the first table, by row, with paragraphs as lines. */
  rows: string[][];
}

/** Fills the field `items` of a template. */
export async function fillTable(
  template: TableTemplate | Buffer,
  rows: Rows,
  {
    copyRowStyle = true,
    templateRow,
    ...options
  }: Partial<Annotation> & { copyRowStyle?: boolean; templateRow?: number } = {},
): Promise<FilledTable> {
  const source = typeof template === 'string' ? TABLE_TEMPLATES[template]() : template;
  const filled = await fill(source, [tableValue(rows, copyRowStyle, 'items', templateRow)], {
    onMissing: 'error',
    ...options,
  });
  const [table] = named(readXml(filled.xml()), 'w:tbl');
  return { ...filled, source, rows: table === undefined ? [] : rowsOf(table) };
}

/** The outermost elements with a name. */
function named(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => (child.name === name ? [child] : named(child, name)));
}

function rowsOf(table: XmlElement): string[][] {
  return named(table, 'w:tr').map((row) =>
    named(row, 'w:tc').map((cell) =>
      named(cell, 'w:p')
        .map((paragraph) => textOf(paragraph))
        .join('\n'),
    ),
  );
}

function textOf(element: XmlElement): string {
  if (element.name === 'w:t') return element.text;
  return element.name === 'w:tab' ? '\t' : element.children.map(textOf).join('');
}
