import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type BatchResult, Scriptorium } from '../src/client.ts';

type Answer = (response: ServerResponse, body: string, request: IncomingMessage) => void;

let server: Server;
let client: Scriptorium;
/** The answers to the next requests. */
let answers: Answer[];
const bodies: string[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    answers.shift()?.(response, body, request);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  client = clientWith();
});
beforeEach(() => {
  answers = [];
  bodies.length = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const clientWith = (options = {}) =>
  new Scriptorium({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`,
    ...options,
  });

const refuse =
  (status: number, code: string, headers = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ code, error: 'x', message: 'So it is.', requestId: 'req_1' }));
  };
const answer =
  (body: unknown): Answer =>
  (response) =>
    response.end(JSON.stringify(body));
const hangUp: Answer = (response) => response.destroy();
const NOW = { 'retry-after': '0' };

describe('a request is sent again', () => {
  test.each([
    ['after 429', refuse(429, 'RATE_LIMIT_EXCEEDED', NOW)],
    ['after 503', refuse(503, 'OVERLOADED', NOW)],
    ['after 504', refuse(504, 'DEADLINE_EXCEEDED', NOW)],
    ['after a broken connection', hangUp],
  ])('%s, with the same body', async (_name, first) => {
    answers = [first, answer({ fields: [] })];
    expect(await client.inspect(new Blob(['template']))).toEqual({ fields: [] });
    expect(bodies.length).toBe(2);
    for (const body of bodies) expect(body).toContain('template');
  });

  test('when the service asks for it, and not before', async () => {
    answers = [refuse(503, 'OVERLOADED', { 'retry-after': '1' }), answer({})];
    const start = Date.now();
    await client.limits();
    expect(Date.now() - start).toBeGreaterThanOrEqual(1_000);
  });

  test('if its answer is cut off', async () => {
    const cut: Answer = (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"fields":', () => setTimeout(() => response.destroy(), 50));
    };
    answers = [cut, answer({ fields: [] })];
    expect(await client.inspect(new Blob(['x']))).toEqual({ fields: [] });
  });
});

describe('a request is not sent again', () => {
  test.each([
    ['after 400', refuse(400, 'VALIDATION_ERROR'), { code: 'VALIDATION_ERROR', isRetryable: false }],
    ['after 500', refuse(500, 'INTERNAL_ERROR'), { code: 'INTERNAL_ERROR', isRetryable: false }],
    [
      'for a wait that is too long',
      refuse(429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '3600' }),
      { retryAfterMs: 3_600_000, isRetryable: true },
    ],
    [
      'after an answer of something else',
      ((response) => response.writeHead(502).end('<html>')) as Answer,
      { code: 'UNEXPECTED_ANSWER', status: 502 },
    ],
  ])('%s', async (_name, first, error) => {
    answers = [first];
    await expect(client.limits()).rejects.toMatchObject({ name: 'ScriptoriumError', ...error });
    expect(bodies.length).toBe(1);
  });

  test('more often than the caller wants', async () => {
    answers = Array(5).fill(refuse(503, 'OVERLOADED', NOW));
    await expect(client.limits()).rejects.toMatchObject({ code: 'OVERLOADED', requestId: 'req_1' });
    expect(bodies.length).toBe(3);
    await expect(clientWith({ retries: 0 }).limits()).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(bodies.length).toBe(4);
  });

  test('if it uses up a code, and nobody knows whether it did', async () => {
    answers = [hangUp];
    const { port } = server.address() as AddressInfo;
    const verifying = Scriptorium.verify('a@example.com', '123456', { baseUrl: `http://127.0.0.1:${port}` });
    await expect(verifying).rejects.toMatchObject({ code: 'CONNECTION_FAILED', status: 0 });
    expect(bodies.length).toBe(1);
  });

  test('after its time', async () => {
    answers = [() => undefined];
    await expect(clientWith({ timeoutMs: 1_000 }).limits()).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(bodies.length).toBe(1);
  });

  test('once its signal has fired, not even while it waits', async () => {
    answers = [refuse(503, 'OVERLOADED', { 'retry-after': '60' })];
    const signal = AbortSignal.timeout(2_000);
    await expect(client.limits({ signal })).rejects.toThrow(/timeout/i);
    expect(bodies.length).toBe(1);
  });
});

describe('a batch', () => {
  const line = (index: number) =>
    `${JSON.stringify({ index, id: `r${index}`, document: { base64: 'data:x;base64,UEs=', contentType: 'x' }, report: { filled: 1 } })}\n`;
  const rows = [0, 1, 2, 3].map((id) => ({ id: `r${id}`, data: {} }));
  const taken = async (options = {}) => {
    const results: BatchResult[] = [];
    for await (const result of client.batch(new Blob(['PK']), rows, options)) results.push(result);
    return results.map(({ index, id }) => [index, id]);
  };
  const sentIds = () =>
    bodies.map((body) => (JSON.parse(body) as { rows: { id: string }[] }).rows.map(({ id }) => id));

  test('whose answer is cut off goes on with the rows that have no result', async () => {
    answers = [
      (response) => response.write(line(2) + line(0), () => setTimeout(() => response.destroy(), 50)),
      (response) =>
        response.end(
          `${line(1).replace('r1', 'r3')}${line(0).replace('r0', 'r1')}{"summary":{"rows":2,"done":2,"failed":0}}\n`,
        ),
    ];
    expect(await taken()).toEqual([
      [2, 'r2'],
      [0, 'r0'],
      [3, 'r3'],
      [1, 'r1'],
    ]);
    expect(sentIds()).toEqual([
      ['r0', 'r1', 'r2', 'r3'],
      ['r1', 'r3'],
    ]);
  });

  test('that the service ended early throws, and one that was to stop stops', async () => {
    const early = { error: { code: 'DOCUMENT_TOO_COMPLEX', error: 'x', message: 'Too much.' }, nextIndex: 1 };
    answers = [(response) => response.end(`${line(0)}${JSON.stringify(early)}\n`)];
    await expect(taken()).rejects.toMatchObject({ code: 'DOCUMENT_TOO_COMPLEX' });
    answers = [(response) => response.end(`${line(0)}{"summary":{"rows":1,"done":1,"failed":0}}\n`)];
    expect(await taken({ options: { onError: 'stop' } })).toEqual([[0, 'r0']]);
    expect(bodies.length).toBe(2);
  });
});

test('the address may have a path, and the key is in its header', async () => {
  let seen: unknown[] = [];
  answers = [
    (response, _body, { url, headers }) => {
      seen = [url, headers.authorization, headers.accept];
      response.end('{"keys": []}');
    },
  ];
  expect(await clientWith({ apiKey: 'scr_x' }).keys.list()).toEqual([]);
  expect(seen).toEqual(['/base/v1/auth/keys', 'Bearer scr_x', 'application/json']);
});
