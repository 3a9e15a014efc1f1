import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import type { BatchRow } from '@scriptorium/client';
import { openTable, type Placed, readJsonLines } from '@scriptorium/client/tables';
import { CliError } from '../cli-error.ts';
import type { Io } from '../io.ts';
import { STANDARD, textIn } from '../sources.ts';

const FORMATS = ['json', 'ndjson', 'csv', 'tsv'] as const;
type Format = (typeof FORMATS)[number];

/** A row of data. `number` counts from 1. */
export interface InputRow {
  number: number;
  row: BatchRow;
  /** What its file is named after, if the user chose a column. */
  title?: string | undefined;
  /** Identifies the content. */
  digest: string;
}

export interface RowOptions {
  format: Format;
  /** The rows themselves, if they were read already. */
  list?: readonly unknown[] | undefined;
  encoding: string;
  /** Between the cells of CSV. By default what the first line has most. */
  delimiter?: string | undefined;
  /** The cells of CSV and TSV that are false, in upper case. */
  falseWords: ReadonlySet<string>;
  /** The column or property that files are named after. */
  nameColumn?: string | undefined;
  /** Rows are `{data | fields, name?, id?}`, as in the API. By default each row is data. */
  isEnvelope: boolean;
}

/** Returns the format of rows: the one that the user named, or that of the name of the file. */
export function formatOfRows(name: string, given: string | undefined): Format {
  const extension = name === STANDARD ? '' : extname(name).slice(1).toLowerCase();
  const format = FORMATS.find((one) => one === (given ?? (extension === 'jsonl' ? 'ndjson' : extension)));
  if (format !== undefined) return format;
  throw new CliError('USAGE', `Name the format of ${name} with --format: ${FORMATS.join(', ')}.`);
}

/** Reads rows in parts, so that a file may have any number. */
export async function* readRows(io: Io, name: string, options: RowOptions): AsyncGenerator<InputRow> {
  let number = 0;
  for await (const { value, place } of valuesOf(io, name, options)) {
    number++;
    yield { number, ...rowOf(value, place, options) };
  }
}

async function* valuesOf(io: Io, name: string, options: RowOptions): AsyncGenerator<Placed<unknown>> {
  const { format } = options;
  if (options.list !== undefined)
    for (const [index, value] of options.list.entries()) yield { value, place: `${name}[${index}]` };
  else if (format === 'ndjson') yield* readJsonLines(await textIn(io, name, options.encoding), name);
  else yield* recordsOf(io, name, options);
}

async function* recordsOf(io: Io, name: string, options: RowOptions): AsyncGenerator<Placed<unknown>> {
  const given = options.delimiter ?? (options.format === 'tsv' ? '\t' : undefined);
  const { columns, rows } = await openTable(await textIn(io, name, options.encoding), name, given);
  const valueIn = (cell: string) => (options.falseWords.has(cell.trim().toUpperCase()) ? false : cell);
  for await (const { value, place } of rows)
    yield {
      value: Object.fromEntries(columns.map((column, at) => [column, valueIn(value[at] ?? '')])),
      place,
    };
}

function rowOf(
  value: unknown,
  place: string,
  { isEnvelope, nameColumn }: RowOptions,
): Omit<InputRow, 'number'> {
  if (typeof value !== 'object' || value === null || (isEnvelope && Array.isArray(value)))
    throw new CliError('DATA_INVALID', `${place} is not an object.`);
  const row = (isEnvelope ? value : { data: value }) as BatchRow;
  const data = (row.data ?? {}) as Record<string, unknown>;
  const named = nameColumn === undefined ? row.name : data[nameColumn];
  if (nameColumn !== undefined && named === undefined)
    throw new CliError('DATA_INVALID', `${place} has no ${nameColumn}, after which its file is named.`);
  const digest = createHash('sha256').update(JSON.stringify(row)).digest('hex').slice(0, 32);
  return { row, digest, title: named === undefined || named === null ? undefined : String(named) };
}

/** Counts the rows of a file without keeping them. */
export async function countRows(io: Io, name: string, options: RowOptions): Promise<number> {
  let count = 0;
  for await (const _ of valuesOf(io, name, options)) count++;
  return count;
}

/** Returns the name of the file of a row, which no other row has: `000017-Ada.pdf`. */
export function fileNameOf({ number, title }: InputRow, to: string): string {
  const base = title
    ?.normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}._ -]+/gu, '_')
    .slice(0, 60)
    .trim();
  return `${String(number).padStart(6, '0')}${base ? `-${base}` : ''}.${to}`;
}
