import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { VerifyReply } from '@scriptorium/signatures/verify-report';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { redisCommand } from './remains.ts';
import { type Deployment, deploy, health, inService, until } from './service.ts';

const CERTIFICATE = '{scriptorium}:service-certificate';
/** Half of the time for which a certificate of a signer that is gone stays. A few seconds suffice alone on a machine. */
const KNOWN_MS_MAX = 30_000;
const BY_SERVICE = { trust: { profile: 'service' } };
const OWN = { valid: true, verdict: 'valid', signatures: [{ isServiceKey: true }] };

let service: Deployment;
let folder: string;
let key: string;
/** Signed by the first key of the service. */
let signed: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-other-key-'));
  const settings = { DEVELOPMENT_KEY_DIR: join(folder, 'first') };
  service = await deploy({ converters: 0, signers: 1, verifiers: 1, settings });
  key = await service.register();
  signed = await sign();
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const post = (path: string, document: Buffer, more: object = {}) =>
  fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ document: { base64: document.toString('base64') }, ...more }),
  });

async function sign(): Promise<Buffer> {
  const response = await post('/v1/sign', plainPdf(), {
    signer: { name: 'Ada Lovelace', email: 'ada@example.com' },
    auditTrail: [{ type: 'submit', timestamp: new Date().toISOString() }],
  });
  const { document } = (await response.json()) as { document: { base64: string } };
  return Buffer.from(document.base64.split(',')[1] ?? '', 'base64');
}

async function verify(document: Buffer, more: object = {}): Promise<VerifyReply> {
  return (await (await post('/v1/verify', document, more)).json()) as VerifyReply;
}

const endAll = (kind: 'signers' | 'verifiers') =>
  Promise.all(inService(service[kind]).map((process) => process.end('SIGTERM')));

/** A verifier without any signer. */
async function withoutSigners(): Promise<void> {
  await Promise.all([endAll('signers'), endAll('verifiers')]);
  redisCommand(service, 'DEL', CERTIFICATE);
  await service.addVerifier();
}

const isOwn = async (document: Buffer) => (await verify(document)).signatures[0]?.isServiceKey === true;

test('a verifier with neither key nor secret recognizes the service’s signatures', async () => {
  const [verifier] = service.verifiers;
  const environment = await readFile(`/proc/${verifier?.child.pid}/environ`, 'utf8');
  expect(environment).toContain('REDIS_URL=');
  for (const name of ['SIGNER_SECRET', 'SIGNING_PROFILES', 'DEVELOPMENT_KEY_DIR'])
    expect(environment).not.toContain(name);
  expect(await verify(signed, BY_SERVICE)).toMatchObject(OWN);
  expect((await health(service.url)).checks).toMatchObject({ signers: 1, verifiers: 1 });
});

test('without a signer, documents are verified, but none as the service’s own, and its trust profile is unavailable', async () => {
  await withoutSigners();
  expect(await verify(signed)).toMatchObject({
    valid: false,
    verdict: 'valid_untrusted',
    documentModified: 'no',
    signatures: [{ isServiceKey: false, checks: { digest: 'passed', signature: 'passed' } }],
  });
  const refused = await post('/v1/verify', signed, BY_SERVICE);
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ code: 'UNAVAILABLE' });
});

test('a verifier notices a later signer within seconds', async () => {
  await withoutSigners();
  expect(await isOwn(signed)).toBe(false);
  await service.addSigner();
  // A signer is ready before Redis has its certificate.
  await until('the signer has published its certificate', () => isOwn(signed), KNOWN_MS_MAX);
  expect(await verify(signed, BY_SERVICE)).toMatchObject(OWN);
});

test('a new service key replaces the old one within seconds', async () => {
  if (inService(service.signers).length === 0) await service.addSigner();
  await endAll('signers');
  await service.addSigner({ DEVELOPMENT_KEY_DIR: join(folder, 'other') });
  const signedAnew = await sign();
  await until('the new key is known', () => isOwn(signedAnew), KNOWN_MS_MAX);
  expect(await verify(signedAnew, BY_SERVICE)).toMatchObject(OWN);
  expect(await verify(signed, BY_SERVICE)).toMatchObject({
    valid: false,
    verdict: 'valid_untrusted',
    signatures: [{ isServiceKey: false }],
  });
});

test('two keys of the service are recognized whichever signs, and no signer disputes the other one', async () => {
  await endAll('signers');
  const fileOf = (key: string) => join(folder, key, 'development-key.pem');
  /** Starts a signer as the steps of a rotation do. */
  const addSignerWith = async (key: string, other: string) => {
    const pem = { privateKeyFile: fileOf(key), certificatesFile: fileOf(key) };
    const file = join(folder, `signs-with-${key}.json`);
    await writeFile(file, JSON.stringify({ service: { pem, otherCertificates: [fileOf(other)] } }));
    return service.addSigner({ SIGNING_PROFILES: file });
  };
  const before = await addSignerWith('first', 'other');
  const byFirst = await sign();
  await until('the first key is known again', () => isOwn(byFirst), KNOWN_MS_MAX);
  const after = await addSignerWith('other', 'first');
  await before.end('SIGTERM');
  const byOther = await sign();
  for (const document of [signed, byFirst, byOther])
    expect(await verify(document, BY_SERVICE)).toMatchObject(OWN);
  expect(byOther.equals(byFirst)).toBe(false);
  expect(after.log()).not.toContain('another certificate');
});

test('a signer replaces and reports a certificate that another process wrote', async () => {
  if (inService(service.signers).length === 0) await service.addSigner();
  const other = 'the certificate of a hostile process';
  redisCommand(service, 'SET', CERTIFICATE, other);
  const published = createHash('sha256').update(other).digest('hex');
  const isReported = () => service.signers.some(({ log }) => log().includes(published));
  await until('the signer reports it', isReported, KNOWN_MS_MAX);
  expect(redisCommand(service, 'GET', CERTIFICATE)).toContain('BEGIN CERTIFICATE');
});
