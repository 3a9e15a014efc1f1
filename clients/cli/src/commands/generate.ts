import { createHash } from 'node:crypto';
import type { BatchOptions, GenerateOptions } from '@scriptorium/client';
import { GENERATE_OPTIONS } from '@scriptorium/client/options';
import { checkColumns } from '../batch/check-columns.ts';
import { countRows, formatOfRows, type RowOptions, readRows } from '../batch/input-rows.ts';
import { Journal } from '../batch/journal.ts';
import { type Counts, makeAll, type Outcome } from '../batch/make-all.ts';
import { CliError, EXIT, sayFault } from '../cli-error.ts';
import { type Call, type Command, JSON_OPTION, OUTPUT_OPTION, serviceOptions } from '../command.ts';
import { say } from '../io.ts';
import { makeFolder } from '../outputs.ts';
import { Progress } from '../progress.ts';
import {
  dataNameOf,
  encodingIn,
  formatFor,
  readJson,
  readObject,
  type SentFile,
  STANDARD,
  sourceOf,
  stemOf,
} from '../sources.ts';
import { handOver } from './hand-over.ts';

/** Failed rows that are shown one by one. */
const FAULTS_SHOWN_MAX = 10;

export const generate: Command = {
  name: 'generate',
  synopsis: 'TEMPLATE -d DATA -o PATH',
  summary: `Make documents from a template and data. A JSON object is one document. NDJSON, CSV, TSV and a JSON list are a
batch: each row is a document in the folder after -o. The same command goes on where a batch ended.`,
  arguments: [1, 1],
  options: {
    data: {
      type: 'string',
      short: 'd',
      value: 'FILE',
      help: '.json, .ndjson, .jsonl, .csv or .tsv; - for standard input',
    },
    ...OUTPUT_OPTION,
    ...serviceOptions(GENERATE_OPTIONS),
    format: {
      type: 'string',
      value: 'FORMAT',
      help: 'Format of the data: json, ndjson, csv or tsv; needed for standard input',
    },
    delimiter: {
      type: 'string',
      value: 'CHARACTER',
      help: 'Between the cells of CSV, by default the one that its first line has',
    },
    encoding: {
      type: 'string',
      value: 'NAME',
      help: 'Encoding of the data, such as windows-1250; by default UTF-8, UTF-16 or Windows-1252 is detected',
    },
    false: {
      type: 'string',
      value: 'WORDS',
      help: 'Cells of CSV and TSV that are false, with commas between them; by default FALSE',
    },
    'name-column': {
      type: 'string',
      value: 'NAME',
      help: 'The column after which files are named, beside their number',
    },
    envelope: { type: 'boolean', help: 'Rows are {"data": …} or {"fields": …}, as in the API' },
    restart: { type: 'boolean', help: 'Make all documents of a batch again' },
    request: { type: 'string', value: 'FILE', help: 'JSON with `convert` and `sign`, as in the API' },
    ...JSON_OPTION,
  },
  async run(call: Call) {
    const { io } = call;
    const [name = ''] = call.arguments;
    const data = dataNameOf(call, name);
    const format = formatOfRows(data, call.text('format'));
    const { client, limits } = await call.connection();
    const { sizes, formats } = await limits();
    const to = (formatFor(call, formats.generate.to) ?? 'docx') as 'docx' | 'pdf';
    const template = await sourceOf(io, name, sizes.documentBytesMax);
    const options = await optionsOf(call);
    const given = call.text('encoding');
    const value = format === 'json' ? await readJson(io, data, given) : undefined;
    if (format !== 'json' || Array.isArray(value)) {
      const list = Array.isArray(value) ? value : undefined;
      const encoding = list === undefined ? await encodingIn(io, data, given) : 'utf-8';
      const rows = { ...rowOptions(call), format, list, encoding };
      return makeBatch(call, { template, data, rows, to, options });
    }
    if (typeof value !== 'object' || value === null)
      throw new CliError('DATA_INVALID', `${data} is neither an object nor a list.`);
    return handOver(call, [template], `${stemOf(name)}.${to}`, () =>
      client.generate(template.file, value as Record<string, unknown>, { ...options, to } as GenerateOptions),
    );
  },
};

