import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import { freePort } from '@scriptorium/testing/server-process';
import { Secret } from '../../src/config.ts';
import { connectPatient } from '../../src/queue/connection.ts';

let folder: string;
let server: RedisServer;
let port: number;

/** Makes a certificate for 127.0.0.1 that is its own authority. */
function makeCertificate(name: string): void {
  const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.pem`)];
  const subject = ['-subj', '/CN=redis', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...subject], {
    stdio: 'ignore',
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'redis-tls-'));
  for (const name of ['own', 'other']) makeCertificate(name);
  port = await freePort();
  const files = { cert: 'own.pem', key: 'own.key', 'ca-cert': 'own.pem' };
  const args = Object.entries(files).flatMap(([kind, file]) => [`--tls-${kind}-file`, join(folder, file)]);
  server = await startRedis({ args: ['--tls-port', String(port), ...args, '--tls-auth-clients', 'no'] });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Resolves with the answer to PING, or with the first error of the connection. */
function ask(authority: string | undefined): Promise<string> {
  const file = authority && join(folder, `${authority}.pem`);
  const redis = connectPatient(new Secret(`rediss://127.0.0.1:${port}`), { REDIS_CA_FILE: file });
  const failed = new Promise<string>((resolve) => redis.once('error', ({ message }) => resolve(message)));
  return Promise.race([redis.ping(), failed]).finally(() => redis.disconnect());
}

test.each(['/none.pem', '/etc/passwd'])('a file without certificates ends the start: %s', (file) => {
  expect(() => connectPatient(new Secret('rediss://127.0.0.1'), { REDIS_CA_FILE: file })).toThrow(
    'REDIS_CA_FILE: must be the path of a readable file with certificates',
  );
});

test('a Redis over TLS is trusted with its authority only', async () => {
  expect(await ask('own')).toBe('PONG');
  expect(await ask('other')).toMatch(/self-signed|certificate/);
  expect(await ask(undefined)).toMatch(/self-signed|certificate/);
});
