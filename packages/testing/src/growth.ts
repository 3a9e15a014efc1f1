import { cpuMsSince } from './cpu-time.ts';
import { randomNumbers } from './random.ts';

/** Above this time, the noise of a machine is small. */
const MEASURED_MS_MIN = 40;
const FIRST_CHARS = 8_192;
/** Texts that are read this fast are not made longer. */
const CHARS_MAX = 524_288;
const RUNS = 3;

/**
 * How much more processor time a reader takes for twice the text, as measured for n and 4n: 2 if it is linear, 4 if it is
 * quadratic. The text repeats `unit`. 1 for a reader that takes next to nothing for half a mebibyte.
 */
export async function growthOf(read: (text: string) => unknown, unit: string): Promise<number> {
  for (let chars = FIRST_CHARS; chars <= CHARS_MAX; chars *= 2) {
    const first = await cpuMsOf(read, unit, chars);
    if (first < MEASURED_MS_MIN) continue;
    return Math.sqrt((await cpuMsOf(read, unit, 4 * chars)) / first);
  }
  return 1;
}

async function cpuMsOf(read: (text: string) => unknown, unit: string, chars: number): Promise<number> {
  const text = unit.repeat(Math.ceil(chars / unit.length));
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const startedAt = process.cpuUsage();
    await Promise.resolve(text)
      .then(read)
      .catch(() => undefined);
    best = Math.min(best, cpuMsSince(startedAt));
  }
  return best;
}

/** Random short texts of these pieces, from a seed: each piece alone, and `count` with up to four. */
export function unitsOf(pieces: readonly string[], count: number, seed: number): string[] {
  const random = randomNumbers(seed);
  const pick = () => pieces[random(pieces.length)] ?? '';
  const mixed = Array.from({ length: count }, () => Array.from({ length: 2 + random(3) }, pick).join(''));
  return [...pieces, ...mixed];
}
