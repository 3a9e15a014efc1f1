import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { type PostgresServer, startPostgres } from '@scriptorium/testing/postgres-server';
import { answerOf, expectWhole, linesOf, rowsOf, stream } from '../rigs/batch-rig.ts';
import { type Rig, startRig } from '../rigs/rig.ts';
import { plain } from '../rigs/sign-requests.ts';
import { docx, inBase64, pdf, signAll, until } from '../rigs/signing-rig.ts';
import { askUsage, count, type UsageReply } from '../rigs/usage-rig.ts';
import { verifyAll } from '../rigs/verifying-rig.ts';
import { GENERATE_REPORT } from '../rigs/workers.ts';

const letter = docxWith(['Hello']);
const document = inBase64(docx);
const field = { id: 'a', type: 'text', value: 'b' };

let rig: Rig;

/** Returns the counts of the owner of the key in this month, by operation. */
async function operationsOf(key: string): Promise<Record<string, number>> {
  await count(rig.database);
  const response = await askUsage(rig, key, 'groupBy=operation');
  const { groups = [], totals } = (await response.json()) as UsageReply;
  expect(groups.map(({ opens }) => opens)).toEqual(groups.map(({ documents }) => documents));
  expect(totals.documents).toBe(groups.reduce((sum, { documents }) => sum + documents, 0));
  return Object.fromEntries(groups.map(({ group, documents }) => [group, documents]));
}

async function expectOperations(key: string, expected: Record<string, number>): Promise<void> {
  const reached = async () => JSON.stringify(await operationsOf(key)) === JSON.stringify(expected);
  await until(reached);
  // A late count would be an extra count.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await operationsOf(key)).toEqual(expected);
}

