import { afterEach, expect, test } from '@jest/globals';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { answerTo, ask, percentile, startCallers, tally } from '../../callers.ts';
import { type Deployment, deploy, postDocument } from '../../service.ts';
import { logLines } from '../../vitals.ts';
import { poison } from '../poison.ts';
import { expectAllPdfs, expectNothingLeft, expectPromiseKept } from '../promise.ts';

/** Far below the wait for a worker. The soak test measures a tenth of a second. */
const REFUSAL_MS_MAX = 5_000;
const POISONED = 20;
const POISON = 'arsenicum';
/** Long enough to be observed while it runs. */
const DEADLY_LETTER = docxWith(Array.from({ length: 3_000 }, (_, i) => `${POISON} number ${i}.`));

let service: Deployment;
afterEach(() => service?.close());

test('twenty documents that kill their engine fail after two attempts each, without affecting the others', async () => {
  service = await deploy({ settings: { ENGINES: '2', KEY_CONCURRENCY_MAX: '4' } });
  const [poisoner, ...keys] = await Promise.all(Array.from({ length: 3 }, () => service.register()));
  const killer = poison(service, POISON);
  const callers = startCallers(service.url, keys, 20);
  const send = () => answerTo(POISON, () => postDocument(service.url, poisoner ?? '', DEADLY_LETTER));
  const poisoned = [];
  while (poisoned.length < POISONED) poisoned.push(...(await Promise.all([send(), send(), send(), send()])));
  const good = await callers.stop();
  killer.stop();
  expect(tally(poisoned)).toEqual({ '503 UNAVAILABLE': POISONED });
  expect(killer.kills()).toBe(2 * POISONED);
  expect(good.length).toBeGreaterThan(POISONED);
  await expectAllPdfs(good);
  await expectNothingLeft(service);
});

test('in a burst of ten times the limit, accepted requests succeed and the rest get an immediate Retry-After', async () => {
  service = await deploy({ settings: { QUEUE_LENGTH_MAX: '8', ENGINES: '2' } });
  const keys = await Promise.all(Array.from({ length: 4 }, () => service.register()));
  await Promise.all(keys.map((key) => ask(service.url, key)));
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => ask(service.url, keys[i % keys.length] ?? '')),
  );
  await expectPromiseKept(answers);
  const { 200: converted = 0, ...refused } = tally(answers);
  expect(converted).toBeGreaterThanOrEqual(8);
  expect(Object.keys(refused).filter((outcome) => !/CONCURRENCY_LIMIT|OVERLOADED/.test(outcome))).toEqual([]);
  const refusalMs = logLines(service.gateway)
    .filter(({ route, status }) => route === '/v1/convert' && status !== 200)
    .map(({ ms = Number.NaN }) => ms);
  expect(refusalMs).toHaveLength(answers.length - converted);
  expect(percentile(refusalMs, 0.5)).toBeLessThan(REFUSAL_MS_MAX);
  await expectNothingLeft(service);
});
