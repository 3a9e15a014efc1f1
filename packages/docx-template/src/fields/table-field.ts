import { ancestorsOf, type XmlNode } from '@scriptorium/ooxml/xml-tree';
import type { Control } from '../template/controls.ts';
import { endPrompt, replaceContent } from './content.ts';
import type { FieldContext, FieldType } from './field-type.ts';
import type { FieldValueOf } from './field-value.ts';
import { invalidField } from './invalid.ts';
import { runStyleOf } from './run-style.ts';
import { fillRows, type TableValue } from './table/fill-rows.ts';
import { plainTable } from './table/plain-table.ts';
import { placeOfRow, rowPlaceOf } from './table/row-place.ts';
import { BREAK_CHARS, breaksIn } from './text.ts';
import { unbind } from './unbind.ts';

/** What a table of Word can have (ECMA-376-1 sets no bound; Word's own). */
const ROWS_MAX = 32_767;
const COLUMNS_MAX = 63;
/** What a cell of a plain table takes beside its text, about. */
const CELL_CHARS = 150;

/** Rows after a row of the template; where a control has none, a plain table. */
export const tableField: FieldType<FieldValueOf<'table'>> = {
  async prepare({ value: rows, options }, context) {
    const { editor } = context;
    const value = { rows, path: `${context.path}.value`, keepsRunStyle: options.copyRowStyle };
    if (rows.length > ROWS_MAX)
      throw invalidField(value.path, `has ${rows.length} rows, and a table may have ${ROWS_MAX}`);
    return {
      fillControl(control) {
        const place = rowPlaceOf(control);
        if (place === undefined) {
          fillPlain(control, value, context);
        } else {
          endPrompt(editor, control);
          fillRows(editor, control.story, place, value);
        }
        unbind(editor, control);
      },
      replacePlaceholder({ story, text, row, style }) {
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
};

function fillPlain(control: Control, value: TableValue, context: FieldContext): void {
  const { editor, path } = context;
  if (control.level !== 'block') {
    const where = control.level === 'inline' ? 'stands inside a paragraph' : 'holds no row';
    throw invalidField(path, `is a table for a field that ${where} and cannot hold one`);
  }
  const { promptStyles, tableStyle } = editor.template;
  const { story } = control;
  const style = value.keepsRunStyle ? runStyleOf(control, promptStyles) : '';
  requireRoom(value, context, style);
  replaceContent(editor, control, {
    inline: () => '',
    block: (paragraph) => {
      const table = plainTable({ rows: value.rows, story, style, tableStyle });
      return table !== '' && isFollowedByParagraph(control.node) ? table : table + paragraph('');
    },
  });
}

/** `style` is that of each run. */
function requireRoom({ rows, path }: TableValue, { editor }: FieldContext, style: string): void {
  let columns = 0;
  let chars = 0;
  for (const [number, row] of rows.entries()) {
    if (row.length > COLUMNS_MAX)
      throw invalidField(
        `${path}[${number}]`,
        `has ${row.length} values, and a table may have ${COLUMNS_MAX} columns`,
      );
    columns = Math.max(columns, row.length);
    for (const text of row) chars += text.length + breaksIn(text) * (BREAK_CHARS + style.length);
  }
  editor.reserve(rows.length * columns * (CELL_CHARS + style.length) + chars);
}

/** A table must not end a cell or a document (ECMA-376-1 §17.4.65), and would join with one that follows. */
function isFollowedByParagraph(node: XmlNode): boolean {
  for (const outer of [node, ...ancestorsOf(node)]) {
    const siblings = outer.parent?.children ?? [];
    const next = siblings[siblings.indexOf(outer) + 1];
    if (next !== undefined) return next.name === 'w:p';
    if (outer.parent?.name !== 'w:sdtContent' && outer.parent?.name !== 'w:sdt') return false;
  }
  return false;
}
