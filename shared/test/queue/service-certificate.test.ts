import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import type { Redis } from 'ioredis';
import { Secret } from '../../src/config.ts';
import { connectPatient, disconnect } from '../../src/queue/connection.ts';
import {
  chainsIn,
  joinChains,
  publishServiceCertificate,
  readServiceCertificate,
} from '../../src/queue/service-certificate.ts';

let server: RedisServer;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = connectPatient(new Secret(server.url));
});
beforeEach(() => redis.flushall());
afterAll(async () => {
  await disconnect(redis);
  await server.stop();
});

function publish(pem: string, disputed: (other: string) => void = () => {}) {
  return publishServiceCertificate(redis, pem, {
    disputed,
    queueError: (error) => {
      throw error;
    },
  });
}

async function untilRead(wanted: string | undefined): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    if ((await readServiceCertificate(redis)) === wanted) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`not read: ${wanted}`);
}

test('a published certificate is returned unchanged, and none before that', async () => {
  expect(await readServiceCertificate(redis)).toBeUndefined();
  const signer = publish('its chain');
  await untilRead('its chain');
  await signer.close();
});

test('a certificate is available for a minute after its signer has stopped', async () => {
  await publish('its chain').close();
  await untilRead('its chain');
  const [key = ''] = await redis.keys('*certificate*');
  const leftMs = await redis.pttl(key);
  expect(leftMs).toBeGreaterThan(50_000);
  expect(leftMs).toBeLessThanOrEqual(60_000);
});

test('the last signer to publish takes precedence and reports the other certificate', async () => {
  const reported: string[] = [];
  const old = publish('old', (other) => reported.push(`old found ${other}`));
  await untilRead('old');
  await old.close();
  const next = publish('new', (other) => reported.push(`new found ${other}`));
  await untilRead('new');
  await next.close();
  expect(reported).toEqual(['new found old']);
});

test('signers with the same keys publish the same text, from which the chains come back', () => {
  const [one, other] = ['-- one\n-- root\n', '-- other\n'];
  expect(joinChains([one, other, one])).toBe(joinChains([other, one]));
  expect(chainsIn(joinChains([other, one]))).toEqual([one.trim(), other.trim()]);
  expect(joinChains([one])).toBe(one);
});

test('a signer publishes its certificate again after a restart of Redis', async () => {
  const signer = publish('its chain');
  await untilRead('its chain');
  await server.stop();
  await server.start();
  await untilRead('its chain');
  await signer.close();
});

test('a text that is much longer than a chain is truncated', async () => {
  const signer = publish('x'.repeat(1_000_000));
  await untilRead('x'.repeat(64 * 1024));
  await signer.close();
});
