import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import type { SignReply } from '@scriptorium/signatures/sign-request';
import type { VerifyReply } from '@scriptorium/signatures/verify-report';
import { testInWhole } from '@scriptorium/testing/extent';
import { formPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { p, run, sdt, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { remainsInRedis, untilInWork } from './remains.ts';
import { type Deployment, deploy, until } from './service.ts';
import { sharedService } from './shared-service.ts';

const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const PDF_TYPE = 'application/pdf';

const row = (text: string) => `<w:tr><w:tc><w:tcPr/>${p(run(text))}</w:tc></w:tr>`;
const LETTER = templateOf(
  p(run('Dear {customer.name},')) +
    `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid>${row('{#items}{count} × {name}{/items}')}</w:tbl>` +
    p(run('{#paid}Paid in full.{/paid}{^paid}To be paid.{/paid}')),
);
const FIELDS = templateOf(p(sdt({ id: 7 }, run('prompt'))));
const data = {
  customer: { name: 'Ada & <Charles>' },
  items: [
    { count: 1, name: 'engine' },
    { count: 400, name: 'punched cards' },
  ],
  paid: false,
};
const LINES = ['Dear Ada & <Charles>,', '1 × engine', '400 × punched cards', 'To be paid.'];
const sign = {
  signer: { name: 'Ada Lovelace', email: 'ada@example.com' },
  auditTrail: [{ type: 'submit', timestamp: '2026-05-01T12:00:00Z' }],
};

let service: Deployment;
let key: string;
let folder: string;

beforeAll(async () => {
  service = await sharedService();
  key = await service.register();
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-generate-'));
});
afterEach(() => until('nothing of a document is left', () => remainsInRedis(service).length === 0));
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const post = (
  path: string,
  body: object,
  { accept = 'application/json', signal }: { accept?: string; signal?: AbortSignal } = {},
) =>
  fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });

const inBase64 = (bytes: Buffer) => ({ base64: bytes.toString('base64') });
const generate = (template: Buffer, body: object, query = '', options = {}) =>
  post(`/v1/generate${query}`, { document: inBase64(template), ...body }, options);

type Generated = Partial<SignReply> & { document: { base64: string; contentType: string } };

async function generated(response: Response): Promise<{ bytes: Buffer; reply: Generated }> {
  const reply = (await response.json()) as Generated;
  expect({ status: response.status, reply }).toMatchObject({ status: 200 });
  const { base64 } = reply.document;
  return { bytes: Buffer.from(base64.slice(base64.indexOf(',') + 1), 'base64'), reply };
}

