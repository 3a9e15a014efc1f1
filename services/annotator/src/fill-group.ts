import type { ErrorCode, ErrorDetail } from '@scriptorium/contracts/errors';
import { type PlainReason, placeText, type WAYS } from '@scriptorium/contracts/jobs/rows';
import type { GenerateReport, Generation } from '@scriptorium/docx-generate/generation';
import {
  joinedTemplate,
  type PieceShape,
  type TemplateRow,
  TemplateRows,
} from '@scriptorium/docx-generate/rows';
import { fieldValues } from '@scriptorium/docx-template/fields';
import type { OwnTemplates, TemplateCache } from '@scriptorium/docx-template/template';
import { toAppError } from '@scriptorium/shared/to-app-error';
import { withDocuments } from './insert-documents.ts';
import { fillPdfFormWithRow, inspectPdfForm } from './pdf-form.ts';

/** Time after which a thread returns what it has, so that requests of single documents can have the thread. */
const GROUP_MS = 5;

export type DataReport = Omit<GenerateReport, 'runMs'>;

/** One row: the JSON of its data, or of `fieldValues`. */
export type RowTask = ({ data: Buffer } | { fields: Buffer }) & { images: Buffer | undefined };

/** The next rows of a pack. */
export interface GroupTask {
  /** SHA-256 of the template in base64url. */
  hash: string;
  owner?: string | undefined;
  /** The template, if the thread does not know it. */
  source?: Buffer;
  options: Generation;
  way: (typeof WAYS)[number];
  rows: readonly RowTask[];
  /** The template is refused if no data can fill it. */
  isForData: boolean;
  /** The template is a PDF form. No thread keeps it. */
  isForm?: boolean | undefined;
  /** In shared memory: how many rows the thread has begun. If it is ended, the last one is the cause. */
  begun: Int32Array;
}

/** An error as data, since a thread cannot send its class. */
export interface SentError {
  code: ErrorCode;
  message: string;
  details: ErrorDetail[] | undefined;
  cause: unknown;
}

/** A row with what was made of it. */
export type FilledRow =
  | { error: SentError }
  | {
      document?: Uint8Array;
      /** What it may put into a form (`fill-forms.ts`). */
      shape?: PieceShape[] | undefined;
      plain?: PlainReason | undefined;
      report: DataReport;
    };

/** The first rows of a group: at least one. */
export type FilledGroup = { rows: FilledRow[] } | { templateError: SentError };
export type GroupResult = FilledGroup | { lacksTemplate: true };

/** Fills rows for a few milliseconds, or as long as it took to read the template. Never rejects. */
export async function fillGroup(task: GroupTask, templates: TemplateCache): Promise<GroupResult> {
  const startedAt = performance.now();
  const fill = await fillerOf(task, templates.of(task.owner)).catch(sentError);
  if (fill === undefined) return { lacksTemplate: true };
  if ('error' in fill) return { templateError: fill.error };
  const until = performance.now() + Math.max(GROUP_MS, performance.now() - startedAt);
  const rows: FilledRow[] = [];
  for (const [index, row] of task.rows.entries()) {
    Atomics.store(task.begun, 0, index + 1);
    rows.push(await fill(row).catch(sentError));
    if (performance.now() >= until) break;
  }
  return { rows };
}

/** Undefined if the thread lacks the template. Rejects with what is wrong with it. */
async function fillerOf(
  task: GroupTask,
  templates: OwnTemplates,
): Promise<((row: RowTask) => Promise<FilledRow>) | undefined> {
  const { source, options, way } = task;
  if (!task.isForm) {
    const rows = await opened(task, templates);
    return rows && ((row) => filled(rows, row, way));
  }
  if (source === undefined) return undefined;
  if (task.rows.length === 0) inspectPdfForm(source);
  return async (row) => {
    const { bytes, report } = await fillPdfFormWithRow(source, readRow(row), options);
    return { document: bytes, report };
  };
}

type Template = Awaited<ReturnType<OwnTemplates['open']>>;

/** The rows of a template with the same options. */
interface KnownRows {
  rows: TemplateRows;
  optionsKey: string;
}

/** The last rows of each template, since packs of one batch follow each other. */
const known = new WeakMap<Template, KnownRows>();

/** The rows of the template of a task. Undefined if the thread does not know it. Rejects with what is wrong with it. */
export async function opened(
  { hash, source, options, isForData }: Pick<GroupTask, 'hash' | 'source' | 'options' | 'isForData'>,
  templates: OwnTemplates,
): Promise<TemplateRows | undefined> {
  const given = templates.known(hash) ?? (source && (await templates.open(source)));
  if (given === undefined) return undefined;
  const template = isForData ? await joinedTemplate(given) : given;
  const optionsKey = JSON.stringify(options);
  const last = known.get(template);
  const own =
    last?.optionsKey === optionsKey
      ? last
      : { rows: new TemplateRows(template, options, placeText), optionsKey };
  known.set(template, own);
  if (isForData) own.rows.check();
  return own.rows;
}

async function filled(rows: TemplateRows, task: RowTask, way: GroupTask['way']): Promise<FilledRow> {
  const row = readRow(task);
  const placed = way === 'plain' ? undefined : await rows.placed(row);
  if (placed !== undefined && way === 'fast') return placed;
  const { bytes, report } = await withDocuments(await rows.document(row), row.images);
  const plain = way === 'plain' || placed !== undefined ? undefined : ('content' as const);
  return { document: bytes, shape: placed?.shape, plain, report };
}

export function readRow(task: RowTask): TemplateRow {
  const { images = Buffer.alloc(0) } = task;
  const json = (bytes: Buffer): unknown => JSON.parse(bytes.toString());
  if ('fields' in task) return { fields: fieldValues.parse(json(task.fields)), images };
  return { data: json(task.data) as Extract<TemplateRow, { data: unknown }>['data'], images };
}

export function sentError(error: unknown): { error: SentError } {
  const { code, message, details, cause } = toAppError(error);
  return { error: { code, message, details, cause: cause instanceof Error ? cause : undefined } };
}
