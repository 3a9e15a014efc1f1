import { usedMsSince } from './cpu-time.ts';
import { randomNumbers } from './random.ts';

/** Above this time, the noise of a machine is small. */
const MEASURED_MS_MIN = 40;
const FIRST_CHARS = 8_192;
/** Texts that are read this fast are not made longer. */
const CHARS_MAX = 262_144;
const RUNS = 3;
/** More is not linear: between 2 and 4, with room for a busy machine and for caches that a longer text does not fit into. */
export const LINEAR_GROWTH_MAX = 3;

/**
 * How much more processor time a reader takes for twice the text, as measured for n and 8n. It is 2 for linear time, and 4 for
 * quadratic time. The text repeats `unit`. 1 for a reader that takes next to nothing for a quarter of a mebibyte.
 */
export async function growthOf(read: (text: string) => unknown, unit: string): Promise<number> {
  for (let chars = FIRST_CHARS; chars <= CHARS_MAX; chars *= 2) {
    if ((await cpuMsOf(read, unit, chars)) < MEASURED_MS_MIN) continue;
    const times: number[] = [];
    while (times.length < RUNS) times.push(await cpuMsOf(read, unit, chars));
    const shortMs = Math.min(...times);
    // Only the first run was slow, before the code was compiled.
    if (shortMs < MEASURED_MS_MIN) continue;
    let growth = Number.POSITIVE_INFINITY;
    // Other work on the machine, or a collection of garbage, slows down one run.
    for (let run = 0; run < RUNS && growth >= LINEAR_GROWTH_MAX; run++)
      growth = Math.min(growth, Math.cbrt((await cpuMsOf(read, unit, 8 * chars)) / shortMs));
    return growth;
  }
  return 1;
}

async function cpuMsOf(read: (text: string) => unknown, unit: string, chars: number): Promise<number> {
  const text = unit.repeat(Math.ceil(chars / unit.length));
  const startedAt = process.cpuUsage();
  await Promise.resolve(text)
    .then(read)
    .catch(() => undefined);
  return usedMsSince(startedAt);
}

/** Random short texts of these pieces, from a seed: each piece alone, and `count` with up to four. */
export function unitsOf(pieces: readonly string[], count: number, seed: number): string[] {
  const random = randomNumbers(seed);
  const pick = () => pieces[random(pieces.length)] ?? '';
  const mixed = Array.from({ length: count }, () => Array.from({ length: 2 + random(3) }, pick).join(''));
  return [...pieces, ...mixed];
}
