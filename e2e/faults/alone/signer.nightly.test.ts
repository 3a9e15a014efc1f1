import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { askSigned, startAsking } from '../../callers.ts';
import { type Deployment, deploy, health, inService, until } from '../../service.ts';
import { killAll } from '../../vitals.ts';
import { heldInWork } from '../held-in-work.ts';
import { expectAllPdfs, expectNothingLeft, PATIENT } from '../promise.ts';

const PAUSE_MS = 100;
/** Alone on a machine it takes a fifth of this, most of it for the start of a process. */
const FIRST_MS_MAX = 10_000;

let service: Deployment;

describe('documents at a signer', () => {
  let keys: string[];
  beforeAll(async () => {
    service = await deploy({ converters: 1, signers: 2, settings: PATIENT });
    keys = [await service.register(), await service.register()];
  });
  // If a worker is killed between its reply and its end, its job runs again once its lock has expired.
  afterEach(() => expectNothingLeft(service, { killed: 2 }));
  afterAll(() => service.close());

  test('survive kills of their own signers', async () => {
    const callers = startAsking(keys, 0, (key) => askSigned(service.url, key));
    await heldInWork(service, 'sign', service.signers);
    await killAll(service.signers);
    await service.addSigner();
    await expectAllPdfs(await callers.stop());
  });

  test('get their signature soon after the only signer was killed', async () => {
    await killAll(service.signers);
    const started = performance.now();
    const [key = ''] = keys;
    const [answer] = await Promise.all([askSigned(service.url, key), service.addSigner()]);
    await expectAllPdfs([answer]);
    expect(performance.now() - started).toBeLessThan(FIRST_MS_MAX);
  });

  test('survive a rolling replacement of signers', async () => {
    const callers = startAsking(keys, PAUSE_MS, (key) => askSigned(service.url, key));
    for (const old of inService(service.signers)) {
      await service.addSigner();
      expect(await old.end('SIGTERM')).toBe(0);
    }
    await expectAllPdfs(await callers.stop());
  });

  test('wait for signers that come back', async () => {
    await killAll(service.signers);
    await until('the loss is noticed', async () => (await health(service.url)).checks.signers === 0);
    expect((await health(service.url)).status).toBe('degraded');
    const asked = keys.map((key) => askSigned(service.url, key));
    await sleep(3_000);
    await service.addSigner();
    await expectAllPdfs(await Promise.all(asked));
  });
});
