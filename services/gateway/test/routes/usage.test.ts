import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Rig, startRig } from '../rigs/rig.ts';
import { askUsage, count, newLicense, open, readUsage, registerLicense } from '../rigs/usage-rig.ts';

const MAY = 'from=2026-05-01&to=2026-06-01';

let rig: Rig;
let key: string;
let keyId: string;
let ownerHash: Buffer;
let license: string;
let secondLicense: string;

beforeAll(async () => {
  rig = await startRig({ KEY_REQUESTS_PER_MINUTE_MAX: '100000' });
  ({ key, ownerHash, id: keyId } = await rig.newKey());
  license = await registerLicense(rig, keyId, ['team', '=cmd', 'Größe']);
  secondLicense = await registerLicense(rig, keyId);
  await open(rig, license, [
    ['2026-05-03T10:00:00Z', 'a'],
    ['2026-05-03T23:59:59Z', 'a'],
    ['2026-05-03T12:00:00Z', 'b'],
    ['2026-05-04T00:00:00Z', 'a'],
    ['2026-05-31T23:59:59Z', 'c'],
    ['2026-06-01T00:00:00Z', 'a'],
    ['2026-06-30T00:00:00Z', 'd'],
  ]);
  await open(rig, secondLicense, [['2026-05-03T09:00:00Z', 'a']]);
  await open(rig, license, [['2026-03-10T00:00:00Z', 'm1']], [['team', 'blue']]);
  await open(
    rig,
    license,
    [
      ['2026-03-10T00:00:00Z', 'm1'],
      ['2026-03-11T00:00:00Z', 'm2'],
    ],
    [
      ['team', 'red'],
      ['unnamed', 'x'],
      ['Größe', '42'],
    ],
  );
  await open(rig, license, [['2026-03-12T00:00:00Z', 'm3']]);
  await count(rig.database);
}, 90_000);
afterAll(() => rig.close());

