import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import { documentOf } from '@scriptorium/usage/inbox';
import { document, linesOf, rowsOf, stream } from '../rigs/batch-rig.ts';
import { type Rig, startRig } from '../rigs/rig.ts';
import { signer, submit } from '../rigs/sign-requests.ts';
import { docx, until } from '../rigs/signing-rig.ts';

let rig: Rig;
let key: string;
beforeAll(async () => {
  rig = await startRig();
  key = (await rig.newKey()).key;
  rig.fillRowsWith(
    async ({ json }) => {
      const { fails, bytes = 0 } = json as { fails?: boolean; bytes?: number };
      if (fails)
        throw new AppError('DATA_MISSING', 'The data lacks 1 value.', {
          details: [{ field: 'data.name', issue: 'is missing' }],
        });
      return Buffer.concat([Buffer.from(` ${JSON.stringify(json)}`), Buffer.alloc(bytes, ' ')]);
    },
    undefined,
    4,
  );
  rig.convertRowsWith();
  rig.joinRowsWith();
});
afterEach(async () => {
  expect(await until(async () => (await rig.blobKeys()).length === 0)).toBe(true);
});
afterAll(() => rig.close());

const asPdf = (body: object) => rig.postJson(key, '/v1/batches?to=pdf&output=pdf', { document, ...body });

describe('one PDF of a batch', () => {
  test('has all documents in the order of the rows, with their names as bookmarks', async () => {
    const rows = rowsOf(500).map((row, at) => (at % 3 === 0 ? { ...row, name: `Name ${at}` } : row));
    const body = linesOf({}, rows);
    const response = await stream(rig, key, body, { query: '?to=pdf&output=pdf' });
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('x-rows-done')).toBe('500');
    expect(response.headers.get('x-join-warnings')).toBe('TITLED_Documents');
    const expected = rows.map(({ data }, at) => {
      const title = at % 3 === 0 ? `Name ${at}` : `row ${at}`;
      return `[${title}]%PDF of ${docx} ${JSON.stringify(data)}`;
    });
    expect(await response.text()).toBe(expected.join(''));
  });

  test('holds documents that are more than one pack', async () => {
    const rows = rowsOf(40).map(({ data }) => ({ data: { ...data, bytes: 400_000 } }));
    const response = await asPdf({ rows });
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(40 * 400_000);
  });

  test('is refused with the paths of the failed row, if the caller does not want to go on', async () => {
    const rows = [...rowsOf(7), { data: { fails: true } }, ...rowsOf(3)];
    const response = await asPdf({ rows });
    expect(response.status).toBe(400);
    // The rows before it have no answer, so they do not count. Those of an answer do.
    const answered = await asPdf({ rows: rowsOf(1) });
    await answered.arrayBuffer();
    const counts = async ({ headers }: Response): Promise<boolean> => {
      const row = documentOf(`${headers.get('x-request-id')}.0`);
      const sql = 'SELECT FROM usage_inbox WHERE entries::text LIKE $1';
      return (await rig.database.query(sql, [`%${row}%`])).rowCount === 1;
    };
    expect(await until(() => counts(answered))).toBe(true);
    expect(await counts(response)).toBe(false);
    expect(await response.json()).toMatchObject({
      code: 'DATA_MISSING',
      message: 'Row 7 failed: The data lacks 1 value.',
      details: [{ field: 'rows[7].data.name', issue: 'is missing' }],
    });
  });

  test('leaves failed rows out if the caller wants to go on', async () => {
    const rows = [...rowsOf(2), { data: { fails: true } }, ...rowsOf(1)];
    const response = await asPdf({ rows, options: { onError: 'continue' } });
    expect(response.headers.get('x-rows-done')).toBe('3');
    expect(response.headers.get('x-rows-failed')).toBe('1');
    const nothing = await asPdf({ rows: [{ data: { fails: true } }], options: { onError: 'continue' } });
    expect(nothing.status).toBe(422);
  });

  test('is refused with signatures, which would not stay valid', async () => {
    const response = await asPdf({ rows: rowsOf(1), sign: { signer, auditTrail: [submit] } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ details: [{ field: 'sign' }] });
  });

  test('has bounds', async () => {
    const many = await stream(rig, key, linesOf({}, rowsOf(2_100)), { query: '?to=pdf&output=pdf' });
    expect(many.status).toBe(400);
    expect(await many.json()).toMatchObject({ details: [{ field: 'rows' }] });
  });
});
