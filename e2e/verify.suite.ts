import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Budget } from '@scriptorium/ooxml/bounds';
import { readArchive, unpackEntry } from '@scriptorium/ooxml/zip';
import { type VerifyReply, verifyReply } from '@scriptorium/signatures/verify-report';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { passwordProtectedDocx } from '@scriptorium/testing/fixtures/not-docx';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { encryptedBy } from '@scriptorium/testing/fixtures/pdf/programs';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { commandsOf } from './readme.ts';
import { remainsInRedis } from './remains.ts';
import { type Deployment, until } from './service.ts';
import { sharedService } from './shared-service.ts';

const signer = { name: 'Ada Lovelace', email: 'ada@example.com' };
const auditTrail = [{ type: 'submit', timestamp: '2026-05-01T12:00:00Z' }];
const SERVICE_TRUST = { trust: { profile: 'service' } };

let service: Deployment;
let key: string;
let folder: string;
let pki: Pki;
/** Signed by the service’s own key. */
let pdf: Buffer;
let docx: Buffer;

beforeAll(async () => {
  [service, pki] = await Promise.all([sharedService(), createPki()]);
  key = await service.register();
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-verify-'));
  const letter = docxWith(['A letter to be kept as it is.']);
  pdf = await sign(letter, { signer, auditTrail }, '?to=pdf');
  docx = await sign(letter, { signer, auditTrail });
});
afterEach(() => until('nothing of a document is left', () => remainsInRedis(service).length === 0));
afterAll(async () => {
  await pki.close();
  await rm(folder, { recursive: true, force: true });
});

const post = (path: string, document: Buffer, more: object) =>
  fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ document: { base64: document.toString('base64') }, ...more }),
  });

async function sign(document: Buffer, more: object, query = ''): Promise<Buffer> {
  const report = (await (await post(`/v1/sign${query}`, document, more)).json()) as {
    document: { base64: string };
  };
  return Buffer.from(report.document.base64.split(',')[1] ?? '', 'base64');
}

/** The report, which must match the contract exactly. */
async function verify(document: Buffer, more: object = {}): Promise<VerifyReply> {
  const response = await post('/v1/verify', document, more);
  const report: unknown = await response.json();
  expect({ status: response.status, report }).toMatchObject({ status: 200 });
  expect(verifyReply.parse(report)).toEqual(report);
  return report as VerifyReply;
}

const codesOf = ({ signatures }: VerifyReply) =>
  signatures.flatMap(({ reasons }) => reasons.map(({ code }) => code));

/** The document with one changed byte near its start, which a signature covers. */
function withAnotherByte(document: Buffer): Buffer {
  const changed = Buffer.from(document);
  changed[12] = (changed[12] ?? 0) ^ 1;
  return changed;
}

async function withAnotherText(document: Buffer): Promise<Buffer> {
  const budget = new Budget();
  const entries = [...(await readArchive(document, budget)).values()].map((entry) => ({
    name: entry.name,
    data: unpackEntry(entry, budget).toString('latin1').replace('to be kept', 'to be left'),
  }));
  return zip(entries.map(({ name, data }) => ({ name, data: Buffer.from(data, 'latin1') })));
}

