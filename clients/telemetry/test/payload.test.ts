import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import manifest from '../package.json' with { type: 'json' };
import { newDocument, prepareExport, type TelemetryOptions, trackOpen } from '../src/telemetry.ts';
import { CLIENT_VERSION } from '../src/version.ts';
import { type Collector, startCollector } from './collector.ts';
import { corePart, docId, docx, settingsPart } from './docx.ts';

const CREATED = '2024-01-15T10:30:00Z';
const bytes = docx(settingsPart(docId('{AB}')), corePart(CREATED));

let collector: Collector;
beforeAll(async () => {
  collector = await startCollector();
});
afterAll(async () => {
  await collector.close();
});
beforeEach(() => {
  collector.requests.length = 0;
});

async function requestOf(options: TelemetryOptions = {}) {
  trackOpen(bytes, { ...options, telemetry: { endpoint: collector.endpoint, ...options.telemetry } });
  return collector.next();
}

test('an event is one POST with the documented payload', async () => {
  const before = Date.now();
  const { method, path, headers, body } = await requestOf({
    licenseKey: 'lic_acme',
    telemetry: { metadata: { customer: 'Acme', plan: { seats: 5 }, beta: true } },
  });
  expect([method, path]).toEqual(['POST', '/v1/collect']);
  expect(headers['content-type']).toBe('application/json');
  expect(headers['x-license-key']).toBe('lic_acme');
  const payload = JSON.parse(body);
  expect(payload).toEqual({
    clientVersion: manifest.version,
    browserInfo: { userAgent: '', currentUrl: '', hostname: '', screenSize: { width: 0, height: 0 } },
    metadata: { customer: 'Acme', plan: { seats: 5 }, beta: true },
    events: [
      {
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        documentId: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        documentCreatedAt: CREATED,
      },
    ],
  });
  expect(Date.parse(payload.events[0].timestamp)).toBeGreaterThanOrEqual(before);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(collector.requests).toHaveLength(1);
});

test('each open is an event of the same document', async () => {
  const [first, second] = [await requestOf(), await requestOf()];
  const idOf = (request: { body: string }) => JSON.parse(request.body).events[0].documentId;
  expect(idOf(first)).toBe(idOf(second));
  expect(collector.requests).toHaveLength(2);
});

test('the payload has the version of the package', () => {
  expect(CLIENT_VERSION).toBe(manifest.version);
});

test('the license key at the root takes precedence over the deprecated one and the community key', async () => {
  const keyOf = async (options: TelemetryOptions) => (await requestOf(options)).headers['x-license-key'];
  expect(await keyOf({ licenseKey: 'root', telemetry: { licenseKey: 'old' } })).toBe('root');
  expect(await keyOf({ telemetry: { licenseKey: 'old' } })).toBe('old');
  expect(await keyOf({})).toBe('community-and-eval-agplv3');
  expect(await keyOf({ licenseKey: '' })).toBe('community-and-eval-agplv3');
  expect(await keyOf({ licenseKey: 5 as unknown as string })).toBe('community-and-eval-agplv3');
});

test('metadata is optional, and the largest metadata fits into a keepalive request', async () => {
  expect(JSON.parse((await requestOf()).body)).not.toHaveProperty('metadata');
  const { body } = await requestOf({ telemetry: { metadata: { a: '鶴'.repeat(8000) } } });
  expect(JSON.parse(body).metadata.a).toHaveLength(8000);
  expect(Buffer.byteLength(body)).toBeLessThan(64 * 1024);
});

test.each([
  ['false', { enabled: false }],
  ['0', { enabled: 0 }],
  ['null', { enabled: null }],
  ['the string "false"', { enabled: 'false' }],
])('the client sends no request if disabled by %s, and exports are complete', async (_what, off) => {
  const telemetry = { ...off, endpoint: collector.endpoint } as TelemetryOptions['telemetry'];
  const plain = docx(settingsPart());
  const document = trackOpen(plain, { licenseKey: 'lic_acme', telemetry });
  const exported = await prepareExport(plain, document);
  const again = trackOpen(exported, { telemetry });
  expect(await again.identity).toEqual(await document.identity);
  trackOpen(Buffer.from('no archive'), { identifier: 'crc32', telemetry });
  await prepareExport(plain, newDocument());
  await prepareExport(Buffer.from('no archive'));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(collector.requests).toEqual([]);
});

test('telemetry: false disables the client', async () => {
  const fetched = jest.spyOn(globalThis, 'fetch');
  const document = trackOpen(bytes, { telemetry: false as unknown as undefined });
  await document.identity;
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(fetched).not.toHaveBeenCalled();
  fetched.mockRestore();
});

test('failing requests neither end a process, nor keep it alive, nor cause output', async () => {
  const closed = await startCollector();
  await closed.close();
  const failing = createServer((_request, response) => response.writeHead(500).end('failed'));
  failing.listen(0, '127.0.0.1');
  await once(failing, 'listening');
  let requests = 0;
  failing.on('request', () => requests++);
  const answersError = `http://127.0.0.1:${(failing.address() as AddressInfo).port}/`;
  const script = `
    import { trackOpen, prepareExport } from ${JSON.stringify(new URL('../src/telemetry.ts', import.meta.url).href)};
    const bytes = Buffer.from('no archive');
    const open = (telemetry, input = bytes) => trackOpen(input, { telemetry }).identity;
    await open({ endpoint: '${closed.endpoint}' });
    await open({ endpoint: '${answersError}' });
    await open({ endpoint: '/relative' });
    await open({ get endpoint() { throw new Error('hostile'); } });
    await open({ endpoint: '${answersError}' }, 'no bytes');
    await prepareExport(bytes);
    await new Promise((resolve) => setTimeout(resolve, 300));
    delete globalThis.fetch;
    await open({ endpoint: '${answersError}' });
    delete globalThis.crypto;
    trackOpen(bytes);
    await prepareExport(bytes);`;
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', script], {
    env: { PATH: process.env.PATH },
  });
  const output: string[] = [];
  child.stdout.on('data', (chunk) => output.push(String(chunk)));
  child.stderr.on('data', (chunk) => output.push(String(chunk)));
  const [code] = await once(child, 'close');
  expect([output.join(''), code]).toEqual(['', 0]);
  expect(requests).toBe(1);
  failing.close();
});

test('a compressed document is identified by its bytes without DecompressionStream', async () => {
  const { DecompressionStream } = globalThis;
  Reflect.deleteProperty(globalThis, 'DecompressionStream');
  const { body } = await requestOf();
  globalThis.DecompressionStream = DecompressionStream;
  const known = JSON.parse((await requestOf()).body).events[0].documentId;
  expect(JSON.parse(body).events[0].documentId).not.toBe(known);
});
