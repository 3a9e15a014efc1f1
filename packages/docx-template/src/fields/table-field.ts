import { ancestorsOf, type XmlNode } from '@scriptorium/ooxml/xml';
import { z } from 'zod';
import type { Control } from '../template/controls.ts';
import type { TemplateError } from '../template-error.ts';
import { VALUE_TEXT_SCHEMA, valueTextIssue } from '../xml-text.ts';
import { endPrompt, replaceContent } from './content.ts';
import { columnsOf } from './control-facts.ts';
import { switchedOn, wrongKind } from './field-options.ts';
import { type FieldContext, fieldType } from './field-type.ts';
import { invalidField } from './invalid.ts';
import { itemsContent, repeatsParagraphs } from './rich-content.ts';
import { runStyleOf } from './run-style.ts';
import { fillRows, type TableValue } from './table/fill-rows.ts';
import { plainTable } from './table/plain-table.ts';
import { placeOfRow, rowPlaceOf } from './table/row-place.ts';
import { BREAK_CHARS, breaksIn } from './text.ts';
import { unbind } from './unbind.ts';
import { cellText } from './value-text.ts';

/** Maximum rows of one table in a request, and cells of all its tables together. */
const TABLE_ROWS_MAX = 10_000;
export const TABLE_CELLS_MAX = 100_000;
/** Maximum number of issues that are listed for one table. */
const ISSUES_MAX = 100;

/** Limits of tables in Word (ECMA-376-1 defines none). */
const ROWS_MAX = 32_767;
const COLUMNS_MAX = 63;
/** Approximate characters of a cell of a plain table, without its text. */
const CELL_CHARS = 150;

type Cell = string | number | boolean | null;
const CELL_SCHEMA = { type: ['string', 'number', 'boolean', 'null'], ...VALUE_TEXT_SCHEMA };

const rows = z
  .array(z.unknown(), wrongKind('must be an array of rows'))
  .max(TABLE_ROWS_MAX, `may have at most ${TABLE_ROWS_MAX} rows`)
  .superRefine(refuseWrongRows)
  .transform((rows) => (rows as Cell[][]).map((row) => row.map(cellText)))
  .meta({
    description: 'Rows of cells; null is an empty cell',
    items: { type: 'array', maxItems: TABLE_CELLS_MAX, items: CELL_SCHEMA },
  });

/** Not a schema per cell: its issues would block the process for half a second if all cells are invalid. */
function refuseWrongRows(rows: unknown[], context: z.RefinementCtx): void {
  let issues = 0;
  const refuse = (message: string, ...path: number[]): void => {
    issues += 1;
    context.addIssue({ code: 'custom', path, message });
  };
  for (const [at, row] of rows.entries()) {
    if (!Array.isArray(row)) refuse('must be an array of cells', at);
    else
      for (const [column, cell] of row.entries()) {
        const issue = cellIssue(cell);
        if (issue !== null) refuse(issue, at, column);
        if (issues >= ISSUES_MAX) return;
      }
    if (issues >= ISSUES_MAX) return;
  }
}

const TEMPLATE_ROW_ISSUE = 'must be the number of a row, from 0';
const templateRow = z
  .number(TEMPLATE_ROW_ISSUE)
  .int(TEMPLATE_ROW_ISSUE)
  .min(0, TEMPLATE_ROW_ISSUE)
  .max(ROWS_MAX, TEMPLATE_ROW_ISSUE)
  .describe(
    'The template row, counted from 0, in the table of the field. By default the first row below the header. ' +
      'The rows after it that look alike are samples and go, too',
  );

function withoutRow(row: number, path: string): TemplateError {
  return invalidField(`${path}.options.templateRow`, `is ${row}, but the field has no table with such a row`);
}

function cellIssue(cell: unknown): string | null {
  if (typeof cell === 'string') return valueTextIssue(cell);
  const isPlain = cell === null || typeof cell === 'number' || typeof cell === 'boolean';
  return isPlain ? null : 'must be a string, a number, a boolean or null';
}