describe('the commands of the README', () => {
  test('verify the document that the previous one signed, in any shell', async () => {
    const deployed = { url: service.url, key };
    const [signSample = ''] = await commandsOf('README.md', 'Sign', deployed);
    execFileSync('sh', ['-c', signSample], { cwd: folder });
    const signed = await readFile(join(folder, 'signed.pdf'));
    const guide = 'docs/guides/verify.md';
    const commands = [
      ...(await commandsOf(guide, 'Verify a file', deployed)),
      ...(await commandsOf(guide, 'Choose what to trust', deployed)),
    ].filter((command) => command.startsWith('curl'));
    expect(commands).toHaveLength(2);
    const [asFile, trusting] = commands.map(
      (command) =>
        JSON.parse(execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' })) as VerifyReply,
    );
    expect(asFile).toMatchObject({ valid: true, verdict: 'valid_untrusted' });
    expect(trusting).toMatchObject({ valid: true, verdict: 'valid' });
    const sha256 = createHash('sha256').update(signed).digest('hex');
    for (const report of [asFile, trusting]) expect(report?.document.sha256).toBe(sha256);
  });

  test('match the quick start', async () => {
    const quickStart = await (await fetch(service.url, { headers: { accept: 'text/plain' } })).text();
    const target = { url: service.url, key: '<API_KEY>' };
    const [asFile = ''] = await commandsOf('README.md', 'Verify', target);
    expect(quickStart).toContain(asFile.trim());
  });
});

describe('a signature by the service', () => {
  test.each([
    ['PDF', 'application/pdf', 'PAdES', () => pdf],
    ['DOCX', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'XAdES', () => docx],
  ])(
    'in a %s is valid, seals its audit trail, and passes every check',
    async (_kind, contentType, format, of) => {
      const report = await verify(of(), SERVICE_TRUST);
      expect(report).toMatchObject({
        valid: true,
        verdict: 'valid',
        documentModified: 'no',
        document: { contentType, bytes: of().length },
        auditTrail: { present: true, chain: 'intact', sealed: true },
        signatures: [
          {
            format,
            level: 'B-B',
            indication: 'TOTAL_PASSED',
            isServiceKey: true,
            checks: {
              format: 'passed',
              coverage: 'passed',
              digest: 'passed',
              signature: 'passed',
              signingCertificateAttribute: 'passed',
              chain: 'passed',
              policy: 'passed',
            },
            modifications: [],
          },
        ],
      });
      expect(report.reason).toBeUndefined();
      const { certificate } = (await (await fetch(`${service.url}/v1/verify/key`)).json()) as {
        certificate: string;
      };
      const [own = ''] = certificate.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/) ?? [];
      const der = Buffer.from(own.replace(/-----[^-]+-----|\s/g, ''), 'base64');
      expect(report.signer?.sha256).toBe(createHash('sha256').update(der).digest('hex'));
      expect(report.signers).toEqual([report.signer]);
    },
  );

  test('is valid without requested trust, and reported as the service’s own', async () => {
    for (const document of [pdf, docx]) {
      const report = await verify(document);
      expect(report).toMatchObject({ valid: true, verdict: 'valid_untrusted' });
      expect(codesOf(report)).toContain('CHAIN_UNTRUSTED');
    }
  });

  test('is invalid after its content was changed, and the report says so', async () => {
    for (const document of [withAnotherByte(pdf), await withAnotherText(docx)]) {
      const report = await verify(document, SERVICE_TRUST);
      expect(report).toMatchObject({
        valid: false,
        verdict: 'invalid',
        reason: expect.stringMatching(/./),
        documentModified: 'forbidden',
        signatures: [
          { indication: 'TOTAL_FAILED', subIndication: 'HASH_FAILURE', checks: { digest: 'failed' } },
        ],
      });
      expect(codesOf(report)).toContain('DIGEST_MISMATCH');
    }
  });

  test('stays valid beside the next one, which is a permitted change', async () => {
    const again = await sign(pdf, { signer, auditTrail });
    const report = await verify(again, SERVICE_TRUST);
    expect(report).toMatchObject({ valid: true, verdict: 'valid', documentModified: 'permitted' });
    const [first, second] = report.signatures;
    expect(second?.revision).toBe(second?.totalRevisions);
    expect(first?.revision).toBeLessThan(second?.revision ?? 0);
    expect(first?.modifications.map(({ level }) => level)).not.toContain('forbidden');
    expect(second?.modifications).toEqual([]);
  });

  test('is reported as not yet valid before its certificate’s validity', async () => {
    const report = await verify(pdf, { ...SERVICE_TRUST, validationTime: '2001-01-01T00:00:00Z' });
    expect(report).toMatchObject({ valid: false, validationTime: '2001-01-01T00:00:00.000Z' });
    expect(codesOf(report)).toContain('CERTIFICATE_NOT_YET_VALID');
  });
});