describe('GET /v1/usage', () => {
  test('returns the empty current month for an owner without usage', async () => {
    const { key: fresh } = await rig.newKey();
    const response = await askUsage(rig, fresh);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const month = new Date().toISOString().slice(0, 7);
    expect(await response.json()).toEqual({
      from: `${month}-01`,
      to: expect.stringMatching(/-01$/),
      granularity: 'day',
      groupBy: null,
      periods: [],
      totals: { documents: 0, opens: 0 },
      truncated: false,
    });
    expect((await readUsage(rig, fresh, 'groupBy=license')).groups).toEqual([]);
  });

  test('counts a document once per day and license, and once in the totals', async () => {
    const usage = await readUsage(rig, key, MAY);
    expect(usage.periods).toEqual([
      { start: '2026-05-03', end: '2026-05-04', documents: 3, opens: 4 },
      { start: '2026-05-04', end: '2026-05-05', documents: 1, opens: 1 },
      { start: '2026-05-31', end: '2026-06-01', documents: 1, opens: 1 },
    ]);
    expect(usage.totals).toEqual({ documents: 4, opens: 6 });
  });

  test('counts a document once per month, and once in the totals of several months', async () => {
    const usage = await readUsage(rig, key, 'from=2026-05-01&to=2026-07-01&granularity=month');
    expect(usage.periods).toEqual([
      { start: '2026-05-01', end: '2026-06-01', documents: 4, opens: 6 },
      { start: '2026-06-01', end: '2026-07-01', documents: 2, opens: 2 },
    ]);
    expect(usage.totals).toEqual({ documents: 5, opens: 8 });
  });

  test.each([
    ['from=2026-05-04&to=2026-05-05', 1, 1],
    ['from=2026-05-03&to=2026-05-05', 3, 5],
    ['from=2026-05-04&to=2026-06-01', 2, 2],
    ['from=2026-05-04&to=2026-06-02', 2, 3],
    ['from=2026-05-31&to=2026-07-01', 3, 3],
    ['from=2026-05-05&to=2026-05-31', 0, 0],
    ['from=2026-04-30&to=2026-06-30', 4, 7],
  ])('totals the exact range of days: %s', async (range, documents, opens) => {
    expect((await readUsage(rig, key, range)).totals).toEqual({ documents, opens });
  });

  test('groups by license, and the groups add up to the totals', async () => {
    const usage = await readUsage(rig, key, `${MAY}&groupBy=license&granularity=month`);
    const groups = [
      { group: license, documents: 3, opens: 5 },
      { group: secondLicense, documents: 1, opens: 1 },
    ].sort((a, b) => (a.group < b.group ? -1 : 1));
    expect(usage.groups).toEqual(groups);
    expect(usage.periods).toEqual(
      groups.map((group) => ({ start: '2026-05-01', end: '2026-06-01', ...group })),
    );
    expect(usage.totals).toEqual({ documents: 4, opens: 6 });
  });

  test('groups by a metadata key, counts a document with each of its values, and does not change the totals', async () => {
    const march = 'from=2026-03-01&to=2026-04-01&granularity=month';
    const usage = await readUsage(rig, key, `${march}&groupBy=metadata.team`);
    expect(usage.groups).toEqual([
      { group: 'blue', documents: 1, opens: 1 },
      { group: 'red', documents: 2, opens: 2 },
    ]);
    expect(usage.totals).toEqual({ documents: 3, opens: 4 });
    const size = encodeURIComponent('metadata.Größe');
    expect((await readUsage(rig, key, `${march}&groupBy=${size}`)).groups).toEqual([
      { group: '42', documents: 2, opens: 2 },
    ]);
    expect((await readUsage(rig, key, `${march}&groupBy=metadata.unnamed`)).groups).toEqual([]);
  });

  test('is the same for every key of the owner, and is not visible to others', async () => {
    const { key: another } = await rig.newKey(ownerHash);
    expect(await readUsage(rig, another, MAY)).toEqual(await readUsage(rig, key, MAY));
    const stranger = await rig.newKey();
    await registerLicense(rig, stranger.id);
    const nobodys = newLicense();
    await open(rig, nobodys, [['2026-05-03T10:00:00Z', 'a']]);
    await open(rig, 'community-and-eval-agplv3', [['2026-05-03T10:00:00Z', 'a']]);
    await count(rig.database);
    for (const groupBy of ['', '&groupBy=license', '&groupBy=operation', '&groupBy=metadata.team'])
      expect(await readUsage(rig, stranger.key, MAY + groupBy)).toMatchObject({
        periods: [],
        totals: { documents: 0, opens: 0 },
      });
    expect((await readUsage(rig, key, MAY)).totals).toEqual({ documents: 4, opens: 6 });
    const { status } = await fetch(`${rig.url}/v1/usage`);
    expect(status).toBe(401);
  });

  test('lists the groups with the most documents up to the row limit, and sums up the others', async () => {
    const many = await rig.newKey();
    const licenses = await Promise.all(Array.from({ length: 60 }, () => registerLicense(rig, many.id)));
    await Promise.all(licenses.map((one) => open(rig, one, [['2026-05-03T10:00:00Z', 'a']])));
    const big = licenses[7] ?? '';
    await open(rig, big, [['2026-05-03T10:00:00Z', 'b']]);
    await count(rig.database);
    const wide = await readUsage(rig, many.key, 'from=2025-05-01&to=2026-06-01&groupBy=license');
    expect(wide).toMatchObject({ truncated: true, totals: { documents: 61, opens: 61 } });
    expect(wide.groups).toHaveLength(51);
    expect(wide.groups).toContainEqual({ group: '(other)', documents: 10, opens: 10 });
    expect(wide.groups).toContainEqual({ group: big, documents: 2, opens: 2 });
    expect(wide.periods).toEqual(
      wide.groups?.map((group) => ({ start: '2026-05-03', end: '2026-05-04', ...group })),
    );
    const narrow = await readUsage(rig, many.key, `${MAY}&groupBy=license`);
    expect(narrow.truncated).toBe(false);
    expect(narrow.groups).toHaveLength(60);
  });

  test('covers the current month without a range, and the month of `to` without `from`', async () => {
    const recent = await rig.newKey();
    const used = await registerLicense(rig, recent.id);
    await open(rig, used, [
      [new Date().toISOString(), 'today'],
      ['2025-01-31T00:00:00Z', 'earlier'],
    ]);
    await count(rig.database);
    expect((await readUsage(rig, recent.key)).totals).toEqual({ documents: 1, opens: 1 });
    expect((await readUsage(rig, recent.key, 'granularity=month')).totals).toEqual({
      documents: 1,
      opens: 1,
    });
    expect(await readUsage(rig, key, 'to=2026-06-01')).toMatchObject({ from: '2026-05-01' });
    expect(await readUsage(rig, key, 'to=2026-05-15')).toMatchObject({ from: '2026-05-01' });
  });

  test('accepts the longest range by day and by month', async () => {
    expect((await readUsage(rig, key, 'from=2025-05-28&to=2026-07-02')).totals.documents).toBe(8);
    const years = await readUsage(rig, key, 'from=2017-01-01&to=2027-01-01&granularity=month');
    expect(years.totals.documents).toBeGreaterThan(7);
  });

  test.each([
    ['from=2025-05-27&to=2026-07-02', ['to']],
    ['from=2016-12-01&to=2027-01-01&granularity=month', ['to']],
    ['from=2026-05-02&to=2026-06-03&granularity=month', ['from', 'to']],
    ['from=2026-05-01&to=2026-05-01', ['to']],
    ['from=9000-01-01', ['from']],
    ['from=2026-02-30', ['from']],
    ['from=2026-5-1', ['from']],
    ['from=yesterday&to=2026-05-01T00:00:00Z', ['from', 'to']],
    ['from=1999-12-31&to=2000-02-01', ['from']],
    ['to=10000-01-01', ['to']],
    ['granularity=week', ['granularity']],
    ['granularity=', ['granularity']],
    ['groupBy=owner', ['groupBy']],
    ['groupBy=metadata.', ['groupBy']],
    ['groupBy=metadata-team', ['groupBy']],
    ['groupBy=metadata.a%00b', ['groupBy']],
    [`groupBy=metadata.${'k'.repeat(101)}`, ['groupBy']],
    ['groupBy=license&groupBy=operation', ['groupBy']],
    ['form=2026-05-01', ['form']],
  ])('rejects %s with the name of the field', async (query, fields) => {
    const response = await askUsage(rig, key, query);
    expect(response.status).toBe(400);
    const { code, details } = (await response.json()) as { code: string; details: { field: string }[] };
    expect(code).toBe('VALIDATION_ERROR');
    expect([...new Set(details.map(({ field }) => field))]).toEqual(fields.map((name) => `query.${name}`));
  });
});

