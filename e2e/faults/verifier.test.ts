import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { testInNightly, testInWhole } from '@scriptorium/testing/extent';
import { type Answer, askSigned, askVerified, startAsking } from '../callers.ts';
import { type Deployment, deploy, health, inService, until } from '../service.ts';
import { killAll } from '../vitals.ts';
import { heldInWork } from './held-in-work.ts';
import { expectAllPdfs, expectNothingLeft, PATIENT } from './promise.ts';

const PAUSE_MS = 100;

let service: Deployment;

describe('documents at a verifier', () => {
  let keys: string[];
  let signed: Answer;
  beforeAll(async () => {
    service = await deploy({ converters: 1, signers: 1, verifiers: 2, settings: PATIENT });
    keys = [await service.register(), await service.register()];
    signed = await askSigned(service.url, keys[0] ?? '');
  });
  // If a worker is killed between its reply and its end, its job runs again once its lock has expired.
  afterEach(() => expectNothingLeft(service, { killed: 2 }));
  afterAll(() => service.close());

  test('survive kills of their own verifiers', async () => {
    const callers = startAsking(keys, 0, (key) => askVerified(service.url, key, signed));
    await heldInWork(service, 'verify', service.verifiers);
    await killAll(service.verifiers);
    await service.addVerifier();
    await expectAllPdfs(await callers.stop());
  });

  testInWhole('survive a rolling replacement of verifiers', async () => {
    const callers = startAsking(keys, PAUSE_MS, (key) => askVerified(service.url, key, signed));
    for (const old of inService(service.verifiers)) {
      await service.addVerifier();
      expect(await old.end('SIGTERM')).toBe(0);
    }
    await expectAllPdfs(await callers.stop());
  });

  testInNightly('wait for verifiers that come back', async () => {
    await killAll(service.verifiers);
    await until('the loss is noticed', async () => (await health(service.url)).checks.verifiers === 0);
    expect((await health(service.url)).status).toBe('degraded');
    const asked = keys.map((key) => askVerified(service.url, key, signed));
    await sleep(3_000);
    await service.addVerifier();
    await expectAllPdfs(await Promise.all(asked));
  });

  testInNightly('get the same result while signers are killed and replaced', async () => {
    const callers = startAsking(keys, PAUSE_MS, (key) => askVerified(service.url, key, signed));
    await killAll(service.signers);
    await sleep(3_000);
    await service.addSigner();
    await expectAllPdfs(await callers.stop());
  });
});
