import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { ask, startCallers } from '../../callers.ts';
import { untilInWork } from '../../remains.ts';
import { type Deployment, deploy, health, inService, type ServiceProcess, until } from '../../service.ts';
import { childrenOf } from '../../vitals.ts';
import { expectAllPdfs, expectNothingLeft, expectPromiseKept, PATIENT } from '../promise.ts';

/** Enough to keep an engine busy with a document nearly all the time. */
const LETTER = Array.from({ length: 300 }, (_, i) => `Paragraph ${i} of a letter that takes a while.`);
/** Delays between the kills. */
const BLOWS_AFTER_MS = [500, 2_000, 5_000];

let service: Deployment;

/** An engine may end by itself between the check and the kill. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

describe('converters under load', () => {
  let keys: string[];
  beforeAll(async () => {
    service = await deploy({ converters: 2, settings: PATIENT });
    keys = [await service.register(), await service.register(), await service.register()];
  });
  // If a worker is killed between its reply and its end, its job runs again once its lock has expired.
  afterEach(() => expectNothingLeft(service, { killed: 5 }));
  afterAll(() => service.close());

  const living = (): ServiceProcess[] => inService(service.converters);

  /** Restarts a converter that has ended, as a supervisor does. */
  const killAndReplace = async (victim: ServiceProcess | undefined) => {
    await victim?.end('SIGKILL');
    return service.addConverter();
  };

  test('lose no job when their engines are killed, 2 s and then 5 s apart', async () => {
    const callers = startCallers(service.url, keys, 0, LETTER);
    for (const [turn, afterMs] of BLOWS_AFTER_MS.entries()) {
      await sleep(afterMs);
      const victim = living()[turn % 2];
      for (const pid of victim === undefined ? [] : childrenOf(victim)) killIfThere(pid);
    }
    await sleep(1_000);
    await expectAllPdfs(await callers.stop());
  });

  testInWhole('lose no job when they are killed themselves, 2 s and then 5 s apart', async () => {
    const callers = startCallers(service.url, keys, 0, LETTER);
    const replacements: Promise<ServiceProcess>[] = [];
    for (const afterMs of BLOWS_AFTER_MS) {
      await sleep(afterMs);
      replacements.push(killAndReplace(living()[0]));
    }
    await Promise.all(replacements);
    await expectAllPdfs(await callers.stop());
  });

  testInWhole('finish their running jobs during a rolling replacement', async () => {
    const callers = startCallers(service.url, keys, 0, LETTER);
    for (const old of living()) {
      await service.addConverter();
      expect(await old.end('SIGTERM')).toBe(0);
    }
    await expectAllPdfs(await callers.stop());
  });

  testInWhole('answer everyone who has waited when they return after ten seconds', async () => {
    const early = keys.map((key) => ask(service.url, key, LETTER));
    await untilInWork(service);
    await Promise.all(living().map((converter) => converter.end('SIGKILL')));
    const late = keys.map((key) => ask(service.url, key));
    await until('the loss is noticed', async () => (await health(service.url)).checks.converters === 0);
    await sleep(10_000);
    await service.addConverter();
    await expectAllPdfs(await Promise.all([...early, ...late]));
  });
});

test('without any converter, a caller gets 503 with a Retry-After once the maximum wait has passed', async () => {
  service = await deploy({ converters: 0, settings: { QUEUE_WAIT_MS_MAX: '2000' } });
  const key = await service.register();
  const answers = await Promise.all([ask(service.url, key), ask(service.url, key)]);
  await expectPromiseKept(answers);
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 503, code: 'OVERLOADED' });
    expect(answer.ms).toBeGreaterThan(1_900);
    expect(answer.ms).toBeLessThan(20_000);
  }
  await expectNothingLeft(service);
  await service.close();
});
