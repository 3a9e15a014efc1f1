import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type BatchResult, Scriptorium, ScriptoriumError, typesOf } from '@scriptorium/client';
import { isWhole } from '@scriptorium/testing/extent';
import { browserSuite } from './clients/browser.suite.ts';
import { cliSuite } from './clients/cli.suite.ts';
import { examplesSuite, startExampleSite } from './clients/examples.suite.ts';
import { mcpSuite } from './clients/mcp.suite.ts';
import { pythonSuite } from './clients/python.suite.ts';
import { mailedCode, type Stack, samples } from './clients/stack.ts';
import { type Deployment, deploy, until } from './service.ts';

const signer = { name: 'Ada Lovelace', email: 'ada@example.com' };

let service: Deployment;
let client: Scriptorium;
let key: string;
let letter: Buffer;
let template: Buffer;
let folder: string;
let outside: Server;
let site: Server;

beforeAll(async () => {
  letter = await readFile(new URL('sample.docx', samples));
  template = await readFile(new URL('sample-template.docx', samples));
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-client-'));
  outside = createServer((_request, response) => response.end(letter)).listen(0, '127.0.0.1');
  await until('the web server listens', () => outside.listening);
  site = await startExampleSite();
  service = await deploy({
    annotators: 1,
    signers: 1,
    verifiers: 1,
    settings: { FETCH_ALLOW: hostOf(outside), CORS_ORIGINS: `http://${hostOf(site)}` },
  });
  key = await registered();
  client = new Scriptorium({ baseUrl: service.url, apiKey: key });
});
afterAll(async () => {
  await service.close();
  outside.close();
  site.closeAllConnections();
  site.close();
  await rm(folder, { recursive: true, force: true });
});

const hostOf = (server: Server): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;

const EMAIL = 'client@example.com';

async function registered(): Promise<string> {
  const options = { baseUrl: service.url };
  const registration = await Scriptorium.register(EMAIL, options);
  expect(registration).toMatch(/^reg_/);
  return Scriptorium.verify(EMAIL, await mailedCode(EMAIL), { ...options, registration });
}

const begins = (bytes: Uint8Array, text: string) =>
  expect(Buffer.from(bytes.subarray(0, text.length)).toString()).toBe(text);
const submit = { type: 'submit' as const, timestamp: '2026-05-01T12:00:00Z' };
const error = (promise: Promise<unknown>): Promise<ScriptoriumError> =>
  promise.then(
    () => Promise.reject(new Error('the call succeeded')),
    (thrown) => {
      expect(thrown).toBeInstanceOf(ScriptoriumError);
      return thrown as ScriptoriumError;
    },
  );

