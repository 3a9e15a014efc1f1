/**
 * bench/generate.ts [--seconds 10] [--only nested]
 *
 * Prints CPU and wall time of generating a document from a template and data, beside the packages whose templates it reads. The
 * runs are interleaved, on the same content and data. The output is read and must contain the values.
 */
import { parseArgs } from 'node:util';
import { type Filler, generator, PEERS } from './fillers.ts';
import { COLUMNS, imageTask, measure, type Task, textTask } from './filling.ts';
import { table } from './letters.ts';

const ROWS = 500;
const GROUPS = 50;
const ROWS_A_GROUP = 20;

const rowsOf = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, number) =>
    COLUMNS.map((column, index) => `${prefix}${column} ${number}/${index}`),
  );

function tableTask(): Task {
  const rows = rowsOf(ROWS, '');
  return {
    name: `${ROWS} rows of ${COLUMNS.length} cells`,
    values: { table: { columns: COLUMNS, rows } },
    content: ({ rows: markup }) => markup && [table(COLUMNS, markup(COLUMNS))],
    expected: rows.map((cells) => cells.at(-1) ?? ''),
  };
}

function nestedTask(): Task {
  const groups = Array.from({ length: GROUPS }, (_, index) => ({
    name: `no. ${index}`,
    rows: rowsOf(ROWS_A_GROUP, `${index}: `),
  }));
  return {
    name: `${GROUPS} nested tables of ${ROWS_A_GROUP} rows`,
    values: { groups: { columns: COLUMNS, groups } },
    // In one piece, so that the loop holds nothing else of the letter.
    content: ({ nested }) => nested && [nested(COLUMNS).join('')],
    expected: groups.flatMap(({ rows }) => rows.map((cells) => cells.at(-1) ?? '')),
  };
}

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, only: { type: 'string', default: '' } },
});
const fillers: Filler[] = [generator('generate, warm', true), generator('generate, cold', false), ...PEERS];
for (const task of [textTask(), tableTask(), nestedTask(), imageTask()])
  if (task.name.includes(options.only)) await measure(task, fillers, Number(options.seconds));
