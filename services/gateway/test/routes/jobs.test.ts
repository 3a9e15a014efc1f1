import { createHash, createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { until } from '../rigs/open-request.ts';
import { type Rig, startRig } from '../rigs/rig.ts';
import { type Got, startTakingServer, type TakingServer } from '../rigs/taking-server.ts';

let rig: Rig;
let taking: TakingServer;
let stopConverter: (() => Promise<void>) | undefined;

beforeAll(async () => {
  taking = await startTakingServer();
  rig = await startRig({
    DELIVER_ALLOW: taking.host,
    JOBS_AT_A_TIME: '2',
    KEY_JOBS_MAX: '3',
  });
});
afterEach(async () => {
  await stopConverter?.();
  stopConverter = undefined;
  taking.reset();
});
afterAll(async () => {
  await rig.close();
  taking.close();
});

const there = (path: string) => `http://${taking.host}${path}`;
const document = { base64: docxWith(['Hello']).toString('base64') };
const upperCase = async (bytes: Buffer) => Buffer.from(`%PDF ${bytes.length}`);
const PDF = `%PDF ${docxWith(['Hello']).length}`;

const later = (key: string, body: object, headers: Record<string, string> = {}) =>
  rig.postJson(key, '/v1/convert?from=docx', body, { headers: { prefer: 'respond-async', ...headers } });

const ask = (key: string, path: string, { method = 'GET', prefer = '' } = {}) =>
  fetch(rig.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(prefer !== '' && { prefer }) },
  });

interface Shown {
  id: string;
  status: string;
  error?: { code: string; message: string };
  result?: { bytes: number; sha256: string; contentType: string; url?: string; headers: object };
  delivery?: object;
  notification?: { outcome: string };
}

async function accepted(response: Response): Promise<Shown> {
  const text = await response.text();
  expect([response.status, text]).toEqual([202, text]);
  return JSON.parse(text);
}

/** The job once it has ended, and its notification, too. */
async function ended(key: string, { id }: Shown): Promise<Shown> {
  let job: Shown | undefined;
  await until(async () => {
    job = (await (await ask(key, `/v1/jobs/${id}`, { prefer: 'wait=5' })).json()) as Shown;
    return (
      ['succeeded', 'failed', 'canceled'].includes(job.status) && job.notification?.outcome !== 'pending'
    );
  });
  return job as Shown;
}

const expectNoBlobs = async ({ id }: Shown) =>
  expect(await until(async () => !(await rig.blobKeys()).some((name) => name.includes(id)))).toBe(true);

const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { code: string }).code,
];