describe('the client', () => {
  test('takes a template to a filled, signed and verified PDF', async () => {
    const report = await client.inspect(template);
    expect(report.fields.map(({ id }) => id)).toEqual(expect.arrayContaining(['order_number', 'items']));
    const filled = await client.fill(
      new File([new Uint8Array(template)], 'Bestätigung.docx'),
      { customer_name: 'Ada', order_number: 1842, items: [['Engine', 1, null]], nothing: 'x' },
      { to: 'pdf' },
    );
    begins(filled.bytes, '%PDF-');
    expect(filled).toMatchObject({
      fileName: 'Bestätigung.pdf',
      pages: 1,
      unmatched: { count: 1, names: ['nothing'] },
      requestId: expect.stringMatching(/^req_/),
    });
    expect(filled.filled).toBeGreaterThanOrEqual(3);
    const signed = await client.sign(filled.bytes, { signer, auditTrail: [submit] });
    expect(signed).toMatchObject({ signature: { level: 'B-B' }, auditTrail: { embedded: true } });
    const verified = await client.verify(signed.bytes, { trust: { profile: 'service' } });
    expect(verified).toMatchObject({ valid: true, integrity: 'intact', signatures: [{ format: 'PAdES' }] });
    const changed = signed.bytes.slice();
    const inStream = Buffer.from(changed).indexOf('stream') + 40;
    changed[inStream] = (changed[inStream] ?? 0) ^ 1;
    expect(await client.verify(changed)).toMatchObject({ valid: false, verdict: 'invalid' });
  });

  test('converts any kind of input, and reports what was lost', async () => {
    const path = join(folder, 'Notes ✓.md');
    await writeFile(path, '# Notes\n\nText.');
    const bytes = new Uint8Array(letter);
    for (const [input, fileName] of [
      [bytes, 'document.pdf'],
      [bytes.buffer, 'document.pdf'],
      [new Blob([bytes]), 'document.pdf'],
      [new Blob([bytes]).stream(), 'document.pdf'],
      [new URL(`http://${hostOf(outside)}/Letter.docx`), 'document.pdf'],
      [{ path }, 'Notes ✓.pdf'],
    ] as const) {
      const made = await client.convert(input);
      begins(made.bytes, '%PDF-');
      expect(made).toMatchObject({ fileName, pages: 1, report: { pages: 1, macros: false } });
      expect(Buffer.from(made.bytes.subarray(-6)).toString().trim()).toBe('%%EOF');
    }
    const text = await client.convert(letter, { from: 'docx', to: 'txt' });
    expect(Buffer.from(text.bytes).toString()).toContain('A sample letter');
  });

  test('generates and signs in one request, and says what is missing', async () => {
    const plain = await client.generate(template, {});
    begins(plain.bytes, 'PK');
    expect(plain).toMatchObject({ filled: 0, unmatched: { count: 1, names: ['data.order_number'] } });
    const sign = { signer, auditTrail: [submit] };
    const signed = await client.generate(template, { order_number: 1 }, { to: 'pdf', sign });
    begins(signed.bytes, '%PDF-');
    expect(signed).toMatchObject({ signature: { level: 'B-B' }, signWarnings: [] });
  });

  test('makes a document of each row of a stream, which it reads no faster than the results are taken', async () => {
    let read = 0;
    const rows = async function* () {
      for (let id = 0; id < 230; id++) {
        read++;
        yield id === 7
          ? { id, fields: [{ id: 'x' } as never] }
          : { id, data: { customer_name: `No. ${id}` } };
      }
    };
    const results: BatchResult[] = [];
    for await (const result of client.batch(template, rows())) {
      if (results.length === 0) expect(read).toBeLessThanOrEqual(200);
      results.push(result);
    }
    expect(read).toBe(230);
    expect(results.map(({ index }) => index).sort((a, b) => a - b)).toEqual([...Array(230).keys()]);
    for (const result of results) {
      expect(result.id).toBe(result.index);
      if ('bytes' in result) begins(result.bytes, 'PK');
      else expect(result).toMatchObject({ index: 7, error: { code: 'VALIDATION_ERROR' } });
    }
  });

  test('merges documents, and reads usage, limits and keys', async () => {
    const merged = await client.merge([letter, { path: new URL('sample.docx', samples).pathname }], {
      to: 'pdf',
      pageNumbers: 'continue',
    });
    const fetched = await client.merge([new URL(`http://${hostOf(outside)}/a.docx`), letter], { to: 'pdf' });
    expect(fetched.pages).toBe(2);
    expect(merged).toMatchObject({ pages: 2, fileName: 'merged.pdf' });
    expect((await client.limits()).counts.mergedDocumentsMax).toBe(100);
    expect((await client.usage({ granularity: 'month' })).granularity).toBe('month');
    expect((await client.health()).checks).toMatchObject({ queue: 'up', signers: 1 });
    const [own] = await client.keys.list();
    expect(own).toMatchObject({ current: true });
  });

  test('starts jobs, waits for them, and fetches their results', async () => {
    const body = { document: { base64: letter.toString('base64') } };
    const options = { query: { from: 'docx' as const }, idempotencyKey: 'one letter' };
    const { id } = await client.jobs.start('convert', body, options);
    expect((await client.jobs.start('convert', body, options)).id).toBe(id);
    await until(
      'the job has succeeded',
      async () => (await client.jobs.get(id, { waitSeconds: 10 })).status === 'succeeded',
    );
    expect((await client.jobs.list()).map((job) => job.id)).toEqual([id]);
    const { bytes, contentType } = await client.jobs.result(id);
    begins(bytes, '%PDF-');
    expect(contentType).toBe('application/pdf');
    expect(await error(client.jobs.result(id))).toMatchObject({ code: 'GONE', status: 410 });
    expect(await error(client.jobs.cancel(id))).toMatchObject({ code: 'JOB_ENDED', status: 409 });
    expect(await client.jobs.webhookSecret()).toMatch(/^whsec_/);
  });

  test('throws what the service answers, with its code and the fields at fault', async () => {
    expect(await error(client.fill(letter, [{ id: 'a', type: 'text', value: {} as never }]))).toMatchObject({
      code: 'VALIDATION_ERROR',
      status: 400,
      details: [{ field: 'fields[0].value' }],
      isRetryable: false,
      requestId: expect.stringMatching(/^req_/),
    });
    const stranger = new Scriptorium({ baseUrl: service.url, apiKey: '"scr_x"' });
    expect(await error(stranger.usage())).toMatchObject({ code: 'AUTHENTICATION_ERROR', status: 401 });
    expect(await error(client.keys.revoke('key_aaaaaaaaaaaaaaaaaaaaaaaaaa'))).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await error(client.convert(Buffer.from('x')))).toMatchObject({ code: 'INVALID_FILE_FORMAT' });
  });

  test('ends with the reason of its signal', async () => {
    for (const ms of [0, 1, 5, 20]) {
      const stop = new AbortController();
      const call = client.convert(letter, { signal: stop.signal });
      if (ms > 0) setTimeout(() => stop.abort(new Error('enough')), ms);
      else stop.abort(new Error('enough'));
      await expect(call).rejects.toThrow('enough');
    }
  });

  test('comments a template for its author', async () => {
    const { mistakes, doubts, bytes, fileName } = await client.lint(template, { data: { note: 1 } });
    expect([mistakes, doubts, fileName]).toEqual([0, 8, 'document.docx']);
    const { template: found } = await client.inspect(Buffer.from(bytes));
    expect(found.tags).toEqual((await client.inspect(template)).template.tags);
  });

  test('writes the types of the data and of the fields of a template', async () => {
    const types = typesOf(await client.inspect(template), 'OrderData');
    const [data, fields] = types.split('export type OrderFields = ');
    expect(data).toMatch(/^export type OrderData = \{\n/);
    expect(data).toContain('"order_number": string | number;');
    expect(fields).toContain('"customer_name"?: string | number | boolean | null;');
    expect(fields).toContain('"items"?: Array<Array<string | number | boolean | null>>;');
    expect(fields).not.toContain('"signature"');
  });
});

const stack = (): Stack => ({
  url: service.url,
  key,
  folder: () => mkdtemp(join(folder, 'suite-')),
});
if (isWhole) {
  cliSuite(stack);
  mcpSuite(stack);
  pythonSuite(stack);
  browserSuite(stack);
  examplesSuite(stack, () => site);
}
