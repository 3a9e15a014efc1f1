import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { AppError, type ErrorCode } from '@scriptorium/contracts/errors';
import { until } from '../rigs/open-request.ts';
import { type Rig, startRig } from '../rigs/rig.ts';
import { type RowsServer, startRowsServer } from '../rigs/rows-server.ts';
import { docx, inBase64 } from '../rigs/signing-rig.ts';
import { startTakingServer, type TakingServer } from '../rigs/taking-server.ts';

let rig: Rig;
let store: TakingServer;
let rows: RowsServer;

beforeAll(async () => {
  store = await startTakingServer();
  rows = await startRowsServer();
  rig = await startRig({ DELIVER_ALLOW: store.host, FETCH_ALLOW: rows.host, JOBS_AT_A_TIME: '2' });
  rig.fillRowsWith(async ({ json }) => {
    const { number, failing, bytes = 0 } = json as { number: number; failing?: ErrorCode; bytes?: number };
    if (failing) throw new AppError(failing, 'The row has failed.');
    return Buffer.from(` row ${number} ${'x'.repeat(bytes)}`);
  });
});
afterEach(() => {
  store.reset();
  Object.assign(rows, { version: '"1"', hasRanges: true, breaks: [], asked: [], encoding: undefined });
});
afterAll(async () => {
  await rig.close();
  store.close();
  rows.close();
});

const there = (path: string | number) => `http://${store.host}/${path}?secret=1`;
const document = inBase64(docx);
const rowsOf = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, number) => ({
    ...{ id: `row ${number}`, data: { number, ...more }, deliver: { put: { url: there(number) } } },
  }));
const linesOf = (list: readonly object[]) =>
  Buffer.from(list.map((row) => `${JSON.stringify(row)}\n`).join(''));

const later = (key: string, body: object, { query = '', ...headers }: Record<string, string> = {}) =>
  rig.postJson(key, `/v1/batches${query}`, body, { headers: { prefer: 'respond-async', ...headers } });

interface Shown {
  id: string;
  status: string;
  error?: { code: string; message: string; details?: { field: string; issue: string }[] };
  progress?: { rows: number; done: number; failed: number; failures: object[] };
  result?: { bytes: number; contentType: string };
  parts?: { etag: string; bytes: number }[];
}

async function accepted(response: Response): Promise<Shown> {
  const text = await response.text();
  expect([response.status, text]).toEqual([202, text]);
  return JSON.parse(text);
}

async function shown(key: string, { id }: Shown): Promise<Shown> {
  const headers = { authorization: `Bearer ${key}`, prefer: 'wait=1' };
  return (await (await fetch(`${rig.url}/v1/jobs/${id}`, { headers })).json()) as Shown;
}

async function ended(key: string, job: Shown): Promise<Shown> {
  let now = job;
  await until(async () => {
    now = await shown(key, job);
    return ['succeeded', 'failed', 'canceled'].includes(now.status);
  });
  return now;
}

/** Expects that each address has the document of its own row, and nothing else. Returns how many were sent again. */
function expectStored(numbers: readonly number[]): number {
  const stored = new Map(store.got.map(({ path, body }) => [path, body]));
  for (const number of numbers) expect(stored.get(`/${number}?secret=1`)).toBe(`${docx} row ${number} `);
  expect(stored.size).toBe(numbers.length);
  return store.got.length - stored.size;
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, number) => number);

test('sends the document of each row of an address to its own place, once, though reading breaks off', async () => {
  const { key } = await rig.newKey();
  rows.content = linesOf(rowsOf(300));
  rows.breaks = [10_000, 7, 20_000];
  const job = await accepted(
    await later(key, { document, rows: { url: rows.url }, notify: { url: there('hook') } }),
  );
  expect(await ended(key, job)).toMatchObject({
    status: 'succeeded',
    progress: { rows: 300, done: 300, failed: 0, failures: [] },
  });
  expect(rows.asked.length).toBe(4);
  expect(await until(async () => store.got.some(({ method }) => method === 'POST'))).toBe(true);
  const hook = store.got.pop();
  expect(JSON.parse(hook?.body ?? '')).toMatchObject({
    type: 'job.succeeded',
    data: { progress: { done: 300 } },
  });
  expect(expectStored(numbersTo(300))).toBe(0);
  expect(await until(async () => !(await rig.blobKeys()).some((name) => name.includes(job.id)))).toBe(true);
});