describe('an API operation', () => {
  beforeAll(async () => {
    rig = await startRig();
    await rig.convertWith(async (bytes, { signal }) => {
      if (bytes.equals(docxWith(['poison']))) throw new AppError('CONVERSION_FAILED', 'No.');
      if (bytes.equals(docxWith(['slow'])))
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return bytes;
    });
    rig.annotateWith(async ({ source }) => source);
    rig.generateWith(async ({ source }) => ({ bytes: source, report: GENERATE_REPORT }));
    rig.mergeWith(async ({ sources }) => ({ bytes: Buffer.concat(sources), warnings: [] }));
    rig.joinWith(async ({ pdfs }) => ({ bytes: Buffer.concat(pdfs), warnings: [] }));
    rig.inspectWith(async () => ({ fields: [] }) as never);
    signAll(rig);
    verifyAll(rig);
  });
  afterAll(() => rig.close());

  test('counts once as a job: not when it is accepted, and not again when its result is fetched', async () => {
    const { key } = await rig.newKey();
    const body = { document: { base64: letter.toString('base64') } };
    const headers = { prefer: 'respond-async' };
    const accepted = await rig.postJson(key, '/v1/convert?from=docx', body, { headers });
    expect(accepted.status).toBe(202);
    const { id } = (await accepted.json()) as { id: string };
    const ask = (path: string) =>
      fetch(`${rig.url}/v1/jobs/${id}${path}`, {
        headers: { authorization: `Bearer ${key}`, prefer: 'wait=30' },
      });
    expect(await (await ask('')).json()).toMatchObject({ status: 'succeeded' });
    expect((await ask('/result')).status).toBe(200);
    await expectOperations(key, { convert: 1 });
  });

  test('counts once with an idempotency key: again, at the same time, as a form, and by row of a batch', async () => {
    const { key, ownerHash } = await rig.newKey();
    const headers = { 'idempotency-key': 'order 1' };
    const annotate = (value: string, name = 'order 1') =>
      rig.postJson(
        key,
        '/v1/annotate',
        { document, fields: [{ ...field, value }] },
        { headers: { 'idempotency-key': name } },
      );
    const [first, again] = [await annotate('b'), await annotate('b')];
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect((await first.text()).length).toBe((await again.text()).length);
    const other = await annotate('c');
    expect([other.status, await other.json()]).toMatchObject([422, { code: 'IDEMPOTENCY_KEY_REUSED' }]);
    const job = await rig.postJson(
      key,
      '/v1/convert?from=docx',
      { document },
      {
        headers: { ...headers, prefer: 'respond-async' },
      },
    );
    expect(job.status).toBe(422);
    // A key that may sign with the same owner shares the keys; another owner does not.
    const { key: stranger } = await rig.newKey();
    expect(
      (await rig.postJson(stranger, '/v1/annotate', { document, fields: [field] }, { headers })).status,
    ).toBe(200);
    const form = () => {
      const body = new FormData();
      body.append('file', new Blob([letter]), 'letter.docx');
      return fetch(`${rig.url}/v1/convert?from=docx`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'order 2' },
        body,
      });
    };
    const forms = [await form(), await form()];
    expect(forms.map(({ status }) => status)).toEqual([200, 200]);
    expect(forms[1]?.headers.get('idempotent-replayed')).toBe('true');
    const slow = new AbortController();
    const waiting = rig.postJson(
      key,
      '/v1/convert?from=docx',
      { document: inBase64(docxWith(['slow'])) },
      { headers: { 'idempotency-key': 'order 3' }, signal: slow.signal },
    );
    waiting.catch(() => undefined);
    const meanwhile = () =>
      rig
        .postJson(
          key,
          '/v1/convert?from=docx',
          { document: inBase64(docxWith(['slow'])) },
          { headers: { 'idempotency-key': 'order 3' }, signal: AbortSignal.timeout(1_000) },
        )
        .then(
          async (answer) => [
            answer.status,
            answer.headers.get('retry-after'),
            ((await answer.json()) as { code: string }).code,
          ],
          () => [],
        );
    await until(async () => {
      const { rowCount } = await rig.database.query(
        'SELECT FROM repeatable_calls WHERE owner_hash = $1 AND busy_until > now()',
        [ownerHash],
      );
      return rowCount === 1;
    });
    expect(await meanwhile()).toEqual([409, '1', 'IDEMPOTENCY_IN_PROGRESS']);
    slow.abort();
    // A call without an answer is forgotten.
    expect(
      await until(async () => {
        const { rowCount } = await rig.database.query('SELECT FROM repeatable_calls WHERE owner_hash = $1', [
          ownerHash,
        ]);
        return rowCount === 2;
      }),
    ).toBe(true);
    const stop = rig.fillRowsWith(async () => Buffer.from('x'));
    const batch = (from: number) =>
      fetch(`${rig.url}/v1/batches`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/x-ndjson',
          'idempotency-key': 'order 4',
        },
        body: linesOf({}, rowsOf(10).slice(from)),
      });
    for (const from of [0, 0, 5]) expectWhole(await answerOf(await batch(from)), 10 - from);
    await expectOperations(key, { annotate: 1, convert: 1, generate: 15 });
    await stop();
  });

  test('counts once per answered request, for the owner of the key', async () => {
    const { key, ownerHash } = await rig.newKey();
    const { key: second } = await rig.newKey(ownerHash);
    const { key: stranger } = await rig.newKey();
    const answers = await Promise.all([
      rig.post(key, letter),
      rig.post(second, letter),
      rig.postJson(key, '/v1/annotate', { document, fields: [field] }),
      // Two workers, but one operation.
      rig.postJson(key, '/v1/annotate?to=pdf', { document, fields: [field] }),
      // Three workers, but one operation.
      rig.postJson(key, '/v1/generate?to=pdf', {
        document,
        data: {},
        sign: { signer: plain.signer, auditTrail: plain.auditTrail },
      }),
      // Three parts, but one operation.
      rig.postJson(key, '/v1/merge?to=pdf', {
        documents: [document, inBase64(pdf), document],
      }),
      rig.postJson(key, '/v1/sign', plain),
      rig.postJson(key, '/v1/templates/inspect', { document }),
      rig.postJson(key, '/v1/verify', { document: inBase64(pdf) }),
      rig.post(stranger, letter),
    ]);
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
    }
    await expectOperations(key, {
      annotate: 2,
      convert: 2,
      generate: 1,
      inspect: 1,
      merge: 1,
      sign: 1,
      verify: 1,
    });
    await expectOperations(stranger, { convert: 1 });
  });

  test('does not count if it is rejected, fails or its caller disconnects', async () => {
    const { key } = await rig.newKey();
    const refused = await Promise.all([
      rig.post(key, letter, { query: 'from=epub' }),
      rig.post(key, docxWith(['poison'])),
      rig.postJson(key, '/v1/annotate', { document }),
      rig.postJson(`${key.slice(0, -1)}~`, '/v1/verify', { document }),
      fetch(`${rig.url}/v1/auth/keys`, { headers: { authorization: `Bearer ${key}` } }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([400, 500, 400, 401, 200]);
    const leaving = new AbortController();
    const slow = rig.post(key, docxWith(['slow']), { signal: leaving.signal });
    await until(async () => (await rig.blobKeys()).length > 0);
    leaving.abort();
    await expect(slow).rejects.toThrow();
    expect((await rig.post(key, letter)).status).toBe(200);
    await expectOperations(key, { convert: 1 });
  });

  test('counts each row of a batch that has a document', async () => {
    const { key } = await rig.newKey();
    const stop = rig.fillRowsWith(async ({ json }) => {
      if ((json as { number: number }).number % 4 === 0) throw new AppError('DATA_MISSING', 'No.');
      return letter;
    });
    const lines = await answerOf(await stream(rig, key, linesOf({}, rowsOf(100))));
    await stop();
    expectWhole(lines, 100, 25);
    await expectOperations(key, { generate: 75 });
  });

  test('counts once per request if many run at a time', async () => {
    const { key } = await rig.newKey();
    for (let round = 0; round < 5; round++)
      for (const { status } of await Promise.all(Array.from({ length: 8 }, () => rig.post(key, letter))))
        expect(status).toBe(200);
    await expectOperations(key, { convert: 40 });
  });
});

describe('while the store is down', () => {
  let folder: string;
  let postgres: PostgresServer;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'scriptorium-metering-'));
    chmodSync(folder, 0o711);
    postgres = await startPostgres({ folder, outlives: 'stop' });
    rig = await startRig({ DATABASE_URL: postgres.url });
    await rig.convertWith(async (bytes) => bytes);
  }, 90_000);
  afterAll(async () => {
    await rig.close();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  test('answers neither wait nor fail, and are counted later, but usage is not available', async () => {
    const { key } = await rig.newKey();
    expect((await rig.post(key, letter)).status).toBe(200);
    await postgres.stop();
    const startedAt = Date.now();
    for (let i = 0; i < 20; i++) expect((await rig.post(key, letter)).status).toBe(200);
    // Each of them would take longer than a second if it waited for a connection.
    expect(Date.now() - startedAt).toBeLessThan(20_000);
    const response = await askUsage(rig, key);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('usage'),
    });
    await postgres.start();
    await expectOperations(key, { convert: 21 });
  }, 90_000);
});
