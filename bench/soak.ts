import { availableParallelism } from 'node:os';
import { memoryOf, processTree } from '@scriptorium/testing/processes';
import { zygotes } from './contenders.ts';
import { KINDS } from './documents.ts';
import { percentile, sample } from './measure.ts';

const STEPS = 10;

/** Converts many one-page documents and prints how latency and memory go over the run. */
export async function runSoak(count: number): Promise<void> {
  const engine = zygotes(availableParallelism());
  const [kind = { name: '1 page', pages: 1 }] = KINDS;
  await engine.start();
  try {
    const lines = [];
    for (let step = 1; step <= STEPS; step++) {
      const { latenciesMs } = await sample(engine, kind, Math.round(count / STEPS), 1);
      const own = processTree().filter(({ name }) => name === 'engine-host');
      const self = process.memoryUsage();
      lines.push({
        documents: Math.round((count * step) / STEPS),
        'p50 ms': percentile(latenciesMs, 0.5).toFixed(1),
        'p95 ms': percentile(latenciesMs, 0.95).toFixed(1),
        'engine PSS MiB': memoryOf(own).pssMiB.toFixed(0),
        'node RSS MiB': (self.rss / 2 ** 20).toFixed(0),
        processes: own.length,
      });
    }
    console.table(lines);
  } finally {
    await engine.close();
  }
}