test('reads everything again from a server without ranges', async () => {
  const { key } = await rig.newKey();
  rows.content = linesOf(rowsOf(50));
  rows.hasRanges = false;
  rows.breaks = [3_000];
  const job = await accepted(await later(key, { document, rows: { url: rows.url } }));
  expect(await ended(key, job)).toMatchObject({ status: 'succeeded', progress: { done: 50 } });
  expect(expectStored(numbersTo(50))).toBe(0);
});

test('goes on at the first row that was not delivered when another runner takes it over', async () => {
  const { key } = await rig.newKey();
  rows.content = linesOf(rowsOf(400));
  // The store is too busy for a while, so that the job is under way.
  store.statuses.push(...Array.from({ length: 100 }, () => 200), ...Array.from({ length: 32 }, () => 503));
  const job = await accepted(await later(key, { document, rows: { url: rows.url } }));
  // As long as it may wait for other batches.
  expect(await rig.msLeft(`${job.id}.input`)).toBeGreaterThan(23 * 3_600_000);
  expect(await until(async () => ((await shown(key, job)).progress?.done ?? 0) >= 100)).toBe(true);
  const taken = store.got.length;
  await rig.database.query('UPDATE jobs SET lease = NULL, leased_until = NULL WHERE id = $1', [job.id]);
  expect(await ended(key, job)).toMatchObject({
    status: 'succeeded',
    progress: { rows: 400, done: 400, failed: 0 },
  });
  expect(Number(/\d+/.exec(rows.asked.at(-1) ?? '')?.[0])).toBeGreaterThan(5_000);
  expect(taken).toBeLessThan(400);
  expectStored(numbersTo(400));
});

test('fails rows by themselves: those without a document, a place, or a store that takes them', async () => {
  const { key } = await rig.newKey();
  store.statuses.push(403);
  const [refused, , , fine] = rowsOf(4);
  const list = [
    refused,
    { ...rowsOf(2)[1], data: { number: 1, failing: 'DATA_MISSING' } },
    { ...rowsOf(3)[2], deliver: { put: { url: 'http://10.0.0.1/x' } } },
    fine,
  ];
  const job = await accepted(await later(key, { document, rows: list, options: { order: 'input' } }));
  const { status, progress } = await ended(key, job);
  expect([status, progress]).toMatchObject(['succeeded', { rows: 4, done: 1, failed: 3 }]);
  expect(
    [...(progress?.failures ?? [])].sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
  ).toEqual([
    {
      index: 0,
      id: 'row 0',
      error: { code: 'DELIVERY_FAILED', message: expect.stringContaining('status 403') },
    },
    { index: 1, id: 'row 1', error: expect.objectContaining({ code: 'DATA_MISSING' }) },
    {
      ...{ index: 2, id: 'row 2' },
      error: expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: [expect.objectContaining({ field: 'deliver.put.url' })],
      }),
    },
  ]);
  rows.content = linesOf([{ data: { number: 0 } }]);
  const nowhere = await ended(key, await accepted(await later(key, { document, rows: { url: rows.url } })));
  expect(nowhere.progress?.failures).toMatchObject([{ error: { details: [{ field: 'deliver' }] } }]);
});

test('ends at a failed row if it should, and if rows cannot be read', async () => {
  const { key } = await rig.newKey();
  store.statuses.push(403);
  const stopped = await accepted(
    await later(key, { document, rows: rowsOf(3), options: { onError: 'stop' } }),
  );
  expect(await ended(key, stopped)).toMatchObject({ status: 'failed', error: { code: 'DELIVERY_FAILED' } });
  // Another run would go on behind the row, whatever its error says.
  const list = [...rowsOf(1), { ...rowsOf(2)[1], data: { number: 1, failing: 'CONVERSION_FAILED' } }];
  const failing = await accepted(await later(key, { document, rows: list, options: { onError: 'stop' } }));
  expect(await ended(key, failing)).toMatchObject({ status: 'failed', error: { code: 'CONVERSION_FAILED' } });
  rows.content = linesOf(rowsOf(300));
  rows.breaks = [5_000];
  const unsteady = later(key, { document, rows: { url: rows.url } });
  expect(await until(async () => rows.asked.length === 1)).toBe(true);
  rows.version = '"2"';
  expect(await ended(key, await accepted(await unsteady))).toMatchObject({
    status: 'failed',
    error: { code: 'DOCUMENT_FETCH_FAILED', details: [{ field: 'rows.url' }] },
  });
  rows.encoding = 'gzip';
  const encoded = await accepted(await later(key, { document, rows: { url: rows.url } }));
  expect(await ended(key, encoded)).toMatchObject({
    status: 'failed',
    error: { code: 'DOCUMENT_FETCH_FAILED', message: expect.stringContaining('content encoding') },
  });
});