describe('a third party’s signature', () => {
  test('is valid only for callers who trust its authority', async () => {
    const ada = await pki.issue({ name: 'Ada', keyType: 'p-256' });
    const pem = { privateKey: ada.keyPem(), certificates: ada.chainPem };
    const signed = await sign(docxWith(['x']), { key: { pem } }, '?to=pdf');
    const unknown = await verify(signed);
    expect(unknown).toMatchObject({ valid: false, verdict: 'valid_untrusted', documentModified: 'no' });
    const known = await verify(signed, { trust: { anchors: [pki.root.pem] } });
    expect(known).toMatchObject({ valid: true, verdict: 'valid' });
    expect(known.signatures[0]?.isServiceKey).toBe(false);
    expect(known.signer?.sha256).toBe(createHash('sha256').update(ada.der).digest('hex'));
    const other = await verify(signed, SERVICE_TRUST);
    expect(other).toMatchObject({ valid: false, verdict: 'valid_untrusted' });
  });

  test('is verified with the response of its authority if the request asks for it', async () => {
    const eve = await pki.issue({ name: 'Eve', keyType: 'p-256' });
    const pem = { privateKey: eve.keyPem(), certificates: eve.chainPem };
    const signed = await sign(docxWith(['x']), { key: { pem } });
    const trust = { anchors: [pki.root.pem] };
    expect(await verify(signed, { trust, revocation: 'none' })).toMatchObject({ verdict: 'valid' });
    // Its servers are on loopback, which the verifier may reach only if its settings allow it.
    const report = await verify(signed, { trust, revocation: 'online' });
    expect(report).toMatchObject({ valid: false, verdict: 'indeterminate' });
    expect(codesOf(report)).toContain('REVOCATION_UNAVAILABLE');
  });
});

describe('a document', () => {
  test.each([
    ['PDF', async () => Buffer.from(await (await service.convert(key, docxWith(['x']))).arrayBuffer())],
    ['DOCX', async () => docxWith(['x'])],
  ])('as %s without signatures is unsigned, and not valid', async (_kind, make) => {
    expect(await verify(await make())).toMatchObject({
      valid: false,
      verdict: 'unsigned',
      reason: 'The document is not signed.',
      documentModified: 'no',
      signatures: [],
      auditTrail: { present: false },
    });
  });

  test.each<[string, () => Promise<Buffer>, string]>([
    ['PDF with a password', () => encryptedBy(plainPdf(), { user: 'Geheim' }), 'PASSWORD_REQUIRED'],
    ['encrypted DOCX', async () => passwordProtectedDocx(), 'DOCUMENT_ENCRYPTED'],
    ['truncated PDF', async () => pdf.subarray(0, 300), 'INVALID_FILE_FORMAT'],
    ['truncated DOCX', async () => docx.subarray(0, docx.length / 2), 'INVALID_FILE_FORMAT'],
    ['text', async () => Buffer.from('Dear Ada,'), 'INVALID_FILE_FORMAT'],
  ])('as %s is refused', async (_kind, make, code) => {
    const response = await post('/v1/verify', await make(), {});
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code });
  });
});

describe('an encrypted PDF', () => {
  test.each([['Geheim'], [undefined]])(
    'with the password %s is signed, and its signature is valid',
    async (user) => {
      const encrypted = await encryptedBy(plainPdf(), { user: user ?? '' });
      const password = user === undefined ? {} : { password: user };
      const signed = await sign(encrypted, { signer, auditTrail, ...password });
      expect(signed.subarray(0, encrypted.length).equals(encrypted)).toBe(true);
      const report = await verify(signed, { ...SERVICE_TRUST, ...password });
      expect(report).toMatchObject({ verdict: 'valid', auditTrail: { chain: 'intact', sealed: true } });
      expect(report.document?.pages).toBeGreaterThan(1);
    },
  );

  test.each(['/v1/sign', '/v1/verify'])(
    'is refused by %s with a wrong password, which is not logged',
    async (path) => {
      const encrypted = await encryptedBy(plainPdf(), { user: 'Geheim' });
      const more = path === '/v1/sign' ? { signer, auditTrail } : {};
      const response = await post(path, encrypted, { ...more, password: 'Trustno1-wrong' });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: 'PASSWORD_WRONG' });
      const logs = [service.gateway, ...service.signers, ...service.verifiers].map((each) => each.log());
      expect(logs.join('')).not.toMatch(/Trustno1-wrong|Geheim/);
    },
  );
});

test('an unknown trust profile is refused by its name in the request', async () => {
  const response = await post('/v1/verify', pdf, { trust: { profile: 'nobody' } });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'trust.profile' }],
  });
});
