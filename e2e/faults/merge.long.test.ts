import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { testInNightly } from '@scriptorium/testing/extent';
import { askMerged, startAsking } from '../callers.ts';
import { untilInWork } from '../remains.ts';
import { type Deployment, deploy, type ServiceProcess, until } from '../service.ts';
import { killAll } from '../vitals.ts';
import { heldInWork } from './held-in-work.ts';
import { expectAllPdfs, expectNothingLeft, expectPromiseKept, PATIENT } from './promise.ts';

const LETTER = Array.from({ length: 300 }, (_, i) => `Paragraph ${i} of a letter that takes a while.`);
/** Pause between two requests of a caller: services must start meanwhile, on the same cores. */
const PAUSE_MS = 100;

let service: Deployment;

describe('DOCX and PDF documents that are merged', () => {
  let keys: string[];
  beforeAll(async () => {
    service = await deploy({ annotators: 1, converters: 1, settings: PATIENT });
    keys = [await service.register(), await service.register()];
  });
  // If a worker is killed between its reply and its end, its job runs again once its lock has expired.
  afterEach(() => expectNothingLeft(service, { killed: 6 }));
  afterAll(() => service.close());

  const kill = async (workers: readonly ServiceProcess[], add: () => Promise<ServiceProcess>) => {
    await killAll(workers);
    await add();
  };

  testInNightly('survive a kill of the worker of each step, while it has work', async () => {
    const callers = startAsking(keys, PAUSE_MS, (key) => askMerged(service.url, key, LETTER));
    await heldInWork(service, 'merge', service.annotators);
    await kill(service.annotators, service.addAnnotator);
    await untilInWork(service, 'convert');
    await kill(service.converters, service.addConverter);
    await heldInWork(service, 'join', service.annotators);
    await kill(service.annotators, service.addAnnotator);
    await expectAllPdfs(await callers.stop());
  });

  testInNightly('survive kills of all workers at once', async () => {
    const callers = startAsking(keys, PAUSE_MS, (key) => askMerged(service.url, key));
    await untilInWork(service);
    await Promise.all([
      kill(service.converters, service.addConverter),
      kill(service.annotators, service.addAnnotator),
    ]);
    const before = callers.answers.length;
    await until('answers after the kills', () => callers.answers.length >= before + 2 * keys.length);
    await expectAllPdfs(await callers.stop());
  });
});

test('a merge whose converter is away gets a 503 once it has waited too long', async () => {
  service = await deploy({ annotators: 1, converters: 0, settings: { QUEUE_WAIT_MS_MAX: '2000' } });
  const answer = await askMerged(service.url, await service.register());
  await expectPromiseKept([answer]);
  expect(answer).toMatchObject({ status: 503, code: 'OVERLOADED' });
  await expectNothingLeft(service);
  await service.close();
});