describe('a request with Prefer: respond-async', () => {
  test('is a job, whose result waits to be fetched once', async () => {
    stopConverter = await rig.convertWith(upperCase);
    const { key } = await rig.newKey();
    const answer = await later(key, { document });
    expect(answer.headers.get('preference-applied')).toBe('respond-async');
    const job = await accepted(answer);
    expect(answer.headers.get('location')).toBe(`/v1/jobs/${job.id}`);
    expect(job).toMatchObject({ operation: 'convert', status: 'queued' });
    const sha256 = createHash('sha256').update(PDF).digest('hex');
    expect(await ended(key, job)).toMatchObject({
      status: 'succeeded',
      result: {
        ...{ contentType: 'application/pdf', bytes: PDF.length, sha256, url: `/v1/jobs/${job.id}/result` },
        headers: { 'x-page-count': '1' },
      },
    });
    const { result: { headers = {} } = {} } = await ended(key, job);
    expect(Object.keys(headers).filter((name) => name.startsWith('x-'))).toEqual(
      expect.not.arrayContaining(['x-frame-options', 'x-content-type-options', 'x-request-id']),
    );
    const result = await ask(key, `/v1/jobs/${job.id}/result`);
    expect([
      result.headers.get('content-type'),
      result.headers.get('x-page-count'),
      await result.text(),
    ]).toEqual(['application/pdf', '1', PDF]);
    expect(await codeOf(await ask(key, `/v1/jobs/${job.id}/result`))).toEqual([410, 'GONE']);
    await expectNoBlobs(job);
  });

  test('is delivered, and its owner notified with a signature', async () => {
    stopConverter = await rig.convertWith(upperCase);
    const { key } = await rig.newKey();
    const job = await accepted(
      await later(key, {
        document,
        deliver: {
          put: { url: there('/bucket/a.pdf?secret=1'), headers: { 'X-Ms-Blob-Type': 'BlockBlob' } },
        },
        notify: { url: there('/hook') },
      }),
    );
    expect(await ended(key, job)).toMatchObject({
      status: 'succeeded',
      delivery: { status: 200, etag: '"abc"', tries: 1, url: there('/bucket/a.pdf') },
      notification: { outcome: 'delivered', status: 200, tries: 1 },
    });
    const [put, post, ...more] = taking.got as [Got, Got];
    expect(more).toEqual([]);
    expect(put).toMatchObject({
      ...{ method: 'PUT', path: '/bucket/a.pdf?secret=1', body: PDF },
      headers: {
        'content-type': 'application/pdf',
        'content-length': String(PDF.length),
        'content-md5': createHash('md5').update(PDF).digest('base64'),
        'x-ms-blob-type': 'BlockBlob',
      },
    });
    const { secret } = (await (await ask(key, '/v1/jobs/webhook-secret')).json()) as { secret: string };
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = post.headers;
    expect(id).toBe(`msg_${job.id}`);
    const mac = createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'));
    expect(signature).toBe(`v1,${mac.update(`${id}.${at}.${post.body}`).digest('base64')}`);
    expect(JSON.parse(post.body)).toMatchObject({
      type: 'job.succeeded',
      data: { id: job.id, status: 'succeeded', delivery: { status: 200 } },
    });
    expect(post.body).not.toContain('secret=1');
    expect(await codeOf(await ask(key, `/v1/jobs/${job.id}/result`))).toEqual([404, 'NOT_FOUND']);
    await expectNoBlobs(job);
  });

  test('fails with the error that the answer would have had, or with that of its store', async () => {
    stopConverter = await rig.convertWith(async (bytes) => {
      if (bytes.length < 100) throw new AppError('INVALID_FILE_FORMAT', 'The file is not a DOCX document.');
      return upperCase(bytes);
    });
    const { key } = await rig.newKey();
    const noDocument = await accepted(await later(key, { document: { base64: 'bm8gZG9jeA==' } }));
    expect(await ended(key, noDocument)).toMatchObject({
      status: 'failed',
      error: { code: 'INVALID_FILE_FORMAT' },
    });
    taking.statuses.push(403);
    const refused = await accepted(await later(key, { document, deliver: { put: { url: there('/no') } } }));
    expect(await ended(key, refused)).toMatchObject({
      status: 'failed',
      error: {
        code: 'DELIVERY_FAILED',
        message: 'The result could not be delivered: status 403: what the store says',
      },
    });
    await expectNoBlobs(refused);
  });

  test('is the same job for the same Idempotency-Key, and another request with it is refused', async () => {
    const { key } = await rig.newKey();
    const headers = { 'idempotency-key': 'order 1' };
    const first = await accepted(await later(key, { document }, headers));
    const again = await later(key, { document }, headers);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await accepted(again)).id).toBe(first.id);
    const other = await later(key, { document, notify: { url: there('/x') } }, headers);
    expect(await codeOf(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const { jobs } = (await (await ask(key, '/v1/jobs')).json()) as { jobs: Shown[] };
    expect(jobs.map(({ id }) => id)).toEqual([first.id]);
  });

  test('is canceled while it waits, and not after its end; only its owner sees it', async () => {
    const { key } = await rig.newKey();
    const job = await accepted(await later(key, { document }));
    const { key: stranger } = await rig.newKey();
    for (const [path, method] of [
      [`/v1/jobs/${job.id}`, 'GET'],
      [`/v1/jobs/${job.id}`, 'DELETE'],
      [`/v1/jobs/${job.id}/result`, 'GET'],
    ] as const)
      expect(await codeOf(await ask(stranger, path, { method }))).toEqual([404, 'NOT_FOUND']);
    expect(await (await ask(stranger, '/v1/jobs')).json()).toEqual({ jobs: [] });
    // Not an empty list, which would be its end.
    expect(await codeOf(await ask(stranger, `/v1/jobs?after=${job.id}`))).toEqual([404, 'NOT_FOUND']);
    const canceled = await ask(key, `/v1/jobs/${job.id}`, { method: 'DELETE' });
    expect([canceled.status, ((await canceled.json()) as Shown).status]).toEqual([200, 'canceled']);
    expect(await codeOf(await ask(key, `/v1/jobs/${job.id}`, { method: 'DELETE' }))).toEqual([
      409,
      'JOB_ENDED',
    ]);
    expect(await codeOf(await ask(key, `/v1/jobs/${job.id}/result`))).toEqual([404, 'NOT_FOUND']);
    await expectNoBlobs(job);
  });

  test('is refused if it could not be kept, read or delivered', async () => {
    const { key } = await rig.newKey();
    const fields = async (response: Response) => {
      const { code, details } = (await response.json()) as { code: string; details: { field: string }[] };
      return [code, ...details.map(({ field }) => field)];
    };
    const put = (url: string, headers?: object) => ({ document, deliver: { put: { url, headers } } });
    for (const url of [
      'http://10.0.0.1/x',
      'http://[::1]/x',
      'http://localhost/x',
      'http://169.254.169.254/latest',
      `http://user@${taking.host}/x`,
      'http://no-such-host.invalid/x',
      'ftp://example.com/x',
      `http://${taking.host}/x\r\ny`,
      `http://${taking.host}/${'x'.repeat(4_096)}`,
    ]) {
      expect([url, ...(await fields(await later(key, put(url))))]).toEqual([
        url,
        'VALIDATION_ERROR',
        'deliver.put.url',
      ]);
      const hook = await fields(await later(key, { document, notify: { url } }));
      expect([url, ...hook]).toEqual([url, 'VALIDATION_ERROR', 'notify.url']);
    }
    for (const name of ['Host', 'Content-Length', 'Transfer-Encoding', 'Proxy-Authorization', 'a b']) {
      const issue =
        name === 'a b' ? 'must be the name of a header' : 'is a header that the service sets itself';
      expect(await (await later(key, put(there('/x'), { [name]: '1' }))).json()).toMatchObject({
        ...{ code: 'VALIDATION_ERROR', details: [{ field: `deliver.put.headers.${name}`, issue }] },
      });
    }
    expect(await fields(await later(key, put(there('/x'), { a: 'x\r\ny' })))).toContain('VALIDATION_ERROR');
    expect(await fields(await later(key, { document, unknown: 1 }))).toEqual(['VALIDATION_ERROR', 'unknown']);
    expect(await fields(await later(key, {}))).toEqual(['VALIDATION_ERROR', 'document']);
    expect(await fields(await later(key, { document }, { 'idempotency-key': '' }))).toEqual([
      'VALIDATION_ERROR',
      'headers.idempotency-key',
    ]);
    const form = await rig.postJson(key, '/v1/convert?from=docx', 'x', {
      headers: { prefer: 'respond-async', 'content-type': 'text/plain' },
    });
    expect(await codeOf(form)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    for (let count = 0; count < 3; count++) await accepted(await later(key, { document }));
    expect(await codeOf(await later(key, { document }))).toEqual([429, 'CONCURRENCY_LIMIT']);
  });

  test('goes on after trouble of the store of documents or of its own store', async () => {
    stopConverter = await rig.convertWith(upperCase);
    const { key } = await rig.newKey();
    taking.statuses.push(503);
    const job = await accepted(await later(key, { document, deliver: { put: { url: there('/again') } } }));
    await until(async () => taking.got.length === 1);
    await rig.database.query('UPDATE jobs SET due_at = now() WHERE id = $1', [job.id]);
    expect(await until(async () => taking.got.length === 2)).toBe(true);
    expect(await ended(key, job)).toMatchObject({ status: 'succeeded', delivery: { tries: 2, status: 200 } });
  });

  test('keeps its result until a caller got it: HEAD fetches nothing', async () => {
    stopConverter = await rig.convertWith(upperCase);
    const { key } = await rig.newKey();
    const job = await accepted(await later(key, { document }));
    await ended(key, job);
    expect((await ask(key, `/v1/jobs/${job.id}/result`, { method: 'HEAD' })).status).toBe(405);
    expect(await (await ask(key, `/v1/jobs/${job.id}/result`)).text()).toBe(PDF);
  });

  test('leaves nothing readable in the database', async () => {
    const { key } = await rig.newKey();
    await accepted(await later(key, { document, deliver: { put: { url: there('/canary?secret=canary') } } }));
    const { rows } = await rig.database.query<{ job: string }>(
      'SELECT row_to_json(jobs)::text AS job FROM jobs',
    );
    for (const { job } of rows) {
      expect(job).not.toContain('canary');
      expect(job).not.toContain(Buffer.from('canary').toString('hex'));
      expect(job).not.toContain(document.base64.slice(0, 40));
    }
  });
});
