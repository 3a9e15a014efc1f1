/** Processor time of `ROUNDS` yardsticks in milliseconds on the machine on which the limits of the tests were chosen. */
const YARDSTICK_MS = 26;
const ROUNDS = 4;
/** A machine that is slower than this is too slow for the tests. */
const SLOWNESS_MAX = 4;
/** A shorter time is far below every limit, and needs no correction. */
const LONG_MS = 100;

/**
 * CPU time in milliseconds that this process has used since `startedAt` (of `process.cpuUsage()`), as on the machine on which the
 * limits were chosen. A slower or busy one counts less, by the time of a known piece of work now. A limit on it fails where work
 * is not linear. A limit on elapsed time would also count the tests that run at the same time.
 */
export function cpuMsSince(startedAt: NodeJS.CpuUsage): number {
  const ms = usedMsSince(startedAt);
  if (ms < LONG_MS) return ms;
  // The first rounds take longer, because the code is not yet compiled.
  measureYardstick();
  const slowness = measureYardstick() / YARDSTICK_MS;
  return ms / Math.min(Math.max(1, slowness), SLOWNESS_MAX);
}

/** The same as this machine counts it. */
export function usedMsSince(startedAt: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1000;
}

function measureYardstick(): number {
  const startedAt = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) wordsOf('abc <d e="1"/> '.repeat(4_000));
  return usedMsSince(startedAt);
}

/** Reads, keeps and sorts texts, as the tested code does. */
function wordsOf(text: string): string[] {
  const words = new Map<string, number>();
  for (let at = 0; at < text.length; at++)
    if (text.charCodeAt(at) === 32) words.set(`${text.slice(at, at + 6)}${at}`, at);
  return [...words.keys()].sort();
}
