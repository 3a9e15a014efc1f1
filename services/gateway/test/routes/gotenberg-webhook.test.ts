import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { until } from '../rigs/open-request.ts';
import { type Rig, startRig } from '../rigs/rig.ts';
import { startTakingServer, type TakingServer } from '../rigs/taking-server.ts';

let rig: Rig;
let taking: TakingServer;
beforeAll(async () => {
  taking = await startTakingServer();
  rig = await startRig({ DELIVER_ALLOW: taking.host, JOBS_AT_A_TIME: '1' });
});
afterAll(async () => {
  await rig.close();
  taking.close();
});

const there = (path: string) => `http://${taking.host}${path}`;

interface Shown {
  status: string;
  notification?: { outcome: string };
}

async function jobsOf(key: string): Promise<Shown[]> {
  const answer = await fetch(`${rig.url}/v1/jobs`, { headers: { authorization: `Bearer ${key}` } });
  return ((await answer.json()) as { jobs: Shown[] }).jobs;
}

describe('a form with webhooks of Gotenberg', () => {
  const send = (key: string, headers: Record<string, string>, fields: Record<string, string> = {}) => {
    const body = new FormData();
    for (const [name, text] of Object.entries(fields)) body.append(name, text);
    body.append('files', new Blob([new Uint8Array(docxWith(['Hello']))]), 'page.docx');
    const sent = Object.entries(headers).map(([name, value]) => [`gotenberg-${name}`, value]);
    return fetch(`${rig.url}/forms/libreoffice/convert`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...Object.fromEntries(sent) },
      body,
    });
  };

  test('is answered with 204, and its result or its error is sent', async () => {
    await rig.convertWith(async (bytes) => Buffer.from(`%PDF ${bytes.length}`));
    const { key } = await rig.newKey();
    const headers = {
      ...{ 'webhook-url': there('/done'), 'webhook-method': 'patch', 'webhook-error-url': there('/failed') },
      ...{ 'webhook-extra-http-headers': '{"X-Mine": "1"}', 'output-filename': 'foo', trace: 'trace-2' },
    };
    const answer = await send(key, headers);
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    expect(answer.headers.get('gotenberg-trace')).toBe('trace-2');
    expect(await until(async () => taking.got.length === 1)).toBe(true);
    await send(key, headers, { landscape: 'true' });
    expect(await until(async () => taking.got.length === 2)).toBe(true);
    const sent = { 'x-mine': '1', 'gotenberg-trace': 'trace-2' };
    const name = 'attachment; filename="foo.pdf"';
    expect(taking.got).toMatchObject([
      {
        method: 'PATCH',
        path: '/done',
        body: `%PDF ${docxWith(['Hello']).length}`,
        headers: { ...sent, 'content-disposition': name },
      },
      { method: 'POST', path: '/failed', headers: { ...sent, 'content-type': 'application/json' } },
    ]);
    expect(JSON.parse(taking.got[1]?.body ?? '')).toEqual({ status: 400, message: expect.any(String) });
    await until(async () =>
      (await jobsOf(key)).every(({ notification }) => notification?.outcome !== 'pending'),
    );
    expect(await jobsOf(key)).toMatchObject([
      { status: 'failed', error: { code: 'VALIDATION_ERROR' } },
      { status: 'succeeded', delivery: { status: 200 } },
    ]);
    expect((await jobsOf(key))[1]?.notification).toBeUndefined();
  });

  test.each([
    [{ 'webhook-url': 'http://10.0.0.1/', 'webhook-error-url': 'http://x/' }, 'url must be a public address'],
    [{ 'webhook-url': 'ftp://x/' }, 'error-url must begin with'],
    [{ 'webhook-events-url': 'http://x/' }, 'events-url is not supported'],
    [{ 'webhook-error-method': 'GET' }, 'error-method must be POST, PUT, PATCH'],
    [{ 'webhook-extra-http-headers': '{"Host": "x"}' }, 'extra-http-headers must be JSON'],
    [{ 'webhook-extra-http-headers': '{' }, 'extra-http-headers must be JSON'],
  ])('is refused with %j', async (headers, words) => {
    const { key } = await rig.newKey();
    const answer = await send(key, headers as Record<string, string>);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(words)]);
  });
});