test('sends a zip as the parts of a multipart upload', async () => {
  const { key } = await rig.newKey();
  const own = rowsOf(7, { bytes: 1_500_000 }).map(({ deliver: _, ...row }) => row);
  const deliver = { parts: { urls: [1, 2, 3].map((part) => there(`part-${part}`)), bytes: 5 * 2 ** 20 } };
  const job = await accepted(await later(key, { document, rows: own, deliver }, { query: '?output=zip' }));
  const done = await ended(key, job);
  expect(done).toMatchObject({
    status: 'succeeded',
    progress: { rows: 7, done: 7 },
    result: { contentType: 'application/zip' },
  });
  expect(done.parts?.map(({ etag }) => etag)).toEqual(['"abc"', '"abc"', '"abc"']);
  expect(store.got.map(({ path }) => path)).toEqual([
    '/part-1?secret=1',
    '/part-2?secret=1',
    '/part-3?secret=1',
  ]);
  const sizes = done.parts?.map(({ bytes }) => bytes) ?? [];
  expect(sizes.slice(0, 2)).toEqual([5 * 2 ** 20, 5 * 2 ** 20]);
  expect(done.result?.bytes).toBe(sizes.reduce((sum, bytes) => sum + bytes, 0));
  expect(store.got[0]?.body.slice(0, 4)).toBe('PK\x03\x04');
  expect(store.got[2]?.body).toContain('summary.json');
  const few = { parts: { urls: [there('part-1')], bytes: 5 * 2 ** 20 } };
  const tooFew = await accepted(
    await later(key, { document, rows: own, deliver: few }, { query: '?output=zip' }),
  );
  expect(await ended(key, tooFew)).toMatchObject({
    status: 'failed',
    error: { code: 'PAYLOAD_TOO_LARGE', details: [{ field: 'deliver.parts.urls' }] },
  });
});

test('is refused if it has no place for its documents, or a wrong one', async () => {
  const { key } = await rig.newKey();
  const [row = {}] = rowsOf(1);
  const { deliver: _, ...bare } = row as { deliver?: object };
  const urls = [there('part')];
  for (const [field, body, query] of [
    ['rows[1].deliver', { rows: [row, bare] }],
    ['rows[0].deliver', { rows: [row], deliver: { parts: { urls } } }],
    ['put', { rows: [row], deliver: { put: { url: there('x') } } }],
    ['deliver.parts.urls', { rows: [bare], deliver: { parts: { urls: [] } } }],
    ['deliver.parts.bytes', { rows: [bare], deliver: { parts: { urls, bytes: 5_000_000 } } }],
    ['deliver.parts.urls[0]', { rows: [bare], deliver: { parts: { urls: ['http://127.0.0.1/x'] } } }],
    ['query.output', { rows: [row] }, '?output=zip'],
    ['convert', { rows: [row], convert: {} }],
    ['rows.url', { rows: { url: 'http://169.254.169.254/rows' } }],
    ['rows.url', { rows: { url: 'file:///etc/passwd' } }],
    ['rows', { rows: [] }],
    ['document', { document: undefined, rows: { url: rows.url } }],
  ] as const) {
    const answer = await later(key, { document, ...body }, { query: query ?? '' });
    const { code, details } = (await answer.json()) as { code: string; details?: { field: string }[] };
    expect([code, details?.map((detail) => detail.field.replace(/^.*\.put$/, 'put'))]).toEqual([
      'VALIDATION_ERROR',
      expect.arrayContaining([field]),
    ]);
  }
  // A caller who waits gets the documents in the answer.
  const waiting = await rig.postJson(key, '/v1/batches', { document, rows: { url: rows.url } });
  expect(waiting.status).toBe(400);
  const line = await (await rig.postJson(key, '/v1/batches', { document, rows: [row] })).text();
  expect(JSON.parse(line.split('\n')[0] ?? '')).toMatchObject({ error: { details: [{ field: 'deliver' }] } });
});
