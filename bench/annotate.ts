/**
 * bench/annotate.ts [--seconds 10] [--only images]
 *
 * Prints CPU and wall time of filling a template, beside peers that can do the same: interleaved, on the same content,
 * each marked in the peer's own way. The output is read and must contain the values.
 */
import { parseArgs } from 'node:util';
import { openPackage } from '@scriptorium/ooxml/package';
import { noisePng } from '@scriptorium/testing/fixtures/picture';
import {
  braces,
  docxTemplates,
  docxtemplater,
  easyTemplateX,
  type Filler,
  inControl,
  ours,
  type Values,
} from './fillers.ts';
import { contractWith, paragraph, run, table } from './letters.ts';
import { percentile } from './measure.ts';

const TEXTS = 20;
const COLUMNS = ['number', 'article', 'amount', 'unit', 'price', 'total'];
const IMAGES = 10;
/** About 43 KB each, incompressible. */
const IMAGE_PX = 120;
const WARM_UP_RUNS = 5;

interface Task {
  name: string;
  values: Values;
  /** Undefined if the filler does not support it. */
  content(filler: Filler): string[] | undefined;
  /** Texts that the filled main part must contain. */
  expected: readonly string[];
}

function textTask(): Task {
  const texts = Object.fromEntries(
    Array.from({ length: TEXTS }, (_, index) => [`field_${index}`, `Value no. ${index} of the customer`]),
  );
  return {
    name: `${TEXTS} texts`,
    values: { texts },
    content: (filler) =>
      Object.keys(texts).map((name) => paragraph(run(`On behalf of ${filler.text(name)}, who`))),
    expected: Object.values(texts),
  };
}

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

interface Runner {
  filler: Filler;
  template: Buffer;
  cpuMs: number[];
  wallMs: number[];
}

async function check({ filler, template }: Runner, { values, expected }: Task): Promise<void> {
  const document = await openPackage(await filler.fill(template, values));
  const missing = expected.filter((text) => document.main.xml?.includes(text) !== true);
  if (missing.length > 0) throw new Error(`${filler.name} did not fill in ${missing[0]}`);
}

async function runOnce({ filler, template, cpuMs, wallMs }: Runner, { values }: Task): Promise<void> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  await filler.fill(template, values);
  wallMs.push(performance.now() - startedAt);
  const { user, system } = process.cpuUsage(cpuBefore);
  cpuMs.push((user + system) / 1000);
}

async function measure(task: Task, fillers: readonly Filler[], seconds: number): Promise<void> {
  const runners: Runner[] = fillers.flatMap((filler) => {
    const content = task.content(filler);
    return content === undefined ? [] : [{ filler, template: contractWith(content), cpuMs: [], wallMs: [] }];
  });
  for (const runner of runners) {
    await check(runner, task);
    for (let run = 0; run < WARM_UP_RUNS; run++) await runner.filler.fill(runner.template, task.values);
  }
  const until = performance.now() + seconds * 1000;
  do for (const runner of runners) await runOnce(runner, task);
  while (performance.now() < until);
  report(task, runners);
}

function report(task: Task, runners: readonly Runner[]): void {
  const best = percentile(runners[0]?.cpuMs ?? [], 0.5);
  process.stdout.write(`\n${task.name}, ${runners[0]?.cpuMs.length} runs each\n`);
  console.table(
    runners.map(({ filler, template, cpuMs, wallMs }) => ({
      filler: filler.name,
      'template KB': Math.round(template.length / 1000),
      'CPU ms p50': percentile(cpuMs, 0.5).toFixed(1),
      'wall ms p50': percentile(wallMs, 0.5).toFixed(1),
      'wall ms p95': percentile(wallMs, 0.95).toFixed(1),
      '× CPU of the first': (percentile(cpuMs, 0.5) / best).toFixed(1),
    })),
  );
}

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, only: { type: 'string', default: '' } },
});
const placeholders = [ours('placeholders, warm', true, braces), ours('placeholders, cold', false, braces)];
const controls = [ours('controls, warm', true, inControl), ours('controls, cold', false, inControl)];
const peers = [docxtemplater, easyTemplateX, docxTemplates];
const tasks: [Task, Filler[]][] = [
  [textTask(), [...placeholders, ...controls, ...peers]],
  [tableTask(500), [...controls, ...peers]],
  [tableTask(10_000), controls],
  [imageTask(), [...placeholders, ...peers]],
];
for (const [task, fillers] of tasks)
  if (task.name.includes(options.only)) await measure(task, fillers, Number(options.seconds));
