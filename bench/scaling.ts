import { zygotes } from './contenders.ts';
import { KINDS } from './documents.ts';
import { sample } from './measure.ts';

const ROUNDS = 5;
const COUNT = 40;

/** Prints the throughput by number of zygotes, with as many callers as zygotes. */
export async function runScaling(counts: number[]): Promise<void> {
  for (const kind of KINDS) {
    const wallMs = new Map<number, number>();
    for (let round = 0; round < ROUNDS; round++) {
      for (const count of counts) {
        const engine = zygotes(count);
        await engine.start();
        await sample(engine, kind, count * 2, count);
        const { wallMs: took } = await sample(engine, kind, COUNT * count, count);
        wallMs.set(count, (wallMs.get(count) ?? 0) + took / count);
        await engine.close();
      }
    }
    const perSecond = (count: number) => (1000 * COUNT * ROUNDS) / (wallMs.get(count) ?? Number.NaN);
    const [first = 1] = counts;
    console.table(
      counts.map((count) => ({
        document: kind.name,
        zygotes: count,
        'docs/s': perSecond(count).toFixed(1),
        'times the first': (perSecond(count) / perSecond(first)).toFixed(2),
      })),
    );
  }
}
