import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findRedisBinary, type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import { freePort, type ServerProcess, startProcess } from '@scriptorium/testing/server-process';
import { startCallers, tally } from '../callers.ts';
import { REDIS_ARGUMENTS } from '../own-settings.ts';
import { type Deployment, deploy, until } from '../service.ts';
import { expectPromiseKept, untilItConverts } from './promise.ts';

const NAME = 'documents';
/** A server without an answer for so long loses the name. A busy machine may keep it from answering for a second. */
const DOWN_AFTER_MS = 3_000;
const CALLERS = 10;

const folder = mkdtempSync(join(tmpdir(), 'sentinels-'));
const sentinels: ServerProcess[] = [];
let other: RedisServer;
let sentinelPort: number;
let service: Deployment;
let key: string;

/** A sentinel writes what it learns into its file. */
function startSentinel(port: number, master: number): ServerProcess {
  const file = join(folder, `${port}.conf`);
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${master} 1`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${NAME} 3000`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  return startProcess(findRedisBinary() ?? '', [file, '--sentinel'], { argv0: 'redis-server' });
}

/** What the sentinel answers. Empty before it listens. */
const askSentinel = (...words: string[]): string =>
  spawnSync('redis-cli', ['-p', `${sentinelPort}`, 'SENTINEL', ...words, NAME], { encoding: 'utf8' }).stdout;

/** What the sentinel says of the server: a name a line, and its value in the next one. */
function knows(what: string): string | undefined {
  const lines = askSentinel('MASTER').split('\n');
  return lines[lines.indexOf(what) + 1];
}

beforeAll(async () => {
  const absent = await freePort();
  sentinelPort = await freePort();
  service = await deploy({
    converters: 2,
    redis: { port: await freePort() },
    settings: { REDIS_SENTINELS: `127.0.0.1:${absent}, redis://127.0.0.1:${sentinelPort}` },
    async redisUrl({ port: first = 0 }) {
      other = await startRedis({ args: [...REDIS_ARGUMENTS, '--replicaof', `127.0.0.1 ${first}`] });
      sentinels.push(startSentinel(sentinelPort, first));
      await until('the sentinel knows both servers', () => knows('num-slaves') === '1');
      return `redis://${NAME}`;
    },
  });
  key = await service.register();
});
afterAll(async () => {
  await service.close();
  for (const sentinel of sentinels) await sentinel.kill();
  await other.stop();
  rmSync(folder, { recursive: true });
});

/** Callers before, while and after something happens to the server that has the name. */
async function expectFailover(happens: (server: RedisServer) => unknown): Promise<void> {
  const first = Number(knows('port'));
  const server = first === service.redis.port ? service.redis : other;
  const callers = startCallers(service.url, [key], CALLERS);
  await untilItConverts(service, key);
  await happens(server);
  await until('another server has the name', () => Number(knows('port')) !== first);
  await untilItConverts(service, key);
  const answers = await callers.stop();
  await expectPromiseKept(answers);
  const others = Object.keys(tally(answers)).filter((outcome) => outcome !== '503 UNAVAILABLE');
  expect(others).toEqual(['200']);
}

describe('behind sentinels', () => {
  test('a frozen Redis is replaced by its copy: right answers or 503, and it may come back', async () => {
    await expectFailover((server) => server.pause());
    service.redis.resume();
    await untilItConverts(service, key);
  });

  test('a killed one, too', async () => {
    await until('there is a copy in step', () => /master-link-status\nok/.test(askSentinel('REPLICAS')));
    await expectFailover((server) => server.kill());
  });

  test('nothing but lines of JSON is in the logs', () => {
    for (const { log } of [service.gateway, ...service.converters])
      expect(
        log()
          .split('\n')
          .filter((line) => line !== '' && !line.startsWith('{')),
      ).toEqual([]);
  });
});
