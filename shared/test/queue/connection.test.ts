import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import { Secret } from '../../src/config.ts';
import { connectFailingFast } from '../../src/queue/connection.ts';

const folder = mkdtempSync(join(tmpdir(), 'connection-test-'));
let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis({ socket: join(folder, 'redis.sock') });
});
afterAll(async () => {
  await redis.stop();
  rmSync(folder, { recursive: true });
});

async function connected() {
  const client = connectFailingFast(new Secret(redis.url));
  await new Promise((resolve) => client.once('ready', resolve));
  return client;
}

function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

test('a command fails while Redis does not answer', async () => {
  const client = await connected();
  redis.pause();
  try {
    await expect(client.get('key')).rejects.toThrow('Command timed out');
  } finally {
    redis.resume();
    client.disconnect();
  }
});

testInWhole('a process that was busy for too long still gets the replies that came meanwhile', async () => {
  const client = await connected();
  const replies = [client.set('key', 'value'), client.get('key'), client.multi().get('key').exec()];
  block(2_500);
  expect(await Promise.all(replies)).toEqual(['OK', 'value', [[null, 'value']]]);
  client.disconnect();
});
