import { beforeAll, expect, test } from '@jest/globals';
import { verifyReply } from '@scriptorium/signatures/verify-report';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { textFrom } from '@scriptorium/testing/pdf-reading';
import { type Deployment, health } from './service.ts';
import { sharedService } from './shared-service.ts';

const HEADLINE = 'Intact, and signed by this service';

let service: Deployment;
let key: string;
/** Signed by the service’s own key. */
let signed: Buffer;

beforeAll(async () => {
  service = await sharedService();
  key = await service.register();
  const document = { base64: docxWith(['A letter to be kept as it is.']).toString('base64') };
  const signer = { name: 'Ada Lovelace', email: 'ada@example.com' };
  const auditTrail = [{ type: 'submit', timestamp: '2026-05-01T12:00:00Z' }];
  const response = await fetch(`${service.url}/v1/sign`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ document, signer, auditTrail }),
  });
  const reply = (await response.json()) as { document: { base64: string } };
  signed = Buffer.from(reply.document.base64.split(',')[1] ?? '', 'base64');
});

async function reportAs(accept: string) {
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(signed)]), 'signed.docx');
  const headers = { authorization: `Bearer ${key}`, accept };
  const response = await fetch(`${service.url}/v1/verify`, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
  return { type: response.headers.get('content-type'), bytes: Buffer.from(await response.arrayBuffer()) };
}

test('the health endpoint reports that Poppler draws changed pages, too', async () => {
  expect((await health(service.url)).checks.secondReader).toBe('up');
});

test('a caller who accepts HTML gets a page with the verdict', async () => {
  const { type, bytes } = await reportAs('text/html');
  expect(type).toBe('text/html; charset=utf-8');
  expect(bytes.toString()).toContain(HEADLINE);
});

test('a caller who accepts PDF gets pages with the verdict', async () => {
  const { type, bytes } = await reportAs('application/pdf');
  expect(type).toBe('application/pdf');
  expect(await textFrom(bytes, 1)).toContain(HEADLINE);
});

test('a caller who accepts XML gets the report of ETSI TS 119 102-2', async () => {
  const { type, bytes } = await reportAs('application/xml');
  expect(type).toBe('application/xml; charset=utf-8');
  expect(bytes.toString()).toContain(
    '<SubIndication>urn:etsi:019102:subindication:NO_CERTIFICATE_CHAIN_FOUND</SubIndication>',
  );
});

test('a caller who accepts something else gets JSON', async () => {
  const { type, bytes } = await reportAs('image/png');
  expect(type).toBe('application/json; charset=utf-8');
  expect(verifyReply.parse(JSON.parse(bytes.toString()))).toMatchObject({ valid: true, trust: 'service' });
});
