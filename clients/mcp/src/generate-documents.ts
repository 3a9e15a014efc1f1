import { type BatchRow, ScriptoriumError } from '@scriptorium/client';
import { GENERATE_OPTIONS } from '@scriptorium/client/options';
import { encodingOf, openTable, type Placed, readJsonLines, textOf } from '@scriptorium/client/tables';
import { z } from 'zod';
import { fileOf, inputsOf, path, tool } from './define.ts';
import type { Context } from './tool.ts';

/** The command makes more. */
const ROWS_MAX = 200;
const DIGITS = 6;

const invalid = (message: string): ScriptoriumError =>
  new ScriptoriumError({ code: 'DATA_INVALID', message });

export const generateDocuments = tool({
  name: 'generate_documents',
  title: 'Generate a document from each row',
  description:
    `Makes a document from each row of a table (.csv, .tsv, .ndjson), ${ROWS_MAX} at most. The first line of a table names its columns. ` +
    'Check the answer: `columnsUnused` are read by no mark, and `failed` rows have no document.',
  input: z.object({
    template: path('The DOCX template'),
    table: path('The table'),
    prefix: z.string().min(1).max(200).describe('What the names of the documents begin with'),
    to: z.enum(['docx', 'pdf']).default('docx'),
    encoding: z.string().optional().describe('Its encoding, such as windows-1250. By default it is found'),
    delimiter: z.string().optional().describe('Between the cells of a .csv. By default it is found'),
    ...inputsOf(GENERATE_OPTIONS),
  }),
  output: z.object({
    made: z.array(z.string()).describe('The documents that were written'),
    failed: z.array(z.object({ row: z.int(), code: z.string(), message: z.string() })),
    columnsUnused: z.array(z.string()),
    encoding: z.string(),
    isEncodingGuessed: z.boolean(),
  }),
  writes: true,
  async run({ template, table, prefix, to, encoding: given, delimiter, ...options }, context) {
    const { documents, client, signal, report } = context;
    const file = await fileOf(template, context);
    const { rows, ...found } = await rowsOf(await fileOf(table, context), given, delimiter);
    const columnsUnused = await unusedColumns(file, rows, context);
    const nameOf = (index: number): string => `${prefix}${String(index + 1).padStart(DIGITS, '0')}.${to}`;
    for (const index of rows.keys()) await documents.checkNew(nameOf(index));
    const made: string[] = [];
    const failed: { row: number; code: string; message: string }[] = [];
    for await (const result of client.batch(file, rows, { options, to, signal })) {
      if ('error' in result) {
        const { code, message } = result.error;
        failed.push({ row: result.index + 1, code, message });
      } else {
        const name = nameOf(result.index);
        await documents.create(name, result.bytes);
        made.push(name);
      }
      report(made.length + failed.length, rows.length);
    }
    return { facts: { made: made.sort(), failed, columnsUnused, ...found } };
  },
});

/** The columns that no mark reads. Throws DATA_INVALID if no mark reads any: all documents would be equal. */
async function unusedColumns(
  template: File,
  rows: readonly BatchRow[],
  { client, signal }: Pick<Context, 'client' | 'signal'>,
): Promise<string[]> {
  const data = rows[0]?.data;
  if (data === undefined || Array.isArray(data)) return [];
  const { unused = { count: 0, names: [] } } =
    (await client.inspect(template, { data, signal })).template.data ?? {};
  const names = unused.names.map((name) => name.replace(/^data\./, ''));
  if (unused.count >= Object.keys(data).length)
    throw invalid(`The template reads none of the columns: ${names.join(', ')}.`);
  return names;
}

async function rowsOf(file: File, given: string | undefined, delimiter: string | undefined) {
  const isJson = /\.(ndjson|jsonl)$/i.test(file.name);
  const source = { name: file.name, open: () => file.stream(), isJson };
  const { encoding, isGuess } = await encodingOf(source, given);
  const text = textOf(source, encoding);
  const values: AsyncIterable<Placed<object>> = isJson
    ? objectsOf(readJsonLines(text, file.name))
    : recordsOf(text, file.name, delimiter ?? (/\.tsv$/i.test(file.name) ? '\t' : undefined));
  const rows: BatchRow[] = [];
  for await (const { value, place } of values) {
    if (rows.length === ROWS_MAX) throw invalid(`${place} is one row more than ${ROWS_MAX}.`);
    rows.push({ data: value as Record<string, unknown> });
  }
  if (rows.length === 0) throw invalid(`${file.name} has no rows.`);
  return { rows, encoding, isEncodingGuessed: isGuess };
}

async function* objectsOf(lines: AsyncIterable<Placed<unknown>>): AsyncGenerator<Placed<object>> {
  for await (const { value, place } of lines) {
    if (typeof value !== 'object' || value === null) throw invalid(`${place} is not an object.`);
    yield { value, place };
  }
}

async function* recordsOf(
  text: AsyncGenerator<string>,
  name: string,
  delimiter: string | undefined,
): AsyncGenerator<Placed<object>> {
  const { columns, rows } = await openTable(text, name, delimiter);
  for await (const { value, place } of rows)
    yield { value: Object.fromEntries(columns.map((column, at) => [column, value[at] ?? ''])), place };
}
