import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, ask, percentile, startCallers, tally } from '../callers.ts';
import type { Deployment } from '../service.ts';

const CALM_REQUESTS = 30;
const CALM_INTERVAL_MS = 1_000;
const FLOODING_CALLERS = 12;
const RATIO_MAX = 2;

/** Whether one key's times stay within twice their quiet ones while another key floods. */
export async function measureFairness(service: Deployment): Promise<boolean> {
  const [calm, flooding] = [await service.register(), await service.register()];
  const quiet = await askCalmly(service.url, calm);
  const flood = startCallers(service.url, Array<string>(FLOODING_CALLERS).fill(flooding), 20);
  const flooded = await askCalmly(service.url, calm);
  const floodTally = tally(await flood.stop());
  console.log('The flood got', floodTally);
  return compareTimes(quiet, flooded, 'beside a flood');
}

/** Prints both, and returns whether the 95th percentile beside others is within twice the quiet one, and all are answered. */
export function compareTimes(quiet: Answer[], beside: Answer[], name: string): boolean {
  const ratio = figures(beside)['p95 ms'] / figures(quiet)['p95 ms'];
  console.table({ alone: figures(quiet), [name]: figures(beside) });
  console.log(`p95 ${name}: ${ratio.toFixed(1)} times (limit ${RATIO_MAX})`, tally(beside));
  return ratio <= RATIO_MAX && [...quiet, ...beside].every(({ status }) => status === 200);
}

export async function askCalmly(url: string, key: string, requests = CALM_REQUESTS): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < requests; i++) {
    const next = sleep(CALM_INTERVAL_MS);
    answers.push(await ask(url, key));
    await next;
  }
  return answers;
}

/** One key's response times: in total, the wait for a converter, and the engine's own time. */
function figures(answers: Answer[]) {
  const at = (share: number, part: 'ms' | 'queueMs' | 'convertMs') => {
    const values = answers.map((answer) => answer[part]);
    return Math.round(percentile(values, share));
  };
  return {
    'p50 ms': at(0.5, 'ms'),
    'p95 ms': at(0.95, 'ms'),
    'p95 wait ms': at(0.95, 'queueMs'),
    'p95 engine ms': at(0.95, 'convertMs'),
  };
}
