import { ask, isOwn, percentile, tally } from '../callers.ts';
import type { Deployment } from '../service.ts';
import { logLines } from '../vitals.ts';

const KEYS = 8;
const REQUESTS = 220;
const REFUSAL_MS_MAX = 100;

/** Whether a burst beyond the limits is refused at once, by the gateway's own clock. */
export async function measureBurst(service: Deployment): Promise<boolean> {
  const keys = await Promise.all(Array.from({ length: KEYS }, () => service.register()));
  await Promise.all(keys.map((key) => ask(service.url, key)));
  const answers = await Promise.all(
    Array.from({ length: REQUESTS }, (_, i) => ask(service.url, keys[i % KEYS] ?? '')),
  );
  const refusalMs = logLines(service.gateway)
    .filter(({ route, status }) => route === '/v1/convert' && status !== 200)
    .map(({ ms = Number.NaN }) => ms);
  const slowest = percentile(refusalMs, 0.95);
  console.log(`A burst of ${REQUESTS}:`, tally(answers));
  console.log(
    `refused within ${percentile(refusalMs, 0.5)} ms (p50), ${slowest} ms (p95; limit ${REFUSAL_MS_MAX})`,
  );
  const converted = answers.filter(({ status }) => status === 200);
  const areOwn = (await Promise.all(converted.map(isOwn))).every(Boolean);
  return areOwn && slowest <= REFUSAL_MS_MAX;
}
