import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { askFilled, startAsking } from '../../callers.ts';
import { untilInWork } from '../../remains.ts';
import { type Deployment, deploy, health, inService, type ServiceProcess, until } from '../../service.ts';
import { killAll } from '../../vitals.ts';
import { heldInWork } from '../held-in-work.ts';
import { expectAllPdfs, expectNothingLeft, expectPromiseKept, PATIENT } from '../promise.ts';

const LETTER = Array.from({ length: 300 }, (_, i) => `Paragraph ${i} of a letter that takes a while.`);
/** Delays between the kills, and their targets: both workers, 2 s and 5 s apart. */
const BLOWS = [
  { afterMs: 500, on: 'annotator' },
  { afterMs: 1_500, on: 'converter' },
  { afterMs: 500, on: 'annotator' },
  { afterMs: 4_500, on: 'converter' },
  { afterMs: 500, on: 'annotator' },
] as const;
/** Pause between two requests of a caller: services must start meanwhile, on the same cores. */
const PAUSE_MS = 100;

let service: Deployment;

describe('templates that become PDFs', () => {
  let keys: string[];
  beforeAll(async () => {
    service = await deploy({ annotators: 2, converters: 2, settings: PATIENT });
    keys = [await service.register(), await service.register()];
  });
  // If a worker is killed between its reply and its end, its job runs again once its lock has expired.
  afterEach(() => expectNothingLeft(service, { killed: 5 }));
  afterAll(() => service.close());

  const killAnnotator = async () => {
    await inService(service.annotators)[0]?.end('SIGKILL');
    return service.addAnnotator();
  };
  const killConverter = async () => {
    await inService(service.converters)[0]?.end('SIGKILL');
    return service.addConverter();
  };

  test('survive two kills of the workers of both steps, 2 s and then 5 s apart', async () => {
    const callers = startAsking(keys, PAUSE_MS, (key) => askFilled(service.url, key));
    const replacements: Promise<ServiceProcess>[] = [];
    for (const { afterMs, on } of BLOWS) {
      await sleep(afterMs);
      replacements.push(on === 'annotator' ? killAnnotator() : killConverter());
    }
    await Promise.all(replacements);
    await expectAllPdfs(await callers.stop());
  });

  test('survive kills of their own annotators and then of their own converters', async () => {
    const callers = startAsking(keys, 0, (key) => askFilled(service.url, key, LETTER));
    await heldInWork(service, 'annotate', service.annotators);
    await killAll(service.annotators);
    await service.addAnnotator();
    await untilInWork(service, 'convert');
    await killAll(service.converters);
    await service.addConverter();
    await expectAllPdfs(await callers.stop());
  });

  test('survive a rolling replacement of annotators', async () => {
    const callers = startAsking(keys, PAUSE_MS, (key) => askFilled(service.url, key));
    for (const old of inService(service.annotators)) {
      await service.addAnnotator();
      expect(await old.end('SIGTERM')).toBe(0);
    }
    await expectAllPdfs(await callers.stop());
  });

  test('wait for annotators that come back', async () => {
    await killAll(service.annotators);
    await until('the loss is noticed', async () => (await health(service.url)).checks.annotators === 0);
    expect((await health(service.url)).status).toBe('degraded');
    const asked = keys.map((key) => askFilled(service.url, key));
    await sleep(5_000);
    await service.addAnnotator();
    await expectAllPdfs(await Promise.all(asked));
  });
});

test('a filled template is refused with 503 once it has waited too long without a converter', async () => {
  service = await deploy({ annotators: 1, converters: 0, settings: { QUEUE_WAIT_MS_MAX: '2000' } });
  const answer = await askFilled(service.url, await service.register());
  await expectPromiseKept([answer]);
  expect(answer).toMatchObject({ status: 503, code: 'OVERLOADED' });
  expect(answer.ms).toBeGreaterThan(1_900);
  expect(answer.ms).toBeLessThan(20_000);
  await expectNothingLeft(service);
  await service.close();
});
