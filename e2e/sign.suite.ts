import { execFileSync } from 'node:child_process';
import { createHash, randomBytes, sign as signBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Scriptorium } from '@scriptorium/client';
import type { PublicSigningKey } from '@scriptorium/contracts/jobs/signing-key';
import { signPdfByDigest } from '@scriptorium/signatures/sign';
import type { SignReply } from '@scriptorium/signatures/sign-request';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import type { Pki } from '@scriptorium/testing/pki/pki';
import { commandsOf } from './readme.ts';
import { remainsInRedis } from './remains.ts';
import { type Deployment, deploy, health, until } from './service.ts';
import { sharedPki, sharedService } from './shared-service.ts';

const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const signer = { name: 'Ada Lovelace', email: 'ada@example.com', ip: '203.0.113.7' };
const auditTrail = [
  { type: 'ready', timestamp: '2026-05-01T11:58:02Z' },
  { type: 'submit', timestamp: '2026-05-01T12:00:00Z', data: { consent: true } },
];
const password = `pass-${randomBytes(12).toString('hex')}`;

let service: Deployment;
let key: string;
let folder: string;
let pki: Pki;
/** An unsigned PDF. */
let contract: Buffer;

beforeAll(async () => {
  [service, pki] = await Promise.all([sharedService(), sharedPki()]);
  key = await service.register();
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-sign-'));
  contract = Buffer.from(await (await service.convert(key, docxWith(['A contract in Łódź.']))).arrayBuffer());
});
afterEach(() => until('nothing of a document is left', () => remainsInRedis(service).length === 0));
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const post = (body: object, query = '') =>
  fetch(`${service.url}/v1/sign${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const inBase64 = (bytes: Uint8Array) => ({ base64: Buffer.from(bytes).toString('base64') });

interface Signed extends SignReply {
  document: { base64: string; contentType: string };
}

/** The signed document, and the reply. */
async function signed(body: object, query = ''): Promise<{ bytes: Buffer; reply: Signed }> {
  const response = await post(body, query);
  const reply = (await response.json()) as Signed;
  expect({ status: response.status, reply }).toMatchObject({ status: 200 });
  const { base64, contentType } = reply.document;
  expect(base64.startsWith(`data:${contentType};base64,`)).toBe(true);
  return { bytes: Buffer.from(base64.slice(base64.indexOf(',') + 1), 'base64'), reply };
}

/** Runs a program of poppler on a PDF. */
function poppler(
  program: 'pdfsig' | 'pdftotext',
  pdf: Uint8Array,
  args: string[],
  more: string[] = [],
): string {
  const file = join(folder, `${randomBytes(6).toString('hex')}.pdf`);
  writeFileSync(file, pdf);
  return execFileSync(program, [...args, file, ...more], { encoding: 'utf8' });
}

const judged = (pdf: Uint8Array): string => poppler('pdfsig', pdf, ['-nocert']);
const textOf = (pdf: Uint8Array): string => poppler('pdftotext', pdf, ['-layout'], ['-']);

function expectOneValidSignature(pdf: Uint8Array): void {
  const verdict = judged(pdf);
  expect(verdict.match(/Signature is Valid\./g)).toHaveLength(1);
  expect(verdict).toContain('Total document signed');
}

async function serviceKey(): Promise<PublicSigningKey> {
  return (await (await fetch(`${service.url}/v1/verify/key`)).json()) as PublicSigningKey;
}

describe('the commands of the README', () => {
  test('read the service’s key and sign the sample with it, in any shell', async () => {
    const guide = 'docs/guides/sign.md';
    const target = { url: service.url, key };
    const [readKey = ''] = await commandsOf(guide, "Read the service's key", target);
    const [signSample = ''] = await commandsOf(guide, 'Sign the sample as a PDF', target);
    const reply = JSON.parse(execFileSync('sh', ['-c', readKey], { encoding: 'utf8' })) as PublicSigningKey;
    expect(reply).toMatchObject({ isDevelopmentKey: true, publicKey: expect.stringContaining('PUBLIC KEY') });
    execFileSync('sh', ['-c', signSample], { cwd: folder });
    const pdf = await readFile(join(folder, 'signed.pdf'));
    expectOneValidSignature(pdf);
    const text = textOf(pdf);
    expect(text).toContain('A sample letter');
    expect(text).toContain('Ada Lovelace');
  });

  test('match the quick start', async () => {
    const quickStart = await (await fetch(service.url, { headers: { accept: 'text/plain' } })).text();
    const target = { url: service.url, key: '<API_KEY>' };
    const [signSample = ''] = await commandsOf('README.md', 'Sign', target);
    for (const line of signSample.trim().split('\n')) expect(quickStart).toContain(line);
  });
});

describe('a signature by the service', () => {
  test('is made of the digest of a PDF that never arrives, and the service accepts it', async () => {
    const client = new Scriptorium({ baseUrl: service.url, apiKey: key });
    const bytes = await signPdfByDigest(contract, { reason: 'I agree' }, async (digest) => {
      const { cms, signature } = await client.signDigest({ digest: digest.toString('hex') });
      expect(signature).toMatchObject({ level: 'B-B', digestAlgorithm: 'SHA-256' });
      return cms;
    });
    expectOneValidSignature(bytes);
    expect(await client.verify(bytes)).toMatchObject({ valid: true, documentModified: 'no' });
    await expect(client.signDigest({ digest: 'ab' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'digest' }],
    });
  });

  test('is valid for independent programs, uses the published key, and seals the audit trail', async () => {
    const { bytes, reply } = await signed({
      document: inBase64(contract),
      signer,
      auditTrail,
      reason: 'I agree',
    });
    expectOneValidSignature(bytes);
    expect(reply.document.contentType).toBe('application/pdf');
    const { fingerprint, validTo } = await serviceKey();
    expect(reply.signature?.certificate.sha256.toLowerCase()).toBe(
      fingerprint.replaceAll(':', '').toLowerCase(),
    );
    expect(Date.parse(validTo)).toBeGreaterThan(Date.now());
    expect(reply.auditTrail).toMatchObject({
      inputSha256: createHash('sha256').update(contract).digest('hex'),
      documentSha256: createHash('sha256').update(bytes).digest('hex'),
      embedded: true,
    });
    expect(reply.auditTrail?.entries.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['ready', 'submit']),
    );
    const text = textOf(bytes);
    expect(text).toContain('A contract in Łódź.');
    expect(text).toContain('ada@example.com');
  });

  test('adds no pages if the caller wants none', async () => {
    const { bytes } = await signed({
      document: inBase64(contract),
      signer,
      auditTrail,
      certificate: { enabled: false },
    });
    expectOneValidSignature(bytes);
    expect(textOf(bytes)).toBe(textOf(contract));
  });

  test('is invalid after a byte of the document was changed', async () => {
    const { bytes } = await signed({ document: inBase64(contract), signer, auditTrail });
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    expect(judged(bytes)).not.toContain('Signature is Valid.');
  });

  test('is made in a DOCX itself, or in its PDF with to=pdf', async () => {
    const document = inBase64(docxWith(['A letter.']));
    const docx = await signed({ document, signer, auditTrail });
    expect(docx.reply.document.contentType).toBe(DOCX_TYPE);
    expect(docx.bytes.subarray(0, 2).toString()).toBe('PK');
    expect(docx.bytes.includes('_xmlsignatures/')).toBe(true);
    const pdf = await signed({ document, signer, auditTrail }, '?to=pdf');
    expect(pdf.reply.document.contentType).toBe('application/pdf');
    expectOneValidSignature(pdf.bytes);
    expect(textOf(pdf.bytes)).toContain('A letter.');
  });
});

describe('a caller’s key', () => {
  const expectNoSecretAnywhere = (): void => {
    for (const { log } of [service.gateway, ...service.signers, ...service.converters]) {
      expect(log()).not.toContain(password);
      expect(log()).not.toContain('PRIVATE KEY');
    }
  };

  test('signs as PKCS #12 and as PEM, and appears in no log', async () => {
    const ada = await pki.issue({ name: 'Ada', keyType: 'p-256' });
    const p12 = { base64: (await ada.p12(password)).toString('base64'), password };
    const pem = { privateKey: ada.keyPem(password), certificates: ada.chainPem, password };
    for (const own of [{ p12 }, { pem }]) {
      const { bytes, reply } = await signed({ document: inBase64(contract), key: own });
      expectOneValidSignature(bytes);
      const sha256 = createHash('sha256').update(ada.der).digest('hex');
      expect(reply.signature?.certificate.sha256.toLowerCase()).toBe(sha256);
    }
    expectNoSecretAnywhere();
  });

  test('is refused with a wrong password, which is neither shown nor logged', async () => {
    const ada = await pki.issue({ name: 'Ada' });
    const base64 = (await ada.p12(randomBytes(8).toString('hex'))).toString('base64');
    const response = await post({ document: inBase64(contract), key: { p12: { base64, password } } });
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ code: 'SIGNING_KEY_INVALID' });
    expect(text).not.toContain(password);
    expectNoSecretAnywhere();
  });

  test('that stays with the caller signs in two steps', async () => {
    const ada = await pki.issue({ name: 'Ada', keyType: 'rsa-2048' });
    const external = { certificates: [ada.pem], algorithm: 'rsa', hash: 'sha256' };
    const first = await signed({ document: inBase64(contract), key: { external } });
    const toBeSigned = Buffer.from(first.reply.toBeSigned?.base64 ?? '', 'base64');
    expect(createHash('sha256').update(toBeSigned).digest('hex')).toBe(first.reply.toBeSigned?.digest);
    const signature = signBytes('sha256', toBeSigned, ada.privateKey).toString('base64');
    const second = await signed({
      document: inBase64(first.bytes),
      key: { external: { ...external, signature } },
    });
    expect(second.reply.toBeSigned).toBeUndefined();
    expectOneValidSignature(second.bytes);
  });
});

test('without a signer, signing and reading the key get 503 with a Retry-After', async () => {
  const lonely = await deploy({ settings: { QUEUE_WAIT_MS_MAX: '2000' } });
  try {
    const response = await fetch(`${lonely.url}/v1/verify/key`);
    expect(response.status).toBe(503);
    const refused = await fetch(`${lonely.url}/v1/sign?to=pdf`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await lonely.register()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ document: inBase64(docxWith(['x'])), signer, auditTrail }),
    });
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: 'OVERLOADED' });
    for (const { headers } of [response, refused])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await health(lonely.url)).toMatchObject({ status: 'degraded', checks: { signers: 0 } });
    await until('nothing of the document is left', () => remainsInRedis(lonely).length === 0);
  } finally {
    await lonely.close();
  }
});
