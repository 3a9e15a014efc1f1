import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import type { BatchRow } from '@scriptorium/client';
import { parse } from 'csv-parse';
import { CliError } from '../cli-error.ts';
import type { Io } from '../io.ts';
import { STANDARD } from '../sources.ts';
import { textOf, withDelimiter } from './cell-text.ts';

const FORMATS = ['json', 'ndjson', 'csv', 'tsv'] as const;
type Format = (typeof FORMATS)[number];

/** A row of data. `number` counts from 1. */
export interface Row {
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
  /** Of CSV and TSV. Other rows are UTF-8. */
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
export async function* readRows(io: Io, name: string, options: RowOptions): AsyncGenerator<Row> {
  let number = 0;
  for await (const { value, place } of valuesOf(io, name, options)) {
    number++;
    yield { number, ...rowOf(value, place, options) };
  }
}

interface Value {
  value: unknown;
  place: string;
}

async function* valuesOf(io: Io, name: string, options: RowOptions): AsyncGenerator<Value> {
  const { format } = options;
  if (options.list !== undefined)
    for (const [index, value] of options.list.entries()) yield { value, place: `${name}[${index}]` };
  else if (format === 'ndjson') yield* readLines(textOf(io, name, 'utf-8'), name);
  else {
    const { delimiter, text } = await withDelimiter(textOf(io, name, options.encoding));
    const between = options.delimiter ?? (format === 'tsv' ? '\t' : delimiter);
    yield* readCells(Readable.from(text), name, { ...options, delimiter: between });
  }
}

/** As many as a row of the service may have (40 MiB), at one byte a character. */
const LINE_CHARS_MAX = 40 * 1024 * 1024;

async function* readLines(parts: AsyncIterable<string>, name: string): AsyncGenerator<Value> {
  let [rest, number] = ['', 0];
  const parseLine = (line: string): Value[] => {
    number++;
    if (line.trim() === '') return [];
    const place = `${name}, line ${number}`;
    try {
      return [{ value: JSON.parse(line), place }];
    } catch (error) {
      throw new CliError('DATA_INVALID', `${place} is not JSON: ${(error as Error).message}.`);
    }
  };
  for await (const part of parts) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield* parseLine(line);
    if (rest.length > LINE_CHARS_MAX)
      throw new CliError(
        'DATA_INVALID',
        `${name}, line ${number + 1} has more than ${LINE_CHARS_MAX} characters.`,
      );
  }
  yield* parseLine(rest);
}

/** Reads CSV (RFC 4180). The first line has the names of the columns, and all lines have as many cells. */
async function* readCells(
  stream: Readable,
  name: string,
  { delimiter, falseWords }: Pick<RowOptions, 'delimiter' | 'falseWords'>,
): AsyncGenerator<Value> {
  const parser = stream.pipe(
    parse({
      delimiter,
      cast: (cell, { header }) => (!header && falseWords.has(cell.trim().toUpperCase()) ? false : cell),
      columns: (names: string[]) => checkedColumns(names, name),
      skip_empty_lines: true,
      info: true,
      max_record_size: LINE_CHARS_MAX,
    }),
  );
  stream.on('error', (error) => parser.destroy(error));
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: object; info: { lines: number } }>)
      yield { value: record, place: `${name}, line ${info.lines}` };
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError('DATA_INVALID', `${name}: ${(error as Error).message}.`, error);
  } finally {
    stream.destroy();
  }
}

function checkedColumns(names: readonly string[], file: string): string[] {
  const wrong = names.find((name, at) => name === '' || names.indexOf(name) !== at);
  if (wrong === undefined) return [...names];
  const issue = wrong === '' ? 'has a column without a name' : `has two columns ${wrong}`;
  throw new CliError('DATA_INVALID', `The first line of ${file} ${issue}.`);
}

function rowOf(value: unknown, place: string, { isEnvelope, nameColumn }: RowOptions): Omit<Row, 'number'> {
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
export function fileNameOf({ number, title }: Row, to: string): string {
  const base = title
    ?.normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}._ -]+/gu, '_')
    .slice(0, 60)
    .trim();
  return `${String(number).padStart(6, '0')}${base ? `-${base}` : ''}.${to}`;
}