async function docxText(bytes: Buffer): Promise<string> {
  const { main } = await openPackage(bytes);
  return (main.xml ?? '')
    .replace(/<\/w:p>/g, '\n')
    .replace(/<[^>]+>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
}

function pdfText(bytes: Buffer): string {
  const file = join(folder, `${randomBytes(6).toString('hex')}.pdf`);
  writeFileSync(file, bytes);
  return execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' });
}

async function verified({ base64 }: { base64: string }): Promise<VerifyReply> {
  const response = await post('/v1/verify', { document: { base64 }, trust: { profile: 'service' } });
  return (await response.json()) as VerifyReply;
}

/** Takes longer to fill than the requests of the tests wait. */
const SLOW = templateOf(p(run('{name}')).repeat(200_000));

describe('a document from data', () => {
  test('is a DOCX with its loops and conditions', async () => {
    const response = await generate(LETTER, { data });
    expect(response.headers.get('x-fields-filled')).toBe('5');
    expect(response.headers.get('x-fields-unmatched')).toBeNull();
    const { bytes, reply } = await generated(response);
    expect(reply.document.contentType).toBe(DOCX_TYPE);
    const text = await docxText(bytes);
    for (const line of LINES) expect(text).toContain(line);
    expect(text).not.toMatch(/[{}]|Paid in full/);
  });

  test('has the documents of the data in its text, from their bytes', async () => {
    const template = templateOf(p(run('Contract with {name}')) + p(run('{terms}')) + p(run('{annex}')));
    const part = (text: string) =>
      templateOf(
        p(run(text)) +
          `<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid>${row(`table of ${text}`)}</w:tbl>`,
      );
    const content = {
      name: 'Ada',
      terms: { $document: inBase64(part('terms')) },
      annex: { $document: { base64: `data:${DOCX_TYPE};base64,${part('annex').toString('base64')}` } },
    };
    const { bytes } = await generated(await generate(template, { data: content }, '?to=pdf'));
    const lines = pdfText(bytes)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    expect(lines).toEqual(['Contract with Ada', 'terms', 'table of terms', 'annex', 'table of annex']);

    const broken = { ...content, annex: { $document: inBase64(Buffer.from('no document')) } };
    const refused = await generate(template, { data: broken });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      code: 'INVALID_FILE_FORMAT',
      details: [{ field: 'data.annex.$document' }],
    });
  });

  test('is PDF/A with to=pdf and pdfa', async () => {
    const response = await generate(LETTER, { data, convert: { pdfa: '2b' } }, '?to=pdf');
    expect(response.headers.get('x-page-count')).toBe('1');
    const { bytes } = await generated(response);
    expect(bytes.toString('latin1')).toMatch(/pdfaid:part>2</);
    for (const line of LINES) expect(pdfText(bytes)).toContain(line);
  });

  test('is a signed PDF that verifies', async () => {
    const response = await generate(
      LETTER,
      { data, sign: { ...sign, certificate: { enabled: false } } },
      '?to=pdf',
    );
    expect(response.headers.get('server-timing')).toMatch(
      /^load;.*, generate;.*, queue;.*, sanitize;.*, convert;.*, sign;dur=[\d.]+$/,
    );
    const { bytes, reply } = await generated(response);
    expect(reply.signature?.level).toBe('B-B');
    expect(reply.auditTrail).toMatchObject({ embedded: true });
    for (const line of LINES) expect(pdfText(bytes)).toContain(line);
    expect(await verified(reply.document)).toMatchObject({ valid: true, documentModified: 'no' });
  });

  test('is a signed DOCX that verifies', async () => {
    const { bytes, reply } = await generated(await generate(LETTER, { data, sign }));
    expect(reply.document.contentType).toBe(DOCX_TYPE);
    for (const line of LINES) expect(await docxText(bytes)).toContain(line);
    expect(await verified(reply.document)).toMatchObject({ valid: true, documentModified: 'no' });
  });

  test('is its bytes to a caller that accepts its type', async () => {
    const response = await generate(LETTER, { data }, '?to=pdf', { accept: PDF_TYPE });
    expect(response.headers.get('content-type')).toBe(PDF_TYPE);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="document.pdf"');
    expect(pdfText(Buffer.from(await response.arrayBuffer()))).toContain('400 × punched cards');
  });

  test('names what is missing in the data', async () => {
    const { customer, ...incomplete } = data;
    const response = await generate(LETTER, { data: incomplete });
    expect(response.headers.get('x-fields-unmatched-list')).toBe('data.customer.name');
    await response.arrayBuffer();
    const refused = await generate(LETTER, { data: incomplete, options: { onMissing: 'error' } });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      code: 'DATA_MISSING',
      details: [{ field: 'data.customer.name' }],
    });
  });
});

