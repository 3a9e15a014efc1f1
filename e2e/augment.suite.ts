import { readFile } from 'node:fs/promises';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { AugmentReply } from '@scriptorium/signatures/augment-request';
import type { VerifyReply } from '@scriptorium/signatures/verify-report';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import type { Pki } from '@scriptorium/testing/pki/pki';
import { remainsInRedis } from './remains.ts';
import { type Deployment, until } from './service.ts';
import { sharedPki, sharedService } from './shared-service.ts';

let service: Deployment;
let key: string;
let pki: Pki;
let signed: Buffer;

beforeAll(async () => {
  [service, pki] = await Promise.all([sharedService(), sharedPki()]);
  key = await service.register();
  const tenant = await pki.issue({ name: 'Ada Lovelace' });
  const own = { privateKey: tenant.keyPem(), certificates: tenant.chainPem };
  signed = await bytesOf(await post('/v1/sign', plainPdf(), { key: { pem: own } }));
});
afterEach(() => until('nothing of a document is left', () => remainsInRedis(service).length === 0));

const post = (path: string, document: Buffer, more: object = {}, accept = 'application/pdf') =>
  fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept },
    body: JSON.stringify({ document: { base64: document.toString('base64') }, ...more }),
  });

async function bytesOf(response: Response): Promise<Buffer> {
  const bytes = Buffer.from(await response.arrayBuffer());
  expect({ status: response.status, body: bytes.toString('latin1', 0, 5) }).toEqual({
    status: 200,
    body: '%PDF-',
  });
  return bytes;
}

test('a signed PDF is raised to B-LTA, and verified without asking an authority', async () => {
  const response = await post('/v1/augment', signed, { level: 'B-LTA' }, 'application/json');
  expect(response.headers.get('server-timing')).toMatch(/^load;dur=.*, queue;dur=.*, augment;dur=/);
  const { document, ...reply } = (await response.json()) as AugmentReply & { document: { base64: string } };
  expect(reply).toEqual({
    isChanged: true,
    signatures: [{ fieldName: 'Signature1', before: 'B-B', after: 'B-LTA' }],
    protectedUntil: expect.stringMatching(/^20\d\d-/),
    warnings: [],
  });
  const bytes = Buffer.from(document.base64.split(',')[1] ?? '', 'base64');
  const trust = { anchors: [pki.root.der.toString('base64')] };
  const report = await post('/v1/verify', bytes, { trust, revocation: 'embedded' }, 'application/json');
  const { verdict, signatures } = (await report.json()) as VerifyReply;
  expect([verdict, signatures[0]?.level]).toEqual(['valid', 'B-LTA']);
  const listed = await post('/v1/verify', bytes, { trust: { profile: 'eu' } }, 'application/json');
  const byLists = (await listed.json()) as VerifyReply;
  const qualifications = byLists.signatures.map(({ qualification }) => qualification);
  expect([
    byLists.verdict,
    ...qualifications.map((each) => `${each?.result} by ${each?.service?.name}`),
  ]).toEqual([
    'valid',
    'notQualified by Listed certificates',
    'qualified by Listed times',
    'qualified by Listed times',
  ]);
});

test('the answer is the bytes if they are asked for, and by default the next level', async () => {
  const raised = await post('/v1/augment', signed);
  expect(raised.headers.get('content-type')).toBe('application/pdf');
  const bytes = await bytesOf(raised);
  expect(bytes.subarray(0, signed.length).equals(signed)).toBe(true);
  expect(bytes.toString('latin1', signed.length)).toContain('/ETSI.RFC3161');
});

test.each([
  ['an unsigned document', () => plainPdf(), {}, 422, 'UNPROCESSABLE'],
  ['an unknown signature', () => signed, { signatures: ['Guest'] }, 400, 'VALIDATION_ERROR'],
  ['an unknown authority', () => signed, { timestamp: { profile: 'none' } }, 400, 'VALIDATION_ERROR'],
  ['an unknown level', () => signed, { level: 'B-X' }, 400, 'VALIDATION_ERROR'],
  ['a DOCX above B-T', async () => signedDocx(), { level: 'B-LT' }, 400, 'UNSUPPORTED_LEVEL'],
] as const)('%s is refused', async (_name, make, more, status, code) => {
  const response = await post('/v1/augment', await make(), more, 'application/json');
  expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([status, code]);
});

const signedDocx = (): Promise<Buffer> =>
  readFile(new URL('../services/gateway/assets/sample-signed.docx', import.meta.url));
