import { chainsOf } from '@scriptorium/contracts/form-state';
import type { PlainReason } from '@scriptorium/contracts/jobs/rows';
import type { FormRow, PieceShape } from '@scriptorium/docx-generate/rows';
import type { TemplateCache } from '@scriptorium/docx-template/template';
import { type GroupTask, opened, type RowTask, readRow, type SentError, sentError } from './fill-group.ts';

/** Forms of one pack, and their bytes. Other rows get documents of their own. */
const FORMS_MAX = 4;
const FORMS_BYTES_MAX = 16 * 1024 * 1024;

/** The rows of a pack that have shapes. */
export interface FormsTask extends Pick<GroupTask, 'hash' | 'owner' | 'source' | 'options' | 'isForData'> {
  rows: readonly RowTask[];
  shapes: readonly PieceShape[][];
  /** A form that is loaded for fewer rows costs more than it gains. */
  rowsMin: number;
}

/** The forms, and what each row puts into one of them or why it is plain. */
export interface FilledForms {
  forms: { bytes: Uint8Array; around: number[] }[];
  rows: ((FormRow & { form: number }) | PlainReason)[];
}
export type FormsResult = FilledForms | { templateError: SentError } | { lacksTemplate: true };

/** Makes forms for as many rows of a pack as they can serve. Never rejects. */
export async function fillForms(task: FormsTask, templates: TemplateCache): Promise<FormsResult> {
  const rows = await opened(task, templates.of(task.owner)).catch(sentError);
  if (rows === undefined) return { lacksTemplate: true };
  if ('error' in rows) return { templateError: rows.error };
  const result: FilledForms = { forms: [], rows: task.rows.map(() => 'few' as const) };
  let left = [...task.rows.entries()];
  let bytes = 0;
  while (result.forms.length < FORMS_MAX && left.length >= task.rowsMin) {
    const form = await rows
      .form(
        left.map(([, row]) => readRow(row)),
        left.map(([at]) => task.shapes[at] ?? []),
      )
      .catch(() => 'template' as const);
    const ownOf = (index: number): FormRow | PlainReason =>
      typeof form === 'string' ? form : (form.rows[index] ?? 'few');
    const made = left.map(([at, row], index) => ({ at, row, own: ownOf(index) }));
    const values = made.flatMap(({ at, own }) => (typeof own === 'string' ? [] : [{ at, ...own }]));
    const served = new Set(
      (typeof form === 'string' ? [] : chainsOf(values, form.around))
        .filter(({ length }) => length >= task.rowsMin)
        .flatMap((chain) => chain.map((index) => values[index]?.at)),
    );
    const isServing = typeof form !== 'string' && served.size > 0;
    bytes += isServing ? form.bytes.length : 0;
    const isOver = bytes > FORMS_BYTES_MAX;
    for (const { at, own } of made)
      if (typeof own === 'string') result.rows[at] = own;
      else if (isServing && !isOver && served.has(at))
        result.rows[at] = { ...own, form: result.forms.length };
      else result.rows[at] = 'few';
    if (!isServing || isOver) break;
    result.forms.push({ bytes: form.bytes, around: form.around });
    left = made.filter(({ own }) => typeof own === 'string').map(({ at, row }) => [at, row]);
  }
  return result;
}
