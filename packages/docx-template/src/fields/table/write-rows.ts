import { escapeXml } from '@scriptorium/ooxml/xml';
import { linesOf, run } from '../text.ts';
import type { CellTemplate, RowTemplate } from './row-template.ts';

/** Range marks for the first and the last paragraph of the rows. */
export interface RowMarks {
  first: string;
  last: string;
}

const SPECIAL = /[\t\v\r\n]/;

/**
 * Rows with these texts, one per cell. In a column with merged cells in the template, a text begins a new merged cell,
 * and an empty text continues the cell above.
 */
export function writeRows(
  template: RowTemplate,
  rows: readonly (readonly string[])[],
  { first, last }: RowMarks,
): string[] {
  const { cells, open, close } = template;
  return rows.map((values, number) => {
    let text = open;
    for (const [index, cell] of cells.entries()) {
      const value = values[index] ?? '';
      const isContinued = value === '' && !(cell.startsMerge && number === 0);
      const before = number === 0 && index === 0 ? first : '';
      const after = number === rows.length - 1 && index === cells.length - 1 ? last : '';
      text += (isContinued && cell.openContinued) || cell.open;
      text += paragraphs(cell, value, template, before, after) + cell.close;
    }
    return text + close;
  });
}

function paragraphs(
  { paragraph: [open, close], text: [start, end], style }: CellTemplate,
  value: string,
  { story }: RowTemplate,
  before: string,
  after: string,
): string {
  if (value === '') return open + before + after + close;
  if (!SPECIAL.test(value)) return open + before + start + escapeXml(value) + end + after + close;
  const runs = linesOf(value).map((line) => (line === '' ? '' : run([line], style, story.dialect)));
  return open + before + runs.join(close + open) + after + close;
}
