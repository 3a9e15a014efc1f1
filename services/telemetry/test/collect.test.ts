import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { licenseTable } from '@scriptorium/usage/licenses';
import { countsOf, payloadOf, type Rig, startRig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.close());

/** Sends raw bytes and returns the whole response until the connection closes. */
function raw(bytes: string | Buffer, url = rig.url): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: hostname, port: Number(port) });
    let answer = '';
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
    socket.write(bytes);
  });
}

async function issueOf(body: unknown): Promise<string> {
  const answer = await rig.post('acme', body);
  expect(answer.status).toBe(400);
  const { code, requestId, details } = (await answer.json()) as {
    code: string;
    requestId: string;
    details: { field: string; issue: string }[];
  };
  expect(code).toBe('VALIDATION_ERROR');
  expect(requestId).toBe(answer.headers.get('x-request-id'));
  return details.map(({ field, issue }) => `${field} ${issue}`).join('; ');
}

const event = { timestamp: '2026-01-15T10:30:00.000Z', documentId: 'sha256:ab', documentCreatedAt: '' };
const withEvent = (more: object) => ({ events: [{ ...event, ...more }] });

describe('a browser on any page', () => {
  test('may send a preflight request, which is valid for a day', async () => {
    const answer = await raw(
      'OPTIONS /v1/collect HTTP/1.1\r\nHost: t\r\nOrigin: https://a.example\r\nConnection: close\r\n' +
        'Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type,x-license-key\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 204 /);
    expect(answer).toMatch(/^Access-Control-Allow-Origin: \*\r$/m);
    expect(answer).toMatch(/^Access-Control-Allow-Methods: POST\r$/m);
    expect(answer).toMatch(/^Access-Control-Allow-Headers: Content-Type, X-License-Key\r$/m);
    expect(answer).toMatch(/^Access-Control-Max-Age: 86400\r$/m);
    expect(answer).not.toMatch(/Allow-Credentials/i);
  });

  test('gets 202 without a body, and can read errors too', async () => {
    const taken = await rig.post('acme', payloadOf(['sha256:01']), { origin: 'https://a.example' });
    expect([taken.status, await taken.text()]).toEqual([202, '']);
    expect(taken.headers.get('access-control-allow-origin')).toBe('*');
    const refused = await rig.post('acme', '{', { origin: 'https://a.example' });
    expect(refused.status).toBe(400);
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('a license key', () => {
  test('is required', async () => {
    const answer = await fetch(`${rig.url}/v1/collect`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payloadOf(['a'])),
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('header x-license-key');
  });

  test.each([['two words'], ['x'.repeat(201)]])('is rejected if it is invalid: %#', async (key) => {
    expect((await rig.post(key, payloadOf(['a']))).status).toBe(400);
  });

  test('gets the same answer whether or not it is registered', async () => {
    const answers = [
      await rig.post('community-and-eval-agplv3', payloadOf(['x'])),
      await rig.post('nobodys', payloadOf(['x'])),
    ];
    const seen = await Promise.all(
      answers.map(async (answer) => {
        const headers = Object.fromEntries(answer.headers);
        return {
          status: answer.status,
          body: await answer.text(),
          headers: { ...headers, date: '', 'x-request-id': '' },
        };
      }),
    );
    expect(seen[0]).toEqual(seen[1]);
  });
});

describe('a payload', () => {
  test.each<[string, unknown, string]>([
    ['that is not JSON', '{"events":', 'body is not JSON in UTF-8'],
    ['that is a list', [], 'body must be of type object'],
    ['without events', {}, 'events is required'],
    ['with an empty list of events', { events: [] }, 'events must have at least one event'],
    ['with 101 events', { events: Array(101).fill(event) }, 'events must have at most 100 events'],
    [
      'with an invalid time',
      withEvent({ timestamp: '15 Jan 2026' }),
      'events[0].timestamp must be an ISO 8601 time',
    ],
    [
      'with the 30th of February in the 13th month',
      withEvent({ timestamp: '2026-13-30T10:30:00Z' }),
      'events[0].timestamp must be',
    ],
    ['with a time as a number', withEvent({ timestamp: 1 }), 'events[0].timestamp must be of type string'],
    ['without an identifier', withEvent({ documentId: '' }), 'events[0].documentId must have 1 to 200'],
    [
      'with an identifier that is too long',
      withEvent({ documentId: 'x'.repeat(201) }),
      'events[0].documentId must have',
    ],
    ['with an identifier beyond ASCII', withEvent({ documentId: 'é' }), 'events[0].documentId must have'],
    [
      'with an identifier that contains NUL',
      withEvent({ documentId: 'a\0b' }),
      'events[0].documentId must have',
    ],
    [
      'with an invalid creation time',
      withEvent({ documentCreatedAt: 'yesterday' }),
      'events[0].documentCreatedAt must be a time or empty',
    ],
    ['with a list as metadata', { ...withEvent({}), metadata: ['a'] }, 'metadata must be an object'],
    [
      'with 1,001 keys of metadata',
      { ...withEvent({}), metadata: Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [i, i])) },
      'metadata must have at most 1000 keys',
    ],
    [
      'with metadata that is too deep',
      `{"events":[],"metadata":{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}}`,
      'metadata must have at most 20 levels',
    ],
    [
      'with metadata that is too large',
      { ...withEvent({}), metadata: { a: 'x'.repeat(24 * 1024) } },
      'metadata must have at most 24576 bytes',
    ],
    [
      'with invalid browser data',
      { ...withEvent({}), browserInfo: 'Firefox' },
      'browserInfo must be of type object',
    ],
    [
      'with an invalid version',
      { ...withEvent({}), clientVersion: 7 },
      'clientVersion must be of type string',
    ],
  ])('%s is rejected with the invalid field', async (_what, body, issue) => {
    expect(await issueOf(body)).toContain(issue);
  });

  test('is never repeated in an error', async () => {
    const marker = 'zzMARKERzz';
    const answer = await rig.post('acme', {
      [marker]: 1,
      metadata: [marker],
      events: [{ timestamp: marker, documentId: `${marker} `, [marker]: marker }],
    });
    expect(answer.status).toBe(400);
    expect((await answer.text()) + JSON.stringify([...answer.headers])).not.toContain(marker);
  });

  test.each([
    ['the hash of the client', `sha256:${'ab'.repeat(32)}`],
    ['the hash of migrated accounts', 'HASH-A5FD6589'],
    ['any other text', 'doc~42/v7'],
  ])('may identify documents by %s', async (_what, id) => {
    await rig.open('identifiers', [id]);
  });

  test('may have __proto__, constructor and unknown properties', async () => {
    const body = `{"__proto__":{"events":[]},"extra":{"a":[1]},"metadata":{"__proto__":{"x":1},"constructor":"c","b":"1"},"events":[{"timestamp":"${new Date().toISOString()}","documentId":"p1","__proto__":null}]}`;
    expect((await rig.post('proto', body)).status).toBe(202);
    expect(await countsOf(rig.database, 'proto')).toEqual({ documents: 1, opens: 1 });
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  test('counts even if its metadata cannot be stored', async () => {
    const metadata = {
      a: 'x\0y',
      'n\0': 1,
      ['k'.repeat(500)]: 1,
      half: '\ud800',
      long: 'é'.repeat(4_000),
      deep: { er: [1] },
    };
    await licenseTable(rig.database).put('odd', { metadataKeys: ['a', 'half', 'long', 'deep'] });
    await rig.open('odd', ['o'], { metadata });
    expect(await countsOf(rig.database, 'odd')).toEqual({ documents: 1, opens: 1 });
  });

  test('that is not UTF-8 is rejected', async () => {
    const body = Buffer.from(`{"events":[],"a":"\xff"}`, 'latin1');
    const head = `POST /v1/collect HTTP/1.1\r\nHost: t\r\nConnection: close\r\nX-License-Key: k\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    expect(await raw(Buffer.concat([Buffer.from(head), body]))).toContain('is not JSON in UTF-8');
  });
});

describe('a request', () => {
  test('of more than 64 KiB is rejected with and without a Content-Length', async () => {
    const body = JSON.stringify({ ...payloadOf(['a']), filler: 'x'.repeat(64 * 1024) });
    const announced = await rig.post('acme', body);
    expect([announced.status, ((await announced.json()) as { code: string }).code]).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
    ]);
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const head =
      'POST /v1/collect HTTP/1.1\r\nHost: t\r\nConnection: close\r\nX-License-Key: k\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await raw(head + chunk)).toMatch(/^HTTP\/1\.1 413 /);
  });

  test.each<[string, string, RequestInit, number]>([
    ['with another method', '/v1/collect', { method: 'PUT' }, 405],
    ['to another path', '/v1/collection', { method: 'POST' }, 404],
    [
      'with another content type',
      '/v1/collect',
      { method: 'POST', headers: { 'content-type': 'text/plain' } },
      415,
    ],
    [
      'that is compressed',
      '/v1/collect',
      { method: 'POST', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
      415,
    ],
  ])('%s is rejected', async (_what, path, init, status) => {
    const answer = await fetch(rig.url + path, init);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ requestId: answer.headers.get('x-request-id') });
    if (status === 405) expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
  });

  test('with Expect: 100-continue gets 100', async () => {
    const body = JSON.stringify(payloadOf(['expected']));
    const answer = await raw(
      `POST /v1/collect HTTP/1.1\r\nHost: t\r\nConnection: close\r\nX-License-Key: k\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 100 [\s\S]*HTTP\/1\.1 202 /);
  });

  testInWhole('that stalls is ended', async () => {
    const answer = await raw(
      'POST /v1/collect HTTP/1.1\r\nHost: t\r\nX-License-Key: k\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"events":',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });
});