const rowOptions = (call: Call): Omit<RowOptions, 'format' | 'encoding'> => ({
  falseWords: new Set((call.text('false') ?? 'FALSE').toUpperCase().split(',').filter(Boolean)),
  delimiter: call.text('delimiter'),
  nameColumn: call.text('name-column'),
  isEnvelope: call.flag('envelope'),
});

async function optionsOf(call: Call): Promise<BatchOptions & { options: object }> {
  const file = call.text('request');
  const { options = {}, ...request } = file === undefined ? {} : await readObject(call.io, file);
  const { to: _, ...filling } = call.given(GENERATE_OPTIONS);
  return { ...request, options: { ...(options as object), ...filling }, signal: call.io.signal };
}

interface BatchCall {
  template: SentFile;
  data: string;
  rows: RowOptions;
  to: 'docx' | 'pdf';
  options: BatchOptions;
}

async function makeBatch(call: Call, { template, data, rows, to, options }: BatchCall): Promise<number> {
  const { io } = call;
  const folder = call.text('output');
  if (folder === undefined || folder === STANDARD)
    throw new CliError('USAGE', 'Name a folder for the documents of a batch with -o.');
  const { signal: _, ...facts } = options;
  // The second reading of the rows finds no fault that this one does not find.
  const isStream = data === STANDARD && rows.list === undefined;
  const total = isStream ? undefined : await countRows(io, data, rows);
  const { client } = await call.connection();
  if (!isStream) await checkColumns(io, client, template.file, readRows(io, data, rows), data);
  await makeFolder(folder);
  const digest = createHash('sha256')
    .update(Buffer.from(await template.file.arrayBuffer()))
    .digest('hex');
  const journal = await Journal.open(folder, { template: digest, to, facts }, call.flag('restart'));
  const progress = new Progress(io, total);
  const counts: Counts = { before: 0, made: 0, failed: 0 };
  const doneOf = ({ before, made, failed }: Counts): number => before + made + failed;
  const report = (outcome: Outcome | undefined): void => {
    if (outcome !== undefined) show(call, outcome, counts);
    progress.show(doneOf(counts), counts.failed, counts.before);
  };
  try {
    const all = readRows(io, data, rows);
    await makeAll(
      { client, template: template.file, rows: all, folder, to, journal, options, report },
      counts,
    );
  } finally {
    progress.end(doneOf(counts), counts.failed, counts.before);
    await journal.close();
    if (call.isJson)
      io.stdout.write(`${JSON.stringify({ summary: { ...counts, total: total ?? doneOf(counts) } })}\n`);
    else
      say(
        io.stderr,
        `${counts.made} made, ${counts.before} were there, ${counts.failed} failed, in ${folder}`,
      );
    if (total !== undefined && doneOf(counts) < total)
      say(io.stderr, `${total - doneOf(counts)} rows are left. Run the same command again to go on.`);
  }
  return counts.failed > 0 ? EXIT.refused : EXIT.ok;
}

function show(call: Call, outcome: Outcome, { failed }: Counts): void {
  const { io, isJson } = call;
  if (isJson) io.stdout.write(`${JSON.stringify(outcome)}\n`);
  if (!('error' in outcome)) return;
  if (failed <= FAULTS_SHOWN_MAX) {
    if (io.stderr.isTTY) io.stderr.write('\r\u001b[2K');
    sayFault(io, outcome.error, { isJson, subject: `row ${outcome.row}` });
  } else if (failed === FAULTS_SHOWN_MAX + 1) say(io.stderr, 'More rows failed. --json lists all of them.');
}
