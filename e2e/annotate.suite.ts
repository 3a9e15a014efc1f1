import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { formPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { commandsOf } from './readme.ts';
import type { Deployment } from './service.ts';
import { sharedService } from './shared-service.ts';

let service: Deployment;
let key: string;
let folder: string;

beforeAll(async () => {
  service = await sharedService();
  key = await service.register();
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-fill-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const post = (path: string, body: unknown) =>
  fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const sample = async () => {
  const bytes = await (await fetch(`${service.url}/sample-template.docx`)).arrayBuffer();
  return { base64: Buffer.from(bytes).toString('base64') };
};

test('the commands of the README fill the sample template in any shell', async () => {
  const [fill = ''] = await commandsOf('README.md', 'Fill', { url: service.url, key });
  execFileSync('sh', ['-c', fill], { cwd: folder });
  const text = execFileSync('pdftotext', ['-layout', 'filled.pdf', '-'], { cwd: folder, encoding: 'utf8' });
  for (const expected of [
    'For Ada Lovelace',
    'Dear Ada Lovelace,',
    'Number 1842',
    'Difference engine',
    '17,502',
  ])
    expect(text).toContain(expected);
  expect(text).not.toContain('An item');
});

test('inspecting the sample template lists its fields', async () => {
  const response = await post('/v1/templates/inspect', { document: await sample() });
  expect(response.status).toBe(200);
  const { fields } = (await response.json()) as { fields: { id: string; names: string[]; type: string }[] };
  expect(fields.map(({ names, type }) => `${names[0]}: ${type}`).sort()).toEqual([
    'customer_name: text',
    'customer_name: text',
    'items: table',
    'logo: image',
    'order_number: text',
    'signature: signature',
    'total: text',
  ]);
  // A name that two controls have identifies neither.
  expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
});

test('a signature field without an image is an empty field of the PDF', async () => {
  const { base64 } = await sample();
  const options = { field: 'tenant', dimensions: { width: 160, height: 80 } };
  const fields = [{ id: 'signature', type: 'signature', value: null, options }];
  const response = await post('/v1/annotate?to=pdf&flatten=true', { document: { base64 }, fields });
  const { document } = (await response.json()) as { document: { base64: string } };
  const report = await post('/v1/verify', { document: { base64: document.base64 } });
  expect(await report.json()).toMatchObject({
    emptyFields: [
      {
        name: 'tenant',
        page: 1,
        rectangle: { width: expect.closeTo(120, 1), height: expect.closeTo(60, 1) },
      },
    ],
  });
});

test('a PDF form is filled and flattened without a conversion, and only as a PDF', async () => {
  const body = { document: { base64: formPdf().toString('base64') }, fields: [{ id: 'Name', value: 'Zoë' }] };
  const filled = await post('/v1/annotate?to=pdf&flatten=true', body);
  expect(filled.headers.get('x-fields-filled')).toBe('1');
  expect(filled.headers.get('server-timing')).toMatch(/^load;.*, queue;.*, annotate;dur=[\d.]+$/);
  const { document } = (await filled.json()) as { document: { base64: string } };
  const inspected = await post('/v1/templates/inspect', { document: { base64: document.base64 } });
  expect(await inspected.json()).toMatchObject({ fields: [{ id: 'Signature', type: 'signature' }] });

  const refused = await post('/v1/annotate', body);
  expect(await refused.json()).toMatchObject({ details: [{ field: 'query.to' }] });
});

test('a filled template is a document that can be converted', async () => {
  const fields = [
    { id: 'customer_name', value: 'Ada & <Charles>' },
    { id: 'nobody', value: '' },
  ];
  const response = await post('/v1/annotate', { document: await sample(), fields });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-fields-filled')).toBe('2');
  expect(response.headers.get('x-fields-unmatched-list')).toBe('fields[1]');
  const { document } = (await response.json()) as { document: { base64: string } };
  const filled = Buffer.from(document.base64.slice(document.base64.indexOf(',') + 1), 'base64');
  expect((await service.convert(key, filled)).status).toBe(200);
});

test('a missing field is named if the caller requests it', async () => {
  const fields = [{ id: 'nobody', value: '' }];
  const response = await post('/v1/annotate?onMissing=error', { document: await sample(), fields });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    code: 'FIELD_NOT_FOUND',
    details: [{ field: 'fields[0].id' }],
  });
});

test('a file that is not a document is refused', async () => {
  const document = { base64: Buffer.from('plain text').toString('base64') };
  for (const [path, body] of [
    ['/v1/annotate', { document, fields: [] }],
    ['/v1/templates/inspect', { document }],
  ] as const)
    expect(await (await post(path, body)).json()).toMatchObject({ code: 'INVALID_FILE_FORMAT' });
});
