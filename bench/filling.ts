import { openPackage } from '@scriptorium/ooxml/package';
import { noisePng } from '@scriptorium/testing/fixtures/picture';
import type { Filler, Values } from './fillers.ts';
import { contractWith, paragraph, run } from './letters.ts';
import { percentile } from './measure.ts';

const WARM_UP_RUNS = 5;
const TEXTS = 20;
const IMAGES = 10;
/** About 43 KB each, incompressible. */
const IMAGE_PX = 120;
/** The columns of tables. */
export const COLUMNS = ['number', 'article', 'amount', 'unit', 'price', 'total'];

/** What fillers have to fill, in turn. */
export interface Task {
  name: string;
  values: Values;
  /** Undefined if the filler does not support it. */
  content(filler: Filler): string[] | undefined;
  /** Texts that the filled main part must contain. */
  expected: readonly string[];
}

/** Texts in paragraphs. */
export function textTask(): Task {
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

/** Pictures in paragraphs. */
export function imageTask(): Task {
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

/** Measures the fillers in turn for some seconds, and prints CPU and wall time. */
export async function measure(task: Task, fillers: readonly Filler[], seconds: number): Promise<void> {
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
