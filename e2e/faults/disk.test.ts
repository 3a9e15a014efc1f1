import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, test } from '@jest/globals';
import { ask, startAsking } from '../callers.ts';
import { type Deployment, deploy, health, inService, type ServiceProcess, until } from '../service.ts';
import { expectAllPdfs, expectNothingLeft, untilItConverts } from './promise.ts';

/** Becomes a program whose `/dev/shm` is a file system of its own. */
const OWN_DISK = [
  'unshare',
  '-rm',
  'sh',
  '-c',
  'mount -t tmpfs -o size=96m none /dev/shm && exec "$@"',
  'sh',
] as const;
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/dev/shm']).status === 0;

const CALLERS = 4;
const LEFT_BYTES = 64 * 1024;

let service: Deployment;
let keys: string[];
let small: ServiceProcess;
beforeAll(async () => {
  service = await deploy({ converters: 1, settings: { ENGINES: '1' } });
  keys = await Promise.all(Array.from({ length: CALLERS }, () => service.register()));
  if (canMount) small = await service.addConverter({}, OWN_DISK);
});
afterAll(() => service.close());

const taking = async (): Promise<number> => (await health(service.url)).checks.converters;

(canMount ? test : test.skip)('a converter without disk leaves its work to another one', async () => {
  await until('both take documents', async () => (await taking()) === 2);
  const disk = `/proc/${small.child.pid}/root/dev/shm`;
  const callers = startAsking(keys, 0, (key) => ask(service.url, key));
  await until('some are answered', () => callers.answers.length > CALLERS);
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(`${disk}/filler`, Buffer.alloc(bavail * bsize - LEFT_BYTES));
  await until('it takes itself out', async () => (await taking()) === 1);
  const before = callers.answers.length;
  await until('the other one answers', () => callers.answers.length > before + 2 * CALLERS);
  await expectAllPdfs(await callers.stop());

  rmSync(`${disk}/filler`);
  await Promise.all(
    inService(service.converters)
      .filter((converter) => converter !== small)
      .map((converter) => converter.end('SIGTERM')),
  );
  await untilItConverts(service, keys[0] ?? '');
  await expectNothingLeft(service);
});
