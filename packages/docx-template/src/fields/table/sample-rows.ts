import { attributeOf, childOf, childValue, descendantsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import type { Story } from '../../template/story.ts';
import { cellsIn, isHeaderRow, rowsIn } from './table-rows.ts';

/** The rows of a table that a value replaces. The first of them is the template row. */
export interface SampleRows {
  rows: readonly [XmlNode, ...XmlNode[]];
  /** Another row could be the template row as well. */
  isGuess: boolean;
}

/** The start of the instruction of a formula, or of a field that a caller fills. */
const COMPUTES = /^\s*(?:=|MERGEFIELD\b|FORMTEXT\b)/i;
/** Content that is visible without text. */
const VISIBLE = new Set(['w:drawing', 'w:pict', 'w:object', 'w:sym', 'w:sdt', 'm:oMath']);

/**
 * The sample rows of a table in which no row is marked. They are the first row below the header, and the rows after it that look
 * alike. Rows of another shape, and rows after a blank one, are totals or notes. They stay, as does a row with a field or a
 * formula below a template row without any.
 *
 * The header is the rows at the top that repeat on each page, else the first row of several. `templateRow` is the
 * number of the template row instead. Undefined if the table has no such row.
 */
export function sampleRowsOf(table: XmlNode, story: Story, templateRow?: number): SampleRows | undefined {
  const rows = [...rowsIn(table)];
  const [first, ...others] = rows.slice(templateRow ?? headerLength(rows));
  if (first === undefined) return undefined;
  const shape = shapeOf(first);
  const [isBlankFirst, hasFields] = [isBlank(first, story), computes(first, story)];
  const isSample = (row: XmlNode) =>
    row.parent === first.parent &&
    shapeOf(row) === shape &&
    isBlank(row, story) === isBlankFirst &&
    (hasFields || !computes(row, story));
  const end = others.findIndex((row) => !isSample(row));
  const candidates = rows.filter((row) => !isHeaderRow(row));
  return {
    rows: [first, ...(end === -1 ? others : others.slice(0, end))],
    isGuess: templateRow === undefined && candidates.length > 1,
  };
}

function headerLength(rows: readonly XmlNode[]): number {
  const marked = rows.findIndex((row) => !isHeaderRow(row));
  if (marked === -1) return rows.length;
  return marked === 0 && rows.length > 1 ? 1 : marked;
}

/** The grid columns of each cell, and those before and after them. */
function shapeOf(row: XmlNode): string {
  const properties = childOf(row, 'w:trPr');
  const skipped = (name: string) => Number((properties && childValue(properties, name)) ?? 0);
  const spans = [...cellsIn(row)].map((cell) => {
    const own = childOf(cell, 'w:tcPr');
    return Number((own && childValue(own, 'w:gridSpan')) ?? 1);
  });
  return [skipped('w:gridBefore'), ...spans, skipped('w:gridAfter')].join();
}

function isBlank(row: XmlNode, { xml }: Story): boolean {
  for (const { name, openEnd, closeStart } of descendantsOf(row)) {
    if (VISIBLE.has(name)) return false;
    if (name === 'w:t' && xml.slice(openEnd, closeStart).trim() !== '') return false;
  }
  return true;
}

/** Whether a row contains a field of the template, or a formula such as `=SUM(ABOVE)`. */
function computes(row: XmlNode, { xml }: Story): boolean {
  for (const node of descendantsOf(row)) {
    if (node.name === 'w:sdt') return true;
    const text = () => xml.slice(node.openEnd, node.closeStart);
    if (node.name === 'w:t' && text().includes('{')) return true;
    if (node.name === 'w:instrText' && COMPUTES.test(text())) return true;
    if (node.name === 'w:fldSimple' && COMPUTES.test(attributeOf(node, 'w:instr') ?? '')) return true;
  }
  return false;
}
