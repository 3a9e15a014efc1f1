import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { SignReply } from '@scriptorium/signatures/sign-request';
import type { VerifyReply } from '@scriptorium/signatures/verify-report';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { remainsInRedis } from './remains.ts';
import { type Deployment, until } from './service.ts';
import { sharedService } from './shared-service.ts';

const CONTRACT = templateOf(
  p(run('Rental contract of {{ landlord }} and {{ tenant }}')) +
    `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="4500"/><w:gridCol w:w="4500"/></w:tblGrid><w:tr>${[
      'landlord',
      'tenant',
    ]
      .map((role) => `<w:tc><w:tcPr/>${p(run(`{{sign:${role} width=60mm height=20mm}}`))}</w:tc>`)
      .join('')}</w:tr></w:tbl>`,
);

let service: Deployment;
let key: string;
beforeAll(async () => {
  service = await sharedService();
  key = await service.register();
});
afterEach(() => until('nothing of a document is left', () => remainsInRedis(service).length === 0));

const post = (path: string, body: object) =>
  fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('one call fills a contract, makes it a PDF, and has both roles sign in their fields', async () => {
  const signatures = ['landlord', 'tenant'].map((field) => ({
    field,
    signer: { name: `The ${field}`, email: `${field}@example.com` },
    appearance: {},
  }));
  const body = {
    document: { base64: CONTRACT.toString('base64') },
    data: { landlord: 'Ada', tenant: 'Grace' },
    sign: {
      auditTrail: [{ type: 'submit', timestamp: '2026-05-01T12:00:00Z' }],
      certificate: { enabled: false },
      signatures,
    },
  };
  const response = await post('/v1/generate?to=pdf', body);
  const reply = (await response.json()) as SignReply & { document: { base64: string } };
  expect(reply).toMatchObject({ signatures: [{ fieldName: 'landlord' }, { fieldName: 'tenant' }] });
  expect(response.headers.get('x-signature-fields')).toBe('landlord, tenant');
  const verified = (await (
    await post('/v1/verify', { document: { base64: reply.document.base64 } })
  ).json()) as VerifyReply;
  expect(verified).toMatchObject({
    valid: true,
    integrity: 'intact',
    signatures: [{ id: 'landlord' }, { id: 'tenant' }],
  });
  const wrong = { ...body.sign, signatures: [signatures[0], { ...signatures[1], field: 'x' }] };
  const refused = await post('/v1/generate?to=pdf', { ...body, sign: wrong });
  expect(await refused.json()).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'sign.signatures[1].field' }],
  });
});
