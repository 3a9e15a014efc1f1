import type { TemplateCache } from '@scriptorium/docx-template/annotate';
import { fieldValues } from '@scriptorium/docx-template/fields';
import type { Generation } from '@scriptorium/docx-template/generation';
import { type Row, TemplateRows } from '@scriptorium/docx-template/rows';
import type { ErrorCode, ErrorDetail } from '@scriptorium/shared/errors';
import { placeText, type WAYS } from '@scriptorium/shared/jobs/rows';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { toAppError } from '@scriptorium/shared/to-app-error';
import type { DataReport } from './annotate-thread.ts';

/** Time after which a thread returns what it has, so that requests of single documents can have the thread. */
const GROUP_MS = 5;
/** Forms of one pack. Rows that need others get documents of their own, since each form costs as much as a document. */
const FORMS_MAX = 4;

/** One row: the JSON of its data, or of `fieldValues`. */
export type RowTask = ({ data: Uint8Array } | { fields: Uint8Array }) & { images: Uint8Array | undefined };

/** The next rows of a pack. */
export interface GroupTask {
  kind: 'rows';
  /** SHA-256 of the template in base64url. */
  hash: string;
  /** The template, if the thread does not know it. */
  source?: Uint8Array;
  options: Generation;
  way: (typeof WAYS)[number];
  rows: readonly RowTask[];
  /** The template is refused if no data can fill it. */
  isForData: boolean;
  /** The forms that the pack has. */
  formKeys: readonly string[];
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
  | { document?: Uint8Array; values?: { key: string; texts: string[] }; report: DataReport };

/** The first rows of a group: at least one. `forms` are those that the pack did not have. */
export type FilledGroup =
  | { rows: FilledRow[]; forms: { key: string; bytes: Uint8Array }[] }
  | { templateError: SentError };
export type GroupResult = FilledGroup | { lacksTemplate: true };

/** Fills rows for a few milliseconds, or as long as it took to read the template. Never rejects. */
export async function fillGroup(task: GroupTask, templates: TemplateCache): Promise<GroupResult> {
  const startedAt = performance.now();
  const template = await opened(task, templates).catch(sentError);
  if (template === undefined) return { lacksTemplate: true };
  if ('error' in template) return { templateError: template.error };
  const group = new Group(template, task);
  const until = performance.now() + Math.max(GROUP_MS, performance.now() - startedAt);
  const rows: FilledRow[] = [];
  for (const row of task.rows) {
    rows.push(await group.fill(row).catch(sentError));
    if (performance.now() >= until) break;
  }
  return { rows, forms: group.newForms };
}

async function opened(
  { hash, source, options, isForData }: GroupTask,
  templates: TemplateCache,
): Promise<TemplateRows | undefined> {
  const template = templates.known(hash) ?? (source && (await templates.open(asBuffer(source))));
  if (template === undefined) return undefined;
  const rows = new TemplateRows(template, options, placeText);
  if (isForData) rows.check();
  return rows;
}

class Group {
  readonly newForms: { key: string; bytes: Uint8Array }[] = [];
  readonly #template: TemplateRows;
  readonly #way: GroupTask['way'];
  readonly #keys: Set<string>;

  constructor(template: TemplateRows, { way, formKeys }: GroupTask) {
    this.#template = template;
    this.#way = way;
    this.#keys = new Set(formKeys);
  }

  async fill(task: RowTask): Promise<FilledRow> {
    const row = read(task);
    const placed = this.#way === 'plain' ? undefined : await this.#texts(row);
    if (placed !== undefined && this.#way === 'fast') return placed;
    const { bytes, report } = await this.#template.document(row);
    return { ...placed, document: bytes, report };
  }

  async #texts(row: Row): Promise<Extract<FilledRow, { report: DataReport }> | undefined> {
    const placed = await this.#template.placed(row);
    if (placed === undefined) return undefined;
    const { form: key, isRepeated, texts, report } = placed;
    if (!this.#keys.has(key)) {
      if (this.#keys.size >= FORMS_MAX || !(isRepeated || this.#way === 'both')) return undefined;
      const bytes = await this.#template.form(key);
      if (bytes === undefined) return undefined;
      this.newForms.push({ key, bytes });
      this.#keys.add(key);
    }
    return { values: { key, texts }, report };
  }
}

function read(task: RowTask): Row {
  const images = task.images === undefined ? Buffer.alloc(0) : asBuffer(task.images);
  const json = (bytes: Uint8Array): unknown => JSON.parse(asBuffer(bytes).toString());
  if ('fields' in task) return { fields: fieldValues.parse(json(task.fields)), images };
  return { data: json(task.data) as Extract<Row, { data: unknown }>['data'], images };
}

function sentError(error: unknown): { error: SentError } {
  const { code, message, details, cause } = toAppError(error);
  return { error: { code, message, details, cause: cause instanceof Error ? cause : undefined } };
}
