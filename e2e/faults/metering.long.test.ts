import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { freePort } from '@scriptorium/testing/server-process';
import { ask } from '../callers.ts';
import { type Deployment, deploy, type ServiceProcess, startService, until } from '../service.ts';
import { usageOf } from '../usage-reading.ts';
import { killAll } from '../vitals.ts';
import { heldInWork } from './held-in-work.ts';
import { expectAllPdfs, PATIENT } from './promise.ts';

let service: Deployment;
let consumer: ServiceProcess;

describe('answered operations', () => {
  beforeAll(async () => {
    service = await deploy({ converters: 2, settings: PATIENT });
    const port = String(await freePort());
    const settings = {
      ...service.settings,
      PORT: port,
      TELEMETRY_ROLE: 'consumer',
      COUNT_INTERVAL_MS: '100',
    };
    consumer = startService('telemetry', settings);
    await until('the consumer is ready', async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
  });
  afterAll(async () => {
    await consumer.end('SIGTERM');
    await service.close();
  });

  test('count once although workers were killed and the jobs ran twice', async () => {
    const key = await service.register();
    const asked = Array.from({ length: 4 }, () => ask(service.url, key));
    await heldInWork(service, 'convert', service.converters);
    await killAll(service.converters);
    await service.addConverter();
    await expectAllPdfs(await Promise.all(asked));
    // Once the locks of the killed workers have expired, their unfinished jobs have run again.
    await until('no job is left', async () => (await ask(service.url, key)).status === 200);
    expect(await usageOf(service.url, key, 'operation', 5)).toEqual({ convert: 5 });
  });

  test('are all counted if the gateway stops right after the last one', async () => {
    const key = await service.register();
    const further = await service.addGateway();
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(further.url, key)));
    await expectAllPdfs(answers);
    await expectAllPdfs([await ask(further.url, key)]);
    expect(await further.end('SIGTERM')).toBe(0);
    expect(await usageOf(service.url, key, 'operation', 6)).toEqual({ convert: 6 });
  });
});
