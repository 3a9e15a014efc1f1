import { computed, signal } from '@preact/signals';
import {
  type BatchOptions,
  type BatchRow,
  type Field,
  ScriptoriumError,
  type TemplateReport,
} from '@scriptorium/client';
import { encodingOf, openTable, readJsonLines, textOf } from '@scriptorium/client/tables';
import { downloadZip } from 'client-zip';
import { type Code, codeOf, quoted, shellWord } from '../code/code.ts';
import { extensionOf } from '../documents.ts';
import { countTrial, key } from '../key.ts';
import { checkFile, Operation } from '../operation.ts';
import type { MadeFormat } from '../parts/controls.tsx';
import { problemOf } from '../problem.ts';
import { baseUrl } from '../service.ts';
import { namedFields } from './named-fields.ts';
import { signerEmail, signerName } from './sign-state.ts';

export const TABLE_FORMATS = ['csv', 'tsv', 'txt', 'ndjson', 'jsonl'];
/** The command takes more. */
const COLUMNS_MAX = 500;
const FAILURES_SHOWN_MAX = 200;

/** Rows of a table with the names of its columns. */
interface Table {
  columns: readonly string[];
  rows: string[][];
}

export const template = signal<File | null>(null);
export const report = signal<TemplateReport | null>(null);
export const tableFile = signal<File | null>(null);
export const table = signal<Table | null>(null);
/** The encoding that the visitor chose, and the one that was found, with a word how sure it is. */
export const encoding = signal('');
export const found = signal('');
/** Rows of NDJSON, as they were sent. */
export const lines = signal<BatchRow[] | null>(null);
/** The column of each field. */
export const mapping = signal<Record<string, string>>({});
export const to = signal<MadeFormat>('pdf');
/** Whether the signer of the tab Sign signs each document. */
export const isSigned = signal(false);
export const operation = new Operation();

export const done = signal(0);
export const failures = signal<{ row: number; code: string; message: string }[]>([]);
export const failedCount = signal(0);
export const archive = signal<Blob | null>(null);

/** Fields that one value of a column can fill. */
export const fields = computed(() =>
  namedFields(report.value?.fields ?? []).filter(({ type }) => type === 'text'),
);

/** No column of the table goes into a document. */
export const isUnmapped = computed(
  () =>
    table.value !== null &&
    lines.value === null &&
    fields.value.every(({ id }) => !table.value?.columns.includes(mapping.value[id] ?? '')),
);

/** Columns that no field takes. */
export const unusedColumns = computed(() => {
  const used = new Set(Object.values(mapping.value));
  return table.value?.columns.filter((column) => !used.has(column)) ?? [];
});

export const rowCount = computed(() => lines.value?.length ?? table.value?.rows.length ?? 0);
/** A trial makes only some of the rows. */
export const usedRows = computed(() => Math.min(rowCount.value, key.value?.trial?.left ?? Infinity));

const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function mapByNames(): void {
  const columns = table.value?.columns ?? [];
  mapping.value = Object.fromEntries(
    fields.value.map(({ id, label = '' }) => [
      id,
      columns.find((column) => [plain(id), plain(label)].includes(plain(column))) ?? '',
    ]),
  );
}

export function setTemplate(chosen: File): void {
  template.value = chosen;
  report.value = null;
  operation.problem.value = checkFile(chosen, ['docx']);
  if (operation.problem.value !== null) return;
  void operation.run(async (client, signal) => {
    report.value = await client.inspect(chosen, { signal });
    mapByNames();
  });
}

export async function setTable(chosen: File): Promise<void> {
  tableFile.value = chosen;
  table.value = null;
  lines.value = null;
  found.value = '';
  operation.problem.value = checkFile(chosen, TABLE_FORMATS);
  if (operation.problem.value !== null) return;
  try {
    await readTable(chosen);
  } catch (error) {
    operation.problem.value = problemOf(error);
  }
}

async function readTable(chosen: File): Promise<void> {
  const extension = extensionOf(chosen.name);
  const isJson = extension === 'ndjson' || extension === 'jsonl';
  const source = { name: `“${chosen.name}”`, open: () => chunksOf(chosen), isJson };
  const used = await encodingOf(source, encoding.value || undefined);
  found.value = `${used.isGuess ? 'Guessed' : 'Found'}: ${used.encoding}`;
  const text = textOf(source, used.encoding);
  if (isJson) {
    const all: BatchRow[] = [];
    for await (const { value, place } of readJsonLines(text, source.name)) all.push(rowOfJson(value, place));
    lines.value = all;
    return;
  }
  const opened = await openTable(text, source.name, extension === 'tsv' ? '\t' : undefined);
  if (opened.columns.length > COLUMNS_MAX)
    throw localError(`${source.name} has more than ${COLUMNS_MAX} columns. The command takes more.`);
  const all: string[][] = [];
  for await (const { value } of opened.rows) all.push(value);
  table.value = { columns: opened.columns, rows: all };
  mapByNames();
}

/** Not all browsers iterate over a stream. */
async function* chunksOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}

const localError = (message: string): ScriptoriumError =>
  new ScriptoriumError({ code: 'DATA_INVALID', message });

function rowOfJson(value: unknown, place: string): BatchRow {
  if (typeof value !== 'object' || value === null) throw localError(`${place} is not an object.`);
  return ('data' in value || 'fields' in value ? value : { data: value }) as BatchRow;
}