test('fields fill a PDF form, which is signed in its signature field', async () => {
  const form = formPdf();
  const fields = [{ id: 'Name', value: 'Grace Hopper' }];
  const field = { ...sign, field: 'Signature', certificate: { enabled: false } };
  const { bytes, reply } = await generated(await generate(form, { fields, sign: field }, '?to=pdf'));
  expect(reply.document.contentType).toBe(PDF_TYPE);
  expect(pdfText(bytes)).toContain('Grace Hopper');
  expect(await verified(reply.document)).toMatchObject({ valid: true, documentModified: 'no' });

  const byData = await generate(form, { data: { Name: 'Ada', more: { x: 1 } } }, '?to=pdf', {
    accept: PDF_TYPE,
  });
  expect(byData.headers.get('x-data-unused-list')).toBe('data.more');
  expect(pdfText(Buffer.from(await byData.arrayBuffer()))).toContain('Ada');

  const options = { locale: 'de', onUnused: 'error' };
  const refused = await generate(form, { data: {}, options, convert: {} }, '?to=pdf');
  expect(await refused.json()).toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'options.locale' }, { field: 'convert' }],
  });
});

test('fields fill content controls, and become a PDF', async () => {
  const fields = [
    { id: '7', value: 'Grace Hopper' },
    { id: 'nothing', value: '' },
  ];
  const response = await generate(FIELDS, { fields }, '?to=pdf');
  expect(response.headers.get('x-fields-filled')).toBe('1');
  expect(response.headers.get('x-fields-unmatched-list')).toBe('fields[1]');
  expect(pdfText((await generated(response)).bytes)).toContain('Grace Hopper');
  const refused = await generate(FIELDS, { fields, options: { onMissing: 'error' } });
  expect(await refused.json()).toMatchObject({
    code: 'FIELD_NOT_FOUND',
    details: [{ field: 'fields[1].id' }],
  });
});

describe('a request is refused', () => {
  test('for mistakes in the template, with their places', async () => {
    const marks = ['{#items}', '{#others}', '{name | uper}'];
    const wrong = templateOf(marks.map((mark) => p(run(mark)) + p(run('fine'))).join(''));
    const response = await generate(wrong, { data });
    expect(response.status).toBe(400);
    const { code, details } = (await response.json()) as {
      code: string;
      details: { field: string; issue: string }[];
    };
    expect(code).toBe('TEMPLATE_INVALID');
    for (const { field } of details) expect(field).toMatch(/^word\/document\.xml:/);
    const issues = details.map(({ issue }) => issue).join();
    for (const part of ['{#items}', '{#others}', 'uper']) expect(issues).toContain(part);
  });

  test.each([
    ['an unknown option', { data, options: { unknown: 1 } }, '', '', 'options.unknown'],
    ['an Accept of another type', { data }, '', PDF_TYPE, 'headers.accept'],
    ['a page that the PDF does not have', { data, convert: { pages: '7' } }, '?to=pdf', '', 'convert.pages'],
    [
      'an unknown time-stamping profile',
      { data, sign: { ...sign, level: 'B-T', timestamp: { profile: 'nothing' } } },
      '',
      '',
      'sign.timestamp.profile',
    ],
  ])('for %s', async (_, body, query, accept, field) => {
    const response = await generate(LETTER, body, query, accept === '' ? {} : { accept });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  });

  test('for a file that is not a document', async () => {
    const response = await generate(Buffer.from('plain text'), { data });
    expect(await response.json()).toMatchObject({ code: 'INVALID_FILE_FORMAT' });
  });
});

test('a caller that disconnects leaves no data', async () => {
  const caller = new AbortController();
  const asked = generate(SLOW, { data: { name: 'Ada' }, sign }, '?to=pdf', { signal: caller.signal });
  asked.catch(() => undefined);
  await untilInWork(service, 'generate');
  caller.abort();
  await expect(asked).rejects.toThrow();
});

testInWhole('a request past its deadline is answered, and leaves no data', async () => {
  const hasty = await deploy({ annotators: 1, converters: 0, settings: { DEADLINE_MS: '1000' } });
  const response = await fetch(`${hasty.url}/v1/generate?to=pdf`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await hasty.register()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ document: inBase64(LETTER), data }),
  });
  expect(response.status).toBe(504);
  expect(await response.json()).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  await until('nothing is left', () => remainsInRedis(hasty).length === 0);
  await hasty.close();
});
