import type { FormRow } from '@scriptorium/contracts/form-state';
import type { Conversion } from '@scriptorium/contracts/jobs/convert';
import type { Facts } from '@scriptorium/sanitizer/sanitize';
import { addScripts } from '@scriptorium/sanitizer/scripts';
import { toAppError } from '@scriptorium/shared/to-app-error';
import { costOf } from '../conversion/attempts.ts';
import {
  acceptResult,
  type ConvertContext,
  type Converted,
  type ConvertParts,
  type ConvertSource,
  convertSource,
  engineRequest,
  prepareSource,
} from '../conversion/convert.ts';
import { toAppError as engineFailure } from '../conversion/engine-errors.ts';
import { type Engine, EngineError, type RowForm, type RowMaker } from '../engines/engine.ts';
import { requireSuitableForm, UnsuitableTexts } from '../engines/form.ts';
import type { Compare } from '../threads/threads.ts';

/**
 * Longest time of one row in a process with other rows. A document that takes longer gets the time of a document of its own
 * afterwards.
 */
const ROW_TIMEOUT_MS = 15_000;

/** Scripts whose texts look the same in a form that is filled again; the others need shaping, or run from right to left. */
const SIMPLE_SCRIPTS = new Set(['Greek', 'Cyrillic', 'Armenian', 'Hangul', 'Hiragana', 'Katakana', 'Han']);

/** What the operator learns about rows. */
export interface RowsEvents {
  /** A form could not be filled. The following rows of its pack do not try. */
  formFailed(reason: unknown): void;
  /** Both ways have made different documents. `difference` has no text of them. */
  different(difference: unknown): void;
}

export interface RowsParts extends ConvertParts {
  compare: Compare;
  events: RowsEvents;
}

/** A row: its filled document, the texts for the form with this index, or both. */
export interface RowSource {
  document?: Buffer | undefined;
  values?: ({ form: number } & FormRow) | undefined;
}

export interface ConvertedRow {
  /** Undefined if only the fast way could make it, and does not. */
  converted: Converted | undefined;
  /** If it was made in both ways: whether they give the same document. */
  isSame?: boolean;
  /** Why its form gave no document. */
  unfilled?: Unfilled | undefined;
}

/** Converts the rows of one pack. Close it. */
export interface PackConverter {
  /** Throws an `AppError` for a row that fails. Aborted, or after the deadline, DEADLINE_EXCEEDED. */
  convert(row: RowSource): Promise<ConvertedRow>;
  close(): Promise<void>;
}

/** Returns a form by its index. */
type FormAt = (index: number) => Promise<RowForm>;

/** `template`: the engine does not fill the form, whatever its texts are. */
export type Unfilled = 'template' | 'text' | 'failed';

/** Begins a pack whose rows have these options. */
export type OpenPackConverter = (
  options: Conversion,
  context: ConvertContext,
  formAt: FormAt,
) => PackConverter;

export function convertRowsWith(parts: RowsParts): OpenPackConverter {
  return (options, context, formAt) => {
    const maker = openMaker(parts.engines, options);
    const forms = new Map<number, FilledForm>();
    const fill = async (index: number, row: FormRow) => {
      if (maker === undefined || !isFastWayFor(options)) return 'template';
      const form =
        forms.get(index) ?? new FilledForm(parts, maker, { options, context, read: () => formAt(index) });
      forms.set(index, form);
      return await form.fill(row);
    };
    return {
      convert: (row) => convertRow({ parts, options, context, maker, fill }, row),
      close: async () => await maker?.rows.close(),
    };
  };
}

interface Pack {
  parts: RowsParts;
  options: Conversion;
  context: ConvertContext;
  maker: Maker | undefined;
  fill(form: number, row: FormRow): Promise<Converted | Unfilled>;
}

/** The maker of rows of the preferred engine. */
interface Maker {
  engine: string;
  rows: RowMaker;
}

function openMaker([preferred]: readonly Engine[], { from }: Conversion): Maker | undefined {
  const rows = from === 'docx' ? preferred?.openRows?.() : undefined;
  return preferred && rows && { engine: preferred.name, rows };
}

async function convertRow(pack: Pack, { document, values }: RowSource): Promise<ConvertedRow> {
  const { parts, context } = pack;
  requireTime(context);
  const filled = values && (await pack.fill(values.form, values));
  const [fast, unfilled] = typeof filled === 'string' ? [undefined, filled] : [filled, undefined];
  if (document === undefined) return { converted: fast, unfilled };
  const converted = await convertPlain(pack, document);
  if (fast === undefined) return { converted, unfilled };
  return { converted, isSame: await isSame(parts, converted, fast, context) };
}

/** Throws DEADLINE_EXCEEDED if the caller no longer waits. */
function requireTime(context: ConvertContext): void {
  if (context.signal.aborted || Date.now() >= context.deadlineAt)
    throw engineFailure(new EngineError('aborted', 'no time is left for a row'), context);
}

