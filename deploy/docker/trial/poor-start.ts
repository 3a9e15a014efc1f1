import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from '@scriptorium/e2e/readme';
import { convertSample, readSample } from './checks.ts';
import { containersOf, demand, docker, TRIAL } from './docker.ts';

/** What a converter has too little of at its start, and what it gets later, as options of `docker update`. */
const POOR = {
  memory: [
    ['--memory', '240m', '--memory-swap', '240m'],
    ['--memory', '4g', '--memory-swap', '4g'],
  ],
  processors: [
    ['--cpus', '0.05'],
    ['--cpus', '2'],
  ],
} as const;
const POOR_MS = 20_000;
const RECOVERY_MS_MAX = 60_000;
const ANSWERS = 3;

interface Seen {
  /** The statuses of conversions. */
  answers: string[];
  converters: number;
  /** What Docker says of the converter. */
  container: string;
}

/** What callers and operators see. */
async function look(target: Target, converter: string): Promise<Seen> {
  const sample = await readSample();
  const answers: string[] = [];
  for (let call = 0; call < ANSWERS; call++) answers.push(await convertSample(target, sample));
  const health = (await (await fetch(`${target.url}/v1/health`)).json()) as {
    checks: { converters: number };
  };
  const container = docker('inspect', '--format', '{{.State.Health.Status}}', converter).trim();
  return { answers, converters: health.checks.converters, container };
}

/**
 * A converter starts with too little memory or too few processors, and gets them later. Right documents are never called wrong:
 * they wait, or get 503. Once it has enough, it converts them without a restart by hand.
 */
export async function checkPoorStart(target: Target, kind: keyof typeof POOR): Promise<void> {
  const [poor, rich] = POOR[kind];
  const [converter = ''] = containersOf(TRIAL, 'converter');
  docker('stop', '--time', '0', converter);
  docker('update', ...poor, converter);
  docker('start', converter);
  await sleep(POOR_MS);
  const seen = await look(target, converter);
  const saysNo = seen.container !== 'healthy' && seen.converters === 0;
  const isHonest = !seen.answers.includes('422') && (seen.answers.includes('200') || saysNo);
  demand(
    `a converter with little ${kind} blames no document, and says what it can`,
    isHonest,
    JSON.stringify(seen),
  );
  docker('update', ...rich, converter);
  const begin = Date.now();
  let got = '';
  const sample = await readSample();
  while (got !== '200' && Date.now() - begin < RECOVERY_MS_MAX) {
    got = await convertSample(target, sample);
    if (got === '422') break;
    if (got !== '200') await sleep(500);
  }
  const took = `${got} after ${((Date.now() - begin) / 1000).toFixed(1)} s`;
  demand(`it converts once it has enough ${kind}`, got === '200', took);
}
