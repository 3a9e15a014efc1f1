import type { ErrorCode, ErrorDetail } from '@scriptorium/contracts/errors';
import { placeText, type WAYS } from '@scriptorium/contracts/jobs/rows';
import type { GenerateReport, Generation } from '@scriptorium/docx-generate/generation';
import { type Row, TemplateRows } from '@scriptorium/docx-generate/rows';
import { fieldValues } from '@scriptorium/docx-template/fields';
import type { OwnTemplates, TemplateCache } from '@scriptorium/docx-template/template';
import { toAppError } from '@scriptorium/shared/to-app-error';
import { withDocuments } from './insert-documents.ts';

/** Time after which a thread returns what it has, so that requests of single documents can have the thread. */
const GROUP_MS = 5;
/** Forms of one pack. Other rows get documents of their own. */
const FORMS_MAX = 16;
const FORMS_BYTES_MAX = 16 * 1024 * 1024;
/** Names of forms that one row has asked for. */
const NAMES_MAX = 10_000;

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
  /** The forms that the pack has: their names, and their bytes in all. */
  forms: { names: readonly string[]; bytes: number };
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
  | { document?: Uint8Array; values?: { form: string; texts: string[] }; report: DataReport };

interface NewForm {
  name: string;
  bytes: Uint8Array;
}

/** The first rows of a group: at least one. `forms` are those that the pack did not have. */
export type FilledGroup = { rows: FilledRow[]; forms: NewForm[] } | { templateError: SentError };
export type GroupResult = FilledGroup | { lacksTemplate: true };

/** Fills rows for a few milliseconds, or as long as it took to read the template. Never rejects. */
export async function fillGroup(task: GroupTask, templates: TemplateCache): Promise<GroupResult> {
  const startedAt = performance.now();
  const template = await opened(task, templates.of(task.owner)).catch(sentError);
  if (template === undefined) return { lacksTemplate: true };
  if ('error' in template) return { templateError: template.error };
  const group = new Group(template, task);
  const until = performance.now() + Math.max(GROUP_MS, performance.now() - startedAt);
  const rows: FilledRow[] = [];
  for (const [index, row] of task.rows.entries()) {
    Atomics.store(task.begun, 0, index + 1);
    rows.push(await group.fill(row).catch(sentError));
    if (performance.now() >= until) break;
  }
  return { rows, forms: group.newForms };
}

type Template = Awaited<ReturnType<OwnTemplates['open']>>;

/** The rows of a template with the same options. */
interface KnownRows {
  rows: TemplateRows;
  optionsKey: string;
  /** The forms that a row has asked for. */
  named: Set<string>;
}

/** Of each template the last, since packs of one batch follow each other. */
const known = new WeakMap<Template, KnownRows>();

async function opened(
  { hash, source, options, isForData }: GroupTask,
  templates: OwnTemplates,
): Promise<KnownRows | undefined> {
  const template = templates.known(hash) ?? (source && (await templates.open(source)));
  if (template === undefined) return undefined;
  const optionsKey = JSON.stringify(options);
  const last = known.get(template);
  const own =
    last?.optionsKey === optionsKey
      ? last
      : { rows: new TemplateRows(template, options, placeText), optionsKey, named: new Set<string>() };
  known.set(template, own);
  if (isForData) own.rows.check();
  return own;
}

class Group {
  readonly newForms: NewForm[] = [];
  readonly #template: KnownRows;
  readonly #way: GroupTask['way'];
  readonly #names: Set<string>;
  #bytes: number;

  constructor(template: KnownRows, { way, forms }: GroupTask) {
    this.#template = template;
    this.#way = way;
    this.#names = new Set(forms.names);
    this.#bytes = forms.bytes;
  }

  async fill(task: RowTask): Promise<FilledRow> {
    const row = read(task);
    const placed = this.#way === 'plain' ? undefined : await this.#placed(row);
    if (placed !== undefined && this.#way === 'fast') return placed;
    const made = await this.#template.rows.document(row);
    const { bytes, report } = await withDocuments(made, row.images);
    return { ...placed, document: bytes, report };
  }

  async #placed(row: Row): Promise<Extract<FilledRow, { report: DataReport }> | undefined> {
    const placed = await this.#template.rows.placed(row);
    if (placed === undefined || !(await this.#has(placed.form))) return undefined;
    const { form, texts, report } = placed;
    return { values: { form, texts }, report };
  }

  /** Whether the pack has a form from now on. A form costs as much as a document, so the first row of its kind has none. */
  async #has(name: string): Promise<boolean> {
    if (this.#names.has(name)) return true;
    const { rows, named } = this.#template;
    const isFirst = this.#way === 'fast' && !rows.isKnown(name) && !named.has(name);
    if (named.size >= NAMES_MAX) named.clear();
    named.add(name);
    if (isFirst || this.#names.size >= FORMS_MAX) return false;
    const bytes = await rows.form(name);
    if (bytes === undefined || this.#bytes + bytes.length > FORMS_BYTES_MAX) return false;
    this.#names.add(name);
    this.#bytes += bytes.length;
    this.newForms.push({ name, bytes });
    return true;
  }
}

function read(task: RowTask): Row {
  const { images = Buffer.alloc(0) } = task;
  const json = (bytes: Buffer): unknown => JSON.parse(bytes.toString());
  if ('fields' in task) return { fields: fieldValues.parse(json(task.fields)), images };
  return { data: json(task.data) as Extract<Row, { data: unknown }>['data'], images };
}

function sentError(error: unknown): { error: SentError } {
  const { code, message, details, cause } = toAppError(error);
  return { error: { code, message, details, cause: cause instanceof Error ? cause : undefined } };
}
