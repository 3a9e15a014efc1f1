/**
 * bench/generate.ts [--seconds 10] [--only nested]
 *
 * Prints CPU and wall time of generating a document from a template and data, beside the packages whose templates it
 * reads: interleaved, on the same content and data. The output is read and must contain the values.
 */
import { parseArgs } from 'node:util';
import { noisePng } from '@scriptorium/testing/fixtures/picture';
import { docxTemplates, docxtemplater, easyTemplateX, type Filler, generator } from './fillers.ts';
import { measure, type Task } from './filling.ts';
import { paragraph, run, table } from './letters.ts';

const TEXTS = 20;
const COLUMNS = ['number', 'article', 'amount', 'unit', 'price', 'total'];
const ROWS = 500;
const GROUPS = 50;
const ROWS_A_GROUP = 20;
const IMAGES = 10;
const IMAGE_PX = 120;

const rowsOf = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, number) =>
    COLUMNS.map((column, index) => `${prefix}${column} ${number}/${index}`),
  );

function textTask(): Task {
  const texts = Object.fromEntries(
    Array.from({ length: TEXTS }, (_, index) => [`field_${index}`, `Value no. ${index} of the customer`]),
  );
  return {
    name: `${TEXTS} texts`,
    values: { texts },
    content: ({ text }) =>
      Object.keys(texts).map((name) => paragraph(run(`On behalf of ${text(name)}, who`))),
    expected: Object.values(texts),
  };
}

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

function imageTask(): Task {
  const images = Object.fromEntries(
    Array.from({ length: IMAGES }, (_, index) => [`photo_${index}`, noisePng(IMAGE_PX)]),
  );
  return {
    name: `${IMAGES} images`,
    values: { images },
    content: ({ image }) => image && Object.keys(images).map((name) => paragraph(run(image(name)))),
    expected: ['r:embed'],
  };
}

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, only: { type: 'string', default: '' } },
});
const fillers: Filler[] = [
  generator('generate, warm', true),
  generator('generate, cold', false),
  docxtemplater,
  easyTemplateX,
  docxTemplates,
];
for (const task of [textTask(), tableTask(), nestedTask(), imageTask()])
  if (task.name.includes(options.only)) await measure(task, fillers, Number(options.seconds));
