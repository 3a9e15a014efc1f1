import { openPackage } from '@scriptorium/ooxml/package';
import type { Filler, Values } from './fillers.ts';
import { contractWith } from './letters.ts';
import { percentile } from './measure.ts';

const WARM_UP_RUNS = 5;

/** What fillers have to fill, in turn. */
export interface Task {
  name: string;
  values: Values;
  /** Undefined if the filler does not support it. */
  content(filler: Filler): string[] | undefined;
  /** Texts that the filled main part must contain. */
  expected: readonly string[];
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