describe('GET /v1/usage as CSV', () => {
  test('has a header and the periods', async () => {
    const response = await askUsage(rig, key, MAY, 'text/csv');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(response.headers.get('vary')).toContain('Accept');
    expect(response.headers.get('x-usage-truncated')).toBe('false');
    expect(await response.text()).toBe(
      'start,end,documents,opens\r\n2026-05-03,2026-05-04,3,4\r\n2026-05-04,2026-05-05,1,1\r\n2026-05-31,2026-06-01,1,1\r\n',
    );
  });

  test('names the column of groups by their type', async () => {
    const response = await askUsage(rig, key, `${MAY}&groupBy=operation&granularity=month`, 'text/csv');
    expect(await response.text()).toBe(
      'start,end,operation,documents,opens\r\n2026-05-01,2026-06-01,open,4,6\r\n',
    );
  });

  test('contains no formula for any metadata, and preserves the values', async () => {
    const amid = ['a;=1+1', 'a;\t@x', 'a\n-1', "a;'b", 'a;b=1'];
    const values = [
      '=1+1',
      '+1',
      '-1',
      '@x',
      '\t=1',
      "'t",
      '＝1',
      '\r',
      'a,"b"',
      'a\nb',
      'plain',
      '',
      ...amid,
    ];
    for (const value of values) await open(rig, license, [['2026-04-02T00:00:00Z', 'f']], [['=cmd', value]]);
    await count(rig.database);
    const query = 'from=2026-04-01&to=2026-05-01&granularity=month&groupBy=metadata.%3Dcmd';
    const text = await (await askUsage(rig, key, query, 'text/csv')).text();
    const [head, ...rows] = parse(text);
    expect(head).toEqual(['start', 'end', 'metadata.=cmd', 'documents', 'opens']);
    for (const [, , field = ''] of rows) expect(field).not.toMatch(/(^|[;\t\r\n])[=+\-@＝\t\r]/);
    const restored = rows.map(([, , field = '']) => field.replace(/(?<=^|[;\t\r\n])'/g, ''));
    expect(restored.sort()).toEqual([...values].sort());
    const json = await readUsage(rig, key, query);
    expect(json.groups?.map(({ group }) => group).sort()).toEqual([...values].sort());
  });

  test.each([
    ['text/csv', 'text/csv'],
    ['text/csv;q=0.9, application/json;q=0.5', 'text/csv'],
    ['text/*', 'text/csv'],
    ['application/json, text/csv', 'application/json'],
    ['*/*', 'application/json'],
    ['image/png', 'application/json'],
  ])('is returned if the caller prefers it: %s gets %s', async (accept, type) => {
    const response = await askUsage(rig, key, MAY, accept);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain(type);
  });
});

/** An independent parser of RFC 4180: quotes are doubled or enclose a field. */
function parse(text: string): string[][] {
  expect(text.endsWith('\r\n')).toBe(true);
  const fields = [...text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)];
  expect(fields.map(([whole]) => whole).join('')).toBe(text);
  const rows: string[][] = [[]];
  for (const [, field = '', end] of fields) {
    rows.at(-1)?.push(field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field);
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}
