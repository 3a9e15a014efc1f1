/**
 * bench/annotate.ts [--seconds 10] [--only images]
 *
 * Prints CPU and wall time of filling a template, beside peers that can do the same. The runs are interleaved, on the same
 * content, marked in each peer's own way. The output is read and must contain the values.
 */
import { parseArgs } from 'node:util';
import { braces, type Filler, inControl, ours, PEERS } from './fillers.ts';
import { COLUMNS, imageTask, measure, type Task, textTask } from './filling.ts';
import { table } from './letters.ts';

function tableTask(count: number): Task {
  const rows = Array.from({ length: count }, (_, number) =>
    COLUMNS.map((column, index) => `${column} ${number}/${index}`),
  );
  return {
    name: `${count.toLocaleString('en-US')} rows of ${COLUMNS.length} cells`,
    values: { table: { columns: COLUMNS, rows } },
    content: ({ rows: markup }) => markup && [table(COLUMNS, markup(COLUMNS))],
    expected: rows.map((cells) => cells.at(-1) ?? ''),
  };
}

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, only: { type: 'string', default: '' } },
});
const placeholders = [ours('placeholders, warm', true, braces), ours('placeholders, cold', false, braces)];
const controls = [ours('controls, warm', true, inControl), ours('controls, cold', false, inControl)];
const tasks: [Task, Filler[]][] = [
  [textTask(), [...placeholders, ...controls, ...PEERS]],
  [tableTask(500), [...controls, ...PEERS]],
  [tableTask(10_000), controls],
  [imageTask(), [...placeholders, ...PEERS]],
];
for (const [task, fillers] of tasks)
  if (task.name.includes(options.only)) await measure(task, fillers, Number(options.seconds));
