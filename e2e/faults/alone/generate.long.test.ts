import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { askGenerated, startAsking } from '../../callers.ts';
import { untilInWork } from '../../remains.ts';
import { type Deployment, deploy, type ServiceProcess, until } from '../../service.ts';
import { killAll } from '../../vitals.ts';
import { heldInWork } from '../held-in-work.ts';
import { expectAllPdfs, expectNothingLeft, expectPromiseKept, PATIENT } from '../promise.ts';

const LETTER = Array.from({ length: 300 }, (_, i) => `Paragraph ${i} of a letter that takes a while.`);
/** Pause between two requests of a caller: services must start meanwhile, on the same cores. */
const PAUSE_MS = 100;

let service: Deployment;

describe('documents that are generated, converted and signed', () => {
  let keys: string[];
  beforeAll(async () => {
    service = await deploy({ annotators: 1, converters: 1, signers: 1, settings: PATIENT });
    keys = [await service.register(), await service.register()];
  });
  // If a worker is killed between its reply and its end, its job runs again once its lock has expired.
  afterEach(() => expectNothingLeft(service, { killed: 6 }));
  afterAll(() => service.close());

  const kill = async (workers: readonly ServiceProcess[], add: () => Promise<ServiceProcess>) => {
    await killAll(workers);
    await add();
  };

  test('survive a kill of the worker of each step, while it has work', async () => {
    const callers = startAsking(keys, PAUSE_MS, (key) => askGenerated(service.url, key, LETTER));
    await heldInWork(service, 'generate', service.annotators);
    await kill(service.annotators, service.addAnnotator);
    await untilInWork(service, 'convert');
    await kill(service.converters, service.addConverter);
    await heldInWork(service, 'sign', service.signers);
    await kill(service.signers, service.addSigner);
    await expectAllPdfs(await callers.stop());
  });

  test('survive kills of all workers at once', async () => {
    const callers = startAsking(keys, PAUSE_MS, (key) => askGenerated(service.url, key));
    await sleep(1_000);
    await Promise.all([
      kill(service.signers, service.addSigner),
      kill(service.converters, service.addConverter),
      kill(service.annotators, service.addAnnotator),
    ]);
    await until('more are answered', () => callers.answers.length > 2);
    await expectAllPdfs(await callers.stop());
  });
});

test('a document whose signer is away gets a 503 once it has waited too long', async () => {
  service = await deploy({ annotators: 1, settings: { QUEUE_WAIT_MS_MAX: '2000' } });
  const answer = await askGenerated(service.url, await service.register());
  await expectPromiseKept([answer]);
  expect(answer).toMatchObject({ status: 503, code: 'OVERLOADED' });
  expect(answer.ms).toBeGreaterThan(1_900);
  expect(answer.ms).toBeLessThan(20_000);
  await expectNothingLeft(service);
  await service.close();
});
