import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CONVERT_OPTIONS } from '@scriptorium/contracts/jobs/convert-options';
import { networkOf } from '../../src/http/network.ts';
import { until } from '../rigs/open-request.ts';
import { type Rig, startRig } from '../rigs/rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ REGISTRATIONS_PER_HOUR_MAX: '3', DEPLOYMENT: 'test bench' });
});
afterAll(() => rig.close());

/** Sends raw bytes and returns the whole response. */
function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(rig.url);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setTimeout(60_000, () => socket.destroy());
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}

describe('errors', () => {
  test('have a code for an unknown route', async () => {
    const response = await fetch(`${rig.url}/v1/nothing`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      code: 'NOT_FOUND',
      error: 'Not Found',
      message: 'Route not found; see /docs.',
      requestId: response.headers.get('x-request-id'),
    });
  });

  test.each([
    ['GET', '/v1/convert', 'POST'],
    ['GET', '/v1/annotate', 'POST'],
    ['HEAD', '/v1/annotate', 'POST'],
    ['HEAD', '/v1/templates/inspect', 'POST'],
    ['PUT', '/v1/auth/verify', 'GET, POST'],
    ['HEAD', '/v1/auth/register', 'GET'],
    ['POST', '/v1/health', 'GET, HEAD'],
    ['GET', '/v1/auth/keys/key_aaaaaaaaaaaaaaaaaaaaaaaaaa', 'DELETE'],
  ])('for %s %s list the allowed methods', async (method, path, allow) => {
    const response = await fetch(rig.url + path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    if (method !== 'HEAD')
      expect(await response.json()).toMatchObject({
        code: 'METHOD_NOT_ALLOWED',
        message: `Method ${method} not allowed; use ${allow.replaceAll(', ', ' or ')}.`,
      });
  });

  test.each([
    [
      'a malformed escape in the path',
      'GET /v1/auth/keys/%E0%A4%A HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    ],
    ['two Host headers', 'GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'],
    [
      'two Authorization headers',
      'GET /livez HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\nConnection: close\r\n\r\n',
    ],
    ['no Host header', 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a Host that a shell would read', "GET / HTTP/1.1\r\nHost: a'$(id)'\r\nConnection: close\r\n\r\n"],
    ['another host', 'GET ftp://b/livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['another version', 'GET /livez HTTP/2.0\r\nHost: a\r\nConnection: close\r\n\r\n'],
    [
      'an unsupported expectation',
      'GET /livez HTTP/1.1\r\nHost: a\r\nExpect: gold\r\nConnection: close\r\n\r\n',
    ],
    ['invalid HTTP', 'what is this\r\n\r\n'],
    [
      'a length and chunks',
      'POST /v1/convert HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('for %s are 400 with the error body', async (_name, text) => {
    const answer = await raw(text);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toMatchObject({
      requestId: expect.stringMatching(/^req_/),
      error: expect.any(String),
    });
  });

  test.each(['gzip, chunked', 'GZIP, chunked', 'identity, chunked'])(
    'for the transfer coding %j are 501, and the body is not read as JSON',
    async (coding) => {
      const answer = await raw(
        `POST /v1/auth/verify HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${coding}\r\n` +
          'Content-Type: application/json\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
      );
      expect(answer).toMatch(/^HTTP\/1\.1 501 /);
      expect(answer).toContain('"code":"NOT_IMPLEMENTED"');
    },
  );

  test('have a code for oversized headers too', async () => {
    const answer = await raw(`GET /livez HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toContain('HTTP/1.1 413');
    expect(answer).toContain('PAYLOAD_TOO_LARGE');
  });

  test('are sent before the document to a caller with Expect: 100-continue', async () => {
    const answer = await raw(
      'POST /v1/convert?from=docx HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9999999\r\n' +
        'Content-Type: multipart/form-data; boundary=b\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });

  test('do not reveal the server software', async () => {
    const response = await fetch(`${rig.url}/v1/nothing`);
    expect(response.headers.get('x-powered-by')).toBeNull();
    expect(response.headers.get('server')).toBeNull();
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:4711', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:1:2::9', '2001:db8:1:2::/64'],
  ['[2001:db8::1]:443', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['1:2:3:4:5:6:7:8:9::1', 'unknown'],
  ['nonsense', 'unknown'],
])('a client %s is counted as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

describe('JSON bodies', () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${rig.url}/v1/auth/verify`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });

  test('are limited and validated first', async () => {
    const rates = await startRig({ REGISTRATIONS_PER_HOUR_MAX: '1000' });
    const at = (body: string, headers = {}) =>
      fetch(`${rates.url}/v1/auth/verify`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...headers },
      });
    expect((await at('{')).status).toBe(400);
    expect((await at('[]')).status).toBe(400);
    expect((await at('"x"')).status).toBe(400);
    expect((await at(JSON.stringify({ email: 'a@example.com', code: 'x'.repeat(5000) }))).status).toBe(413);
    expect((await at('{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await at('{}', { 'content-encoding': 'gzip' })).status).toBe(415);
    const unknown = await at('{"email":"a@example.com","code":"123456","__proto__":{"admin":true}}');
    expect(await unknown.json()).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: '__proto__' }],
    });
    const missing = (await (await at('{}')).json()) as { details: { field: string; issue: string }[] };
    expect(missing.details).toEqual([
      { field: 'email', issue: 'is required' },
      { field: 'code', issue: 'is required' },
    ]);
    await rates.close();
  });

  test('from one client network are limited, and the fourth per hour gets Retry-After', async () => {
    const body = JSON.stringify({ email: 'a@example.com', code: '123456' });
    for (let i = 0; i < 3; i++) expect((await post(body)).status).toBe(400);
    const refused = await post(body);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(3_000);
    expect(seconds).toBeLessThanOrEqual(3_600);
  });
});

describe('the pages', () => {
  test('are available for a browser, a terminal and a program', async () => {
    const as = (accept: string) => fetch(rig.url, { headers: { accept } });
    const browser = await as('text/html,application/xhtml+xml');
    expect(browser.headers.get('content-type')).toContain('text/html');
    expect(await browser.text()).toContain(`${rig.url}/v1/convert?from=docx`);
    const terminal = await as('*/*');
    expect(terminal.headers.get('content-type')).toContain('text/plain');
    expect(await terminal.text()).toContain(`${rig.url}/v1/convert?from=docx`);
    const program = await as('application/json');
    expect(await program.json()).toMatchObject({ name: 'Scriptorium', openapi: `${rig.url}/openapi.json` });
  });

  test('have their files beside one path, to which the path with a slash leads', async () => {
    const { status, headers } = await fetch(`${rig.url}/docs/`, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([308, '../docs']);
  });

  test('load resources from this server only', async () => {
    const response = await fetch(`${rig.url}/docs`);
    const html = await response.text();
    expect(html).not.toMatch(/(src|href)="https?:/);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none';script-src 'self';style-src 'self';/);
    for (const [, path] of html.matchAll(/(?:src|href)="(assets\/[^"]+)"/g))
      expect((await fetch(`${rig.url}/${path}`)).status).toBe(200);
  });

  test('describe each operation with its errors', async () => {
    const document = (await (await fetch(`${rig.url}/openapi.json`)).json()) as {
      openapi: string;
      paths: Record<
        string,
        Record<string, { parameters: { name: string; required: boolean }[]; responses: object }>
      >;
    };
    expect(document.openapi).toBe('3.1.0');
    const convert = document.paths['/v1/convert']?.post;
    const [from, ...optional] = convert?.parameters ?? [];
    expect(from).toMatchObject({ name: 'from', required: true });
    expect(optional.every(({ required }) => !required)).toBe(true);
    const names = ['from', ...optional.map(({ name }) => name)];
    expect(names).toEqual([...Object.keys(CONVERT_OPTIONS), 'Prefer', 'Idempotency-Key']);
    expect(Object.keys(convert?.responses ?? {})).toEqual([
      '200',
      '202',
      '400',
      '401',
      '403',
      '405',
      '408',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
      '501',
      '503',
      '504',
    ]);
  });
});

async function untilChecks(counts: { converters: number; annotators: number }): Promise<void> {
  const checks = async () =>
    ((await (await fetch(`${rig.url}/v1/health`)).json()) as { checks: typeof counts }).checks;
  const isSo = async () => {
    const { converters, annotators } = await checks();
    return converters === counts.converters && annotators === counts.annotators;
  };
  expect(await until(isSo)).toBe(true);
}

test('health reports the version, the checks and the engines of the converters', async () => {
  const response = await fetch(`${rig.url}/v1/health`);
  expect(await response.json()).toEqual({
    status: 'degraded',
    timestamp: expect.any(String),
    version: '0.0.0',
    deployment: 'test bench',
    instance: { startTime: expect.any(String), uptime: expect.any(Number) },
    checks: {
      queue: 'up',
      store: 'up',
      database: 'up',
      converters: 0,
      annotators: 0,
      signers: 0,
      verifiers: 0,
      sandbox: 'unknown',
      loader: 'unknown',
      secondReader: 'unknown',
    },
  });
  const stop = await rig.convertWith(async (bytes) => bytes);
  await untilChecks({ converters: 1, annotators: 0 });
  expect(await (await fetch(`${rig.url}/v1/health`)).json()).toMatchObject({
    status: 'degraded',
    checks: { converters: 1, annotators: 0, sandbox: 'enforced', loader: 'writer' },
  });
  const stopAnnotator = rig.annotateWith(async ({ source }) => source);
  const stopOther = await rig.convertWith(async (bytes) => bytes, 1, {
    sandbox: 'degraded',
    loader: 'libreofficekit',
  });
  await untilChecks({ converters: 2, annotators: 1 });
  expect(await (await fetch(`${rig.url}/v1/health`)).json()).toMatchObject({
    status: 'degraded',
    checks: { converters: 2, annotators: 1, sandbox: 'degraded', loader: 'libreofficekit' },
  });
  await Promise.all([stop(), stopOther(), stopAnnotator()]);
});
