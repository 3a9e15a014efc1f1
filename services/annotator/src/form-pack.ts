import type { FormValues, PlainReason } from '@scriptorium/contracts/jobs/rows';
import type { PieceShape } from '@scriptorium/docx-generate/rows';
import type { FilledForms } from './fill-forms.ts';
import type { FilledRow, SentError } from './fill-group.ts';

/** A form for fewer rows costs more than it gains. */
const FORM_ROWS_MIN = 3;

type WellFilled = Exclude<FilledRow, { error: unknown }>;

/** A row with what it puts into a form of its pack, if it does. */
export type FormedRow =
  | { error: SentError }
  | (WellFilled & {
      values?: FormValues | undefined;
      /** Its document is still to be made. */
      needsDocument?: boolean;
    });

export interface PackForms {
  rows: FormedRow[];
  forms: FilledForms['forms'];
}

/** The rows that have shapes. */
interface Shaped {
  at: number[];
  shapes: PieceShape[][];
  rowsMin: number;
  checked: readonly string[] | undefined;
}

/**
 * Puts the rows of a pack that have shapes into forms, which `make` makes. In the fast way, one row of each kind that has not
 * been compared yet is made in both ways.
 */
export async function withForms(
  filled: readonly FilledRow[],
  { way, checked }: { way: 'fast' | 'both'; checked: readonly string[] },
  make: (task: Shaped) => Promise<FilledForms | { templateError: SentError }>,
): Promise<PackForms> {
  const rows = [...filled.entries()].flatMap(([at, row]) =>
    'error' in row || row.shape === undefined ? [] : [{ at, shape: row.shape }],
  );
  const task = {
    at: rows.map(({ at }) => at),
    shapes: rows.map(({ shape }) => shape),
    rowsMin: way === 'both' ? 1 : FORM_ROWS_MIN,
    checked: way === 'both' ? undefined : checked,
  };
  // What is wrong with the template, or too much for a thread, is an error of the rows' documents. Another pack may have forms.
  const made = rows.length === 0 ? undefined : await make(task).catch(() => undefined);
  const forms = made === undefined || 'templateError' in made ? { forms: [], rows: [] } : made;
  const ownOf = new Map(rows.map(({ at }, index) => [at, forms.rows[index] ?? ('failed' as PlainReason)]));
  const compared = way === 'fast' ? comparedRows(ownOf, checked) : new Set<number>();
  const formed = filled.map((row, at): FormedRow => {
    if ('error' in row) return row;
    const own = ownOf.get(at);
    const { shape: _shape, ...rest } = row;
    if (own === undefined) return rest;
    const needsDocument = row.document === undefined && (typeof own === 'string' || compared.has(at));
    return typeof own === 'string'
      ? { ...rest, plain: own, needsDocument }
      : { ...rest, values: own, needsDocument };
  });
  return { rows: formed, forms: forms.forms };
}

/** For each kind that was not compared yet, the row that lacks most. */
function comparedRows(
  rows: ReadonlyMap<number, FormValues | PlainReason>,
  checked: readonly string[],
): Set<number> {
  const bySize = [...rows]
    .flatMap(([at, own]) => (typeof own === 'string' ? [] : [{ at, ...own }]))
    .sort((one, other) => other.gone.length - one.gone.length);
  const known = new Set(checked);
  const compared = new Set<number>();
  for (const { at, kind } of bySize) {
    if (!known.has(kind)) compared.add(at);
    known.add(kind);
  }
  return compared;
}
