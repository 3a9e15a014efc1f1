import { hash } from 'node:crypto';
import { chainsOf } from '@scriptorium/contracts/form-state';
import type { FormValues, PlainReason } from '@scriptorium/contracts/jobs/rows';
import { blockOf, type FormRow, type PieceShape, type TemplateRows } from '@scriptorium/docx-generate/rows';
import type { TemplateCache } from '@scriptorium/docx-template/template';
import { type GroupTask, opened, type RowTask, readRow, type SentError, sentError } from './fill-group.ts';

/** Forms of one pack, their loads, and their bytes. Other rows get documents of their own. */
const FORMS_MAX = 4;
const LOADS_MAX = 8;
const FORMS_BYTES_MAX = 16 * 1024 * 1024;
/** Kinds of rows of a pack that may be compared. */
const KINDS_MAX = 8;

/** The rows of a pack that have shapes. */
export interface FormsTask extends Pick<GroupTask, 'hash' | 'owner' | 'source' | 'options' | 'isForData'> {
  rows: readonly RowTask[];
  shapes: readonly PieceShape[][];
  /** A form that is loaded for fewer rows costs more than it gains. */
  rowsMin: number;
  /** The kinds of rows that have been compared. Undefined if all rows of the pack are compared. */
  checked?: readonly string[] | undefined;
}

/** The forms, and what each row puts into one of them or why it is plain. */
export interface FilledForms {
  forms: { bytes: Uint8Array; around: number[] }[];
  rows: (FormValues | PlainReason)[];
}
export type FormsResult = FilledForms | { templateError: SentError } | { lacksTemplate: true };

/** A row that a form fits. */
interface Fitting {
  at: number;
  values: FormValues;
}

/** Makes forms for as many rows of a pack as they can serve. Never rejects. */
export async function fillForms(task: FormsTask, templates: TemplateCache): Promise<FormsResult> {
  const rows = await opened(task, templates.of(task.owner)).catch(sentError);
  if (rows === undefined) return { lacksTemplate: true };
  if ('error' in rows) return { templateError: rows.error };
  const result: FilledForms = { forms: [], rows: task.rows.map(() => 'few' as const) };
  const known = new Set(task.checked);
  let left = [...task.rows.keys()];
  let bytes = 0;
  let loads = 0;
  while (result.forms.length < FORMS_MAX && loads < LOADS_MAX && left.length >= task.rowsMin) {
    const form = await formOf(rows, task, left).catch(() => 'failed' as const);
    const fitting: Fitting[] = [];
    for (const [index, at] of left.entries()) {
      const own = typeof form === 'string' ? form : (form.rows[index] ?? 'few');
      if (typeof own === 'string') result.rows[at] = own;
      else {
        const { gone, texts } = own;
        fitting.push({
          at,
          values: { gone, texts, kind: kindOf(own, task.shapes[at]), form: result.forms.length },
        });
      }
    }
    if (typeof form === 'string') break;
    left = left.filter((at) => fitting.every((row) => row.at !== at));
    const { checked, rowsMin } = task;
    for (const { at } of fitting) result.rows[at] = checked === undefined ? 'few' : 'compared';
    const kept = checked === undefined ? fitting : ofKinds(fitting, known, checked.length + KINDS_MAX);
    for (const { at } of kept) result.rows[at] = 'few';
    const chains = longestChains(kept, form.around, rowsMin).slice(0, LOADS_MAX - loads);
    loads += chains.length;
    bytes += form.bytes.length;
    if (chains.length === 0 || bytes > FORMS_BYTES_MAX) break;
    for (const { at, values } of chains.flat()) result.rows[at] = values;
    result.forms.push({ bytes: form.bytes, around: form.around });
  }
  return result;
}

async function formOf(
  rows: TemplateRows,
  task: FormsTask,
  left: readonly number[],
): ReturnType<TemplateRows['form']> {
  return await rows.form(
    left.flatMap((at) => task.rows.slice(at, at + 1).map(readRow)),
    left.map((at) => task.shapes[at] ?? []),
  );
}

/** The chains that are worth a load of the form, longest first. */
function longestChains(rows: readonly Fitting[], around: readonly number[], rowsMin: number): Fitting[][] {
  const values = rows.map((row) => row.values);
  return chainsOf(values, around)
    .filter(({ length }) => length >= rowsMin)
    .sort((one, other) => other.length - one.length)
    .map((chain) => chain.flatMap((index) => rows.slice(index, index + 1)));
}

/** Names the loops and conditions of which a row lacks something, and its empty values, whatever copy of a loop they are in. */
function kindOf({ traits }: FormRow, shape: readonly PieceShape[] = []): string {
  const empty = shape.flatMap(([path, , texts]) =>
    texts.flatMap((text, at) => (text === '' ? [`empty ${blockOf(path)} ${at}`] : [])),
  );
  return hash('sha1', [...new Set([...traits, ...empty])].sort().join(), 'base64url');
}

/** The rows of known kinds. The most common of the others become known, up to a number of kinds: their rows are compared. */
function ofKinds(rows: readonly Fitting[], known: Set<string>, kindsMax: number): Fitting[] {
  const counts = new Map<string, number>();
  for (const { values } of rows) counts.set(values.kind, (counts.get(values.kind) ?? 0) + 1);
  for (const [kind] of [...counts].sort(([, one], [, other]) => other - one))
    if (known.size < kindsMax) known.add(kind);
  return rows.filter(({ values }) => known.has(values.kind));
}
