import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findRedisBinary } from '@scriptorium/testing/redis-server';
import {
  freePort,
  type ServerProcess,
  startProcess,
  waitUntilReady,
} from '@scriptorium/testing/server-process';

const checkout = join(import.meta.dirname, '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'redis-copies-'));
const servers: ServerProcess[] = [];
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const makeCopies = () => execFileSync(join(checkout, 'deploy/docker/make-redis-copies.sh'), [folder]);

function start(name: string, settings: string, ...words: string[]): ServerProcess {
  const file = join(folder, `${name}.conf`);
  writeFileSync(file, settings.replaceAll('dir /tmp', `dir ${folder}`).replaceAll('/run/secrets', folder));
  const server = startProcess(findRedisBinary() ?? '', [file, ...words], { argv0: 'redis-server' });
  servers.push(server);
  return server;
}

/** Asks a server until the answer has a text. */
const untilSaid = (
  server: ServerProcess,
  port: number,
  words: readonly string[],
  text: string,
): Promise<void> =>
  waitUntilReady('redis-server', server, async () => {
    const asked = ['-p', `${port}`, '--no-auth-warning', ...words];
    expect(execFileSync('redis-cli', asked, { encoding: 'utf8', stdio: 'pipe' })).toContain(text);
  });

beforeAll(() => {
  writeFileSync(
    join(folder, 'users.acl'),
    readFileSync(join(checkout, 'deploy/docker/redis-users.acl'), 'utf8').replaceAll(
      /PASSWORD_\w+/g,
      'nopass',
    ),
  );
  makeCopies();
});
afterAll(async () => {
  for (const server of servers) await server.kill();
  rmSync(folder, { recursive: true });
});

test('the script adds one user, and changes nothing when it runs again', () => {
  const before = [read('users.acl'), read('copies.conf'), read('sentinel.conf')];
  makeCopies();
  expect([read('users.acl'), read('copies.conf'), read('sentinel.conf')]).toEqual(before);
  expect(before[0]?.match(/^user copies /gm)).toHaveLength(1);
});

test('its user may do what a copy and a sentinel need', async () => {
  const [first, copy, sentinel] = [await freePort(), await freePort(), await freePort()];
  const local = ['--bind', '127.0.0.1', '--port'];
  start('first', read('copies.conf'), ...local, `${first}`);
  start('copy', read('copies.conf'), ...local, `${copy}`, '--replicaof', `127.0.0.1 ${first}`);
  const monitors = read('sentinel.conf')
    .replaceAll(/monitor (\w+) \w+ 6379 2/g, `monitor $1 127.0.0.1 ${first} 1`)
    .replace('port 26379', `port ${sentinel}\nbind 127.0.0.1`);
  const sentinels = start('sentinels', monitors, '--sentinel');
  await untilSaid(sentinels, sentinel, ['sentinel', 'master', 'queue'], 'num-slaves\n1\n');
  await untilSaid(sentinels, sentinel, ['sentinel', 'failover', 'queue'], 'OK');
  await untilSaid(sentinels, sentinel, ['sentinel', 'get-master-addr-by-name', 'queue'], `${copy}`);
});