/**
 * Converts a document in a process with others. If it fails there, it is tried as a single document is, unless it has passed a
 * limit. Rows before it do not count for that.
 */
async function convertPlain(pack: Pack, document: Buffer): Promise<Converted> {
  const { parts, options, context, maker } = pack;
  const source = await prepareSource(parts, document, options, context);
  if (maker === undefined) return await convertSource(parts, source, options, context);
  const request = engineRequest(source, options);
  try {
    const result = await maker.rows.convert(source.bytes, request, runOf(context));
    const { engine } = maker;
    context.spend?.(costOf(result));
    return await acceptResult(parts, { source, engine, result, attempts: 1 }, options, context);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    requireTime(context);
    if (error.kind === 'exhausted') throw engineFailure(error, context);
    return await convertSource(parts, source, options, context);
  }
}

const runOf = ({ signal, deadlineAt }: ConvertContext) => ({
  timeoutMs: Math.max(1, Math.min(ROW_TIMEOUT_MS, deadlineAt - Date.now())),
  signal,
});

async function isSame(
  { compare, events }: RowsParts,
  plain: Converted,
  fast: Converted,
  context: ConvertContext,
): Promise<boolean> {
  try {
    const difference = await compare({ plain: plain.bytes, fast: fast.bytes }, context.signal);
    if (difference !== undefined) events.different(difference);
    return difference === undefined;
  } catch (error) {
    requireTime(context);
    // What cannot be compared counts as different.
    events.different({ what: 'comparison', code: toAppError(error).code });
    return false;
  }
}

interface FormPack {
  options: Conversion;
  context: ConvertContext;
  read(): Promise<RowForm>;
}

/** A form that rows of a pack fill, until the first failure. */
class FilledForm {
  readonly #parts: RowsParts;
  readonly #maker: Maker;
  readonly #pack: FormPack;
  #source: Promise<ConvertSource & { form: RowForm }> | undefined;
  #broken: Unfilled | undefined;

  constructor(parts: RowsParts, maker: Maker, pack: FormPack) {
    this.#parts = parts;
    this.#maker = maker;
    this.#pack = pack;
  }

  /** Throws DEADLINE_EXCEEDED, or what `acceptResult` throws. */
  async fill(row: FormRow): Promise<Converted | Unfilled> {
    if (this.#broken !== undefined) return this.#broken;
    const { options, context } = this.#pack;
    const startedAt = performance.now();
    try {
      this.#source ??= this.#prepare();
      const source = await this.#source;
      const request = engineRequest(source, options);
      const { engine, rows } = this.#maker;
      const result = await rows.fill(source.form, row, request, runOf(context));
      context.spend?.(costOf(result));
      const facts = { ...source.facts, scripts: scriptsOf(source.facts, row.texts) };
      const made = { source: { facts, startedAt, gateMs: 0 }, engine, result, attempts: 1 };
      return await acceptResult(this.#parts, made, options, context);
    } catch (error) {
      requireTime(context);
      if (error instanceof UnsuitableTexts) return 'text';
      this.#broken = error instanceof EngineError && error.kind === 'unsupported' ? 'template' : 'failed';
      if (this.#broken === 'failed') this.#parts.events.formFailed(error);
      return this.#broken;
    }
  }

  /** Rejects with `unsupported` if the form does not suit this way. */
  async #prepare(): Promise<ConvertSource & { form: RowForm }> {
    const { options, context, read } = this.#pack;
    const { bytes, around } = await read();
    const source = await prepareSource(this.#parts, bytes, options, context);
    if (!isSuitable(source))
      throw new EngineError('unsupported', 'the form has content that does not suit it');
    await requireSuitableForm(source.bytes);
    return { ...source, form: { bytes: source.bytes, around } };
  }
}

/** Options that change a loaded document, or whose effect depends on earlier rows, need a document of each row. */
function isFastWayFor(options: Conversion): boolean {
  return (
    options.from === 'docx' &&
    options.to === 'pdf' &&
    options.updateFields === 'none' &&
    options.comments === 'hide' &&
    options.revisions === 'markup' &&
    options.pages === undefined &&
    !options.exportFormFields &&
    options.strictFonts === 'false'
  );
}

function isSuitable({ engineSource, facts: { revisions, scripts } }: ConvertSource): boolean {
  const { insertions, deletions, moves, formatting } = revisions;
  return (
    engineSource === 'docx' &&
    insertions + deletions + moves + formatting === 0 &&
    scripts.every((name) => SIMPLE_SCRIPTS.has(name))
  );
}

/** The scripts of the form and of these texts. */
function scriptsOf({ scripts }: Facts, texts: readonly (string | null)[]): Facts['scripts'] {
  const found = new Set(scripts);
  addScripts(found, texts.join(''));
  return [...found];
}
