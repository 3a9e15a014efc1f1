import { X509Certificate } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Secret } from '@scriptorium/shared/config';
import { connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import { publishServiceCertificate } from '@scriptorium/shared/queue/service-certificate';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import { type ServiceCertificate, watchServiceCertificate } from '../src/service-certificate.ts';

const READ_MS = 30;

let pki: Pki;
let server: RedisServer;
let redis: ReturnType<typeof connectPatient>;
let first: Identity;
let second: Identity;
const watches: ServiceCertificate[] = [];

beforeAll(async () => {
  [pki, server] = await Promise.all([createPki(), startRedis()]);
  redis = connectPatient(new Secret(server.url));
  first = await pki.issue({ name: 'First' });
  second = await pki.issue({ name: 'Second' });
});
beforeEach(() => redis.flushall());
afterEach(() => Promise.all(watches.splice(0).map((watch) => watch.close())));
afterAll(async () => {
  await disconnect(redis);
  await Promise.all([pki.close(), server.stop()]);
});

function watched(times: { readMs?: number; heldMsMax?: number } = {}) {
  const reported: string[] = [];
  const events = {
    known: (fingerprint: string) => reported.push(`known ${fingerprint}`),
    unknown: () => reported.push('unknown'),
    unreadable: () => reported.push('unreadable'),
    queueError: (error: unknown) => reported.push(String(error)),
  };
  const certificate = watchServiceCertificate(redis, events, { readMs: READ_MS, ...times });
  watches.push(certificate);
  return { certificate, reported };
}

/** Publishes like a signer that ends at once. */
const publish = (pem: string) =>
  publishServiceCertificate(redis, pem, { disputed: () => {}, queueError: () => {} }).close();

async function until(condition: () => unknown): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('did not happen');
}

const knownAs = ({ der }: Identity) => `known ${new X509Certificate(der).fingerprint256.toLowerCase()}`;

test('a certificate that was published before the start is known at the first request', async () => {
  await publish(first.chainPem);
  const { certificate, reported } = watched();
  expect(await certificate.current()).toBe(first.chainPem);
  expect(certificate.isKnown()).toBe(true);
  expect(reported).toEqual([knownAs(first)]);
});

test('a later signer is noticed', async () => {
  const { certificate, reported } = watched();
  expect(await certificate.current()).toBeUndefined();
  expect(certificate.isKnown()).toBe(false);
  await publish(first.chainPem);
  await until(() => certificate.isKnown());
  expect(await certificate.current()).toBe(first.chainPem);
  expect(reported).toEqual(['unknown', knownAs(first)]);
});

test('a signer that has just started is noticed at the next request', async () => {
  const { certificate } = watched({ readMs: 60_000 });
  expect(await certificate.current()).toBeUndefined();
  await publish(first.chainPem);
  expect(await certificate.current()).toBe(first.chainPem);
});

test('another key replaces the previous one, and is reported once', async () => {
  await publish(first.chainPem);
  const { certificate, reported } = watched();
  await certificate.current();
  await publish(second.chainPem);
  await until(async () => (await certificate.current()) === second.chainPem);
  await new Promise((resolve) => setTimeout(resolve, 3 * READ_MS));
  expect(reported).toEqual([knownAs(first), knownAs(second)]);
});

test('a certificate that is no longer published is kept for its time, and then forgotten', async () => {
  const HELD_MS = 3_000;
  await publish(first.chainPem);
  const { certificate, reported } = watched({ heldMsMax: HELD_MS });
  await certificate.current();
  const goneAt = Date.now();
  await redis.flushall();
  await new Promise((resolve) => setTimeout(resolve, 3 * READ_MS));
  expect(await certificate.current()).toBe(first.chainPem);
  await until(() => !certificate.isKnown());
  expect(Date.now() - goneAt).toBeGreaterThan(HELD_MS / 2);
  expect(await certificate.current()).toBeUndefined();
  expect(reported).toEqual([knownAs(first), 'unknown']);
});

test('an unreadable value is reported once, and does not replace a certificate', async () => {
  await publish(first.chainPem);
  const { certificate, reported } = watched();
  await certificate.current();
  await publish(first.chainPem.replace(/[A-Za-z]{20}/, 'AAAAAAAAAAAAAAAAAAAA'));
  await until(() => reported.includes('unreadable'));
  await new Promise((resolve) => setTimeout(resolve, 3 * READ_MS));
  expect(await certificate.current()).toBe(first.chainPem);
  expect(reported).toEqual([knownAs(first), 'unreadable']);
});