/** Creates rows from a template row. Without one in the control, creates a plain table. */
export const tableField = fieldType({
  type: 'table',
  title: 'Table',
  value: rows,
  options: {
    copyRowStyle: switchedOn('Copy the styles of the template row to the rows that are filled in'),
    templateRow: templateRow.optional(),
  },
  suits: (control) => control.kind === 'rich text' && columnsOf(control) !== undefined,
  valueSchema: ({ columns }, all) =>
    columns === undefined ? all : { ...all, type: 'array', items: { type: 'array', maxItems: columns } },
  async prepare({ value: rows, options }, context) {
    const { editor } = context;
    const value = { rows, path: `${context.path}.value`, keepsRunStyle: options.copyRowStyle };
    if (rows.length > ROWS_MAX)
      throw invalidField(value.path, `has ${rows.length} rows, but a table may have at most ${ROWS_MAX}`);
    return {
      fillControl(control) {
        const { templateRow } = options;
        const place = rowPlaceOf(control, templateRow);
        if (templateRow !== undefined && place === undefined) throw withoutRow(templateRow, context.path);
        if (place?.isGuess) editor.guessesRow = true;
        if (place === undefined) {
          fillPlain(control, value, context);
        } else {
          endPrompt(editor, control);
          fillRows(editor, control.story, place, value);
        }
        unbind(editor, control);
      },
      replacePlaceholder({ story, text, row, style }) {
        if (options.templateRow !== undefined) throw withoutRow(options.templateRow, context.path);
        if (row !== undefined) {
          fillRows(editor, story, placeOfRow(row, text), value);
          return undefined;
        }
        const kept = value.keepsRunStyle ? style : '';
        requireRoom(value, context, kept);
        const { tableStyle } = editor.template;
        return { blocks: plainTable({ rows, story, style: kept, tableStyle }) };
      },
    };
  },
});

function fillPlain(control: Control, value: TableValue, context: FieldContext): void {
  const { editor, path } = context;
  if (control.level !== 'block') {
    const where = control.level === 'inline' ? 'is inside a paragraph' : 'contains no row';
    throw invalidField(path, `is a table, but the field ${where} and cannot contain one`);
  }
  const { promptStyles, tableStyle } = editor.template;
  const { story } = control;
  const style = value.keepsRunStyle ? runStyleOf(control, promptStyles) : '';
  if (repeatsParagraphs(control)) {
    replaceContent(editor, control, itemsContent(control, value.rows, style, editor.isFlattened));
    return;
  }
  requireRoom(value, context, style);
  replaceContent(editor, control, {
    inline: () => '',
    block: (paragraph) => {
      const table = plainTable({ rows: value.rows, story, style, tableStyle });
      return table !== '' && isFollowedByParagraph(control.node) ? table : table + paragraph('');
    },
  });
}

/** `style` is the run properties of each run. */
function requireRoom({ rows, path }: TableValue, { editor }: FieldContext, style: string): void {
  let columns = 0;
  let chars = 0;
  for (const [number, row] of rows.entries()) {
    if (row.length > COLUMNS_MAX)
      throw invalidField(
        `${path}[${number}]`,
        `has ${row.length} values, but a table may have at most ${COLUMNS_MAX} columns`,
      );
    columns = Math.max(columns, row.length);
    for (const text of row) chars += text.length + breaksIn(text) * (BREAK_CHARS + style.length);
  }
  editor.reserve(rows.length * columns * (CELL_CHARS + style.length) + chars);
}

/** A table must not end a cell or a document (ECMA-376-1 §17.4.65), and would merge with a table after it. */
function isFollowedByParagraph(node: XmlNode): boolean {
  for (const outer of [node, ...ancestorsOf(node)]) {
    const siblings = outer.parent?.children ?? [];
    const next = siblings[siblings.indexOf(outer) + 1];
    if (next !== undefined) return next.name === 'w:p';
    if (outer.parent?.name !== 'w:sdtContent' && outer.parent?.name !== 'w:sdt') return false;
  }
  return false;
}