function rowOf(cells: readonly string[], columns: readonly string[]): BatchRow {
  const filled = fields.value.flatMap(({ id }): Field[] => {
    const column = columns.indexOf(mapping.value[id] ?? '');
    return column < 0 ? [] : [{ id, type: 'text', value: cells[column] ?? '' }];
  });
  return { fields: filled };
}

function* rows(count: number): Generator<BatchRow> {
  const { value } = table;
  for (let at = 0; at < count; at++)
    yield lines.value?.[at] ?? rowOf(value?.rows[at] ?? [], value?.columns ?? []);
}

/** What belongs to all rows. */
const requestNow = (): Pick<BatchOptions, 'sign'> => {
  if (!isSigned.value) return {};
  const signer = { name: signerName.value.trim(), email: signerEmail.value.trim() };
  return { sign: { signer, auditTrail: [{ type: 'submit', timestamp: new Date().toISOString() }] } };
};

export function run(): void {
  const { value } = template;
  if (value === null || rowCount.value === 0) return;
  done.value = 0;
  failedCount.value = 0;
  failures.value = [];
  archive.value = null;
  // A blob may leave the memory of the page.
  const files: { name: string; input: Blob }[] = [];
  void operation.run(async (client, signal) => {
    const limit = usedRows.value;
    const options = { to: to.value, ...requestNow(), signal };
    const digits = String(limit).length;
    try {
      for await (const made of client.batch(value, rows(limit), options)) {
        const number = made.index + 1;
        if ('error' in made) addFailure(number, made.error);
        else {
          const name = `${String(number).padStart(digits, '0')}.${to.value}`;
          files.push({ name, input: new Blob([made.bytes]) });
          done.value += 1;
        }
        const { trial } = key.value ?? {};
        if (trial !== undefined) countTrial(Math.max(0, trial.left - 1));
      }
    } finally {
      // What was made before the visitor stopped, or the service failed, is kept.
      if (files.length > 0) archive.value = await downloadZip(files).blob();
    }
  });
}

function addFailure(row: number, error: unknown): void {
  failedCount.value += 1;
  const { code = '', message = '' } = problemOf(error) ?? {};
  if (failures.value.length < FAILURES_SHOWN_MAX)
    failures.value = [...failures.value, { row, code, message }];
}

export const code = computed((): Code => {
  const fileName = template.value?.name ?? 'sample-template.docx';
  const rowsName = 'rows.ndjson';
  const request = requestNow();
  const isPlain = request.sign === undefined;
  const options = isPlain ? `{ to: '${to.value}' }` : `{ to: '${to.value}', ...request }`;
  return {
    ...codeOf({
      path: '/v1/batches',
      fileName,
      cli: `scriptorium generate ${shellWord(fileName)} -d ${rowsName} --envelope --to ${to.value}${isPlain ? '' : ` --request ${REQUEST_NAME}`} -o out/`,
      imports: ["import { readFile, writeFile } from 'node:fs/promises';"],
      typescript: [
        ...(isPlain ? [] : [`const request = JSON.parse(await readFile('${REQUEST_NAME}', 'utf8'));`]),
        `const rows = (await readFile('${rowsName}', 'utf8')).trim().split('\\n').map((line) => JSON.parse(line));`,
        `for await (const made of client.batch({ path: ${quoted(fileName)} }, rows, ${options})) {`,
        "  if ('error' in made) console.error(made.index, made.error.message);",
        `  else await writeFile(\`\${made.index}.${to.value}\`, made.bytes);`,
        '}',
      ].join('\n'),
    }),
    ...batchByHand(fileName, rowsName, isPlain),
    files: [
      { name: rowsName, text: allRows },
      ...(isPlain ? [] : [{ name: REQUEST_NAME, text: () => JSON.stringify(request) }]),
    ],
  };
});

const REQUEST_NAME = 'request.json';

/** The rows as the service reads them, one on a line. */
const allRows = (): string => [...rows(rowCount.value)].map((row) => `${JSON.stringify(row)}\n`).join('');

/** A batch is lines: the template first, then the rows. */
function batchByHand(fileName: string, rowsName: string, isPlain: boolean): Pick<Code, 'curl' | 'python'> {
  const url = `${baseUrl}/v1/batches?to=${to.value}&output=zip`;
  const base64 = `"$(base64 < ${shellWord(fileName)} | tr -d '\\n')"`;
  const head = isPlain
    ? `printf '{"document": {"base64": "%s"}}\\n' ${base64}`
    : `printf '{"document": {"base64": "%s"}, %s\\n' ${base64} "$(cut -c 2- ${REQUEST_NAME})"`;
  return {
    curl: [
      `{ ${head}; cat ${rowsName}; } |`,
      '  curl -s -H "Authorization: Bearer $KEY" -H \'Content-Type: application/x-ndjson\' --data-binary @- \\',
      `  -o documents.zip ${shellWord(url)}`,
    ].join('\n'),
    python: [
      'import base64, json, os, urllib.request',
      '',
      `document = base64.b64encode(open(${quoted(fileName)}, "rb").read()).decode()`,
      `lines = json.dumps({"document": {"base64": document}${isPlain ? '' : `, **json.load(open("${REQUEST_NAME}"))`}}).encode() + b"\\n" + open("${rowsName}", "rb").read()`,
      `call = urllib.request.Request(${quoted(url)}, lines, {"Authorization": "Bearer " + os.environ["KEY"], "Content-Type": "application/x-ndjson"})`,
      'open("documents.zip", "wb").write(urllib.request.urlopen(call).read())',
    ].join('\n'),
  };
}
