import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type PostgresServer, startPostgres } from '@scriptorium/testing/postgres-server';
import { SCOPES } from '../../src/auth/key-rights.ts';
import { keysCommand, saidOf } from '../../src/auth/keys-command.ts';
import { document } from '../rigs/batch-rig.ts';
import { until } from '../rigs/open-request.ts';
import { PEPPER, type Rig, startRig } from '../rigs/rig.ts';
import { p12, plain } from '../rigs/sign-requests.ts';
import { inBase64, pdf, signAll } from '../rigs/signing-rig.ts';
import { GENERATE_REPORT } from '../rigs/workers.ts';

const COMMAND = fileURLToPath(new URL('../../src/keys.ts', import.meta.url));
const DAY_MS = 86_400_000;

let postgres: PostgresServer;
let rig: Rig;
/** Another gateway with the same Redis and database. */
let second: Rig;
beforeAll(async () => {
  postgres = await startPostgres({ outlives: 'stop' });
  rig = await startRig({
    DATABASE_URL: postgres.url,
    SERVICE_KEY_FOR: 'issued',
    SIGNER_SECRET: 'ab'.repeat(32),
  });
  rig.annotateWith(async ({ source }) => source);
  rig.generateWith(async ({ source }) => ({ bytes: source, report: GENERATE_REPORT }));
  signAll(rig);
  second = await startRig({ DATABASE_URL: postgres.url, REDIS_URL: rig.redis.url });
});
afterEach(() => void jest.restoreAllMocks());
afterAll(async () => {
  await second.close();
  await rig.close();
  await postgres.stop();
});

const environment = () => ({ DATABASE_URL: postgres.url, CODE_PEPPER: PEPPER });

async function keys(...args: string[]): Promise<{ stdout: string; stderr: string; code: number }> {
  try {
    return { stdout: await keysCommand(args, environment()), stderr: '', code: 0 };
  } catch (error) {
    return { stdout: '', stderr: saidOf(error), code: 1 };
  }
}

/** Issues a key with the command. */
async function issue(...rights: string[]): Promise<{ id: string; key: string }> {
  const { stdout, stderr } = await keys('add', '--owner', 'Billing', ...rights);
  expect(stderr).toBe('');
  const [id = '', key = ''] = stdout.split('\n');
  return { id, key };
}

const annotate = (key: string, url = rig.url) =>
  fetch(`${url}/v1/annotate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ document, fields: [] }),
  });
const sign = (key: string, body: object = {}) =>
  rig.postJson(key, '/v1/sign', { ...plain, document: inBase64(pdf), ...body });

/** Moves the clock of the gateways. */
function inSeconds(seconds: number): void {
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + 1_000 * seconds);
}

describe('a key of the operator', () => {
  test('works, is listed with its owner, and can be revoked', async () => {
    const { id, key } = await issue('--name', 'nightly run');
    expect((await annotate(key)).status).toBe(200);
    const used = async () =>
      new RegExp(`^${id}\t…${key.slice(-4)}\toperator\tBilling\tnightly run\t.*used 2`, 'm');
    expect(await until(async () => (await used()).test((await keys('list')).stdout))).toBe(true);
    expect(await keys('revoke', id)).toMatchObject({ code: 0 });
    expect((await keys('list')).stdout).not.toContain(id);
    expect((await keys('list', '--all')).stdout).toMatch(new RegExp(`^${id}.*revoked 2`, 'm'));
    expect(await keys('revoke', id)).toMatchObject({
      code: 1,
      stderr: 'No active key has this id.\n',
    });
    expect((await annotate(key, second.url)).status).toBe(401);
    inSeconds(31);
    expect((await annotate(key)).status).toBe(401);
  });

  test('shares the usage and the keys of the owner of an address', async () => {
    const [first, second] = await Promise.all(
      ['ada@example.com', 'ada@Example.COM'].map((owner) => keys('add', '--owner', owner)),
    );
    const ids = [first, second].map((added) => added?.stdout.split('\n')[0]);
    const key = first?.stdout.split('\n')[1] ?? '';
    const listed = await fetch(`${rig.url}/v1/auth/keys`, { headers: { authorization: `Bearer ${key}` } });
    const { keys: rows } = (await listed.json()) as { keys: { id: string }[] };
    expect(rows.map((row) => row.id).sort()).toEqual(ids.sort());
  });

  test('is limited to its operations, also within others', async () => {
    const { id, key } = await issue(
      ...['--scopes', 'generate,listKeys', '--expires', '2099-01-31', '--requests-per-minute', '60'],
    );
    const listed = await fetch(`${rig.url}/v1/auth/keys`, { headers: { authorization: `Bearer ${key}` } });
    const { keys: rows } = (await listed.json()) as { keys: { id: string }[] };
    expect(rows.find((row) => row.id === id)).toMatchObject({
      scopes: ['generate', 'listKeys'],
      expiresAt: expect.stringMatching(/^2099-01-31T/),
      limits: { requestsPerMinute: 60 },
    });
    const response = await annotate(key);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      code: 'FORBIDDEN',
      message: 'This API key may not use annotate.',
    });
    const data = { document, data: {} };
    expect((await rig.postJson(key, '/v1/generate', data)).status).toBe(200);
    const signed = { ...data, sign: { signer: plain.signer, auditTrail: plain.auditTrail } };
    const refused = await rig.postJson(key, '/v1/generate', signed);
    expect(await refused.json()).toMatchObject({ code: 'FORBIDDEN' });
  });

  test('can be limited to every operation that needs a key, and to no other', async () => {
    const openApi = (await (await fetch(`${rig.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string; security: object[] }>>;
    };
    const operations = Object.values(openApi.paths).flatMap((methods) => Object.values(methods));
    const withKey = operations.filter(({ security }) => security.length > 0);
    expect([...SCOPES].sort()).toEqual(withKey.map(({ operationId }) => operationId).sort());
  });

  test('signs only with its profiles', async () => {
    const { key } = await issue('--profiles', 'invoices');
    expect((await sign(key)).status).toBe(403);
    expect((await sign(key, { key: { profile: 'contracts' } })).status).toBe(403);
    expect((await sign(key, { key: { profile: 'invoices' } })).status).toBe(200);
    expect((await sign(key, { key: { p12 } })).status).toBe(200);
  });

  test('has its own limits, which can change', async () => {
    const { id, key } = await issue('--requests-per-minute', '3', '--requests-in-flight', '2');
    const statuses = [];
    // Gateways count together.
    for (const url of [rig.url, second.url, rig.url, second.url, rig.url])
      statuses.push((await annotate(key, url)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const refused = await annotate(key);
    expect(refused.headers.get('x-ratelimit-limit')).toBe('3');
    expect(await refused.json()).toMatchObject({
      message: 'This key has reached its limit of 3 requests per minute.',
    });
    const changed = [
      'limits',
      id,
      '--requests-per-minute',
      '7',
      '--requests-in-flight',
      'none',
      '--expires',
      '5d',
    ];
    expect(await keys(...changed)).toMatchObject({ code: 0 });
    expect((await keys('list')).stdout).toMatch(
      new RegExp(`^${id}.*expires 2.*\tlimits requestsPerMinute=7$`, 'm'),
    );
    inSeconds(31);
    for (const url of [rig.url, second.url])
      expect((await annotate(key, url)).headers.get('x-ratelimit-limit')).toBe('7');
  });

  test('expires', async () => {
    const { id, key } = await issue('--expires', new Date(Date.now() + DAY_MS).toISOString());
    expect((await annotate(key)).status).toBe(200);
    inSeconds(86_401);
    for (const url of [rig.url, second.url]) expect((await annotate(key, url)).status).toBe(401);
    jest.restoreAllMocks();
    const other = await issue();
    await rig.database.query("UPDATE api_keys SET expires_at = '2026-01-02T03:04:05Z' WHERE id = $1", [
      other.id,
    ]);
    const response = await annotate(other.key);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({
      code: 'AUTHENTICATION_ERROR',
      message: 'The API key expired at 2026-01-02T03:04:05.000Z.',
    });
    const { stdout } = await keys('list', '--json');
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(ids).toContain(id);
    expect(ids).not.toContain(other.id);
  });
});

test.each([
  [['add'], 'add needs --owner.'],
  [['add', '--owner', 'x', '--scopes', 'everything'], '--scopes: everything is no operation'],
  [['add', '--owner', 'x', '--scopes', ''], '--scopes: nothing is no operation'],
  [['add', '--owner', 'x', '--expires', '2020-01-01'], '--expires must be'],
  [['add', '--owner', 'x', '--expires', 'soon'], '--expires must be'],
  [['add', '--owner', 'x', '--requests-per-minute', '0'], '--requests-per-minute must be 1 to'],
  [['add', '--owner', 'x', '--engine-seconds', '1e3'], '--engine-seconds must be 1 to'],
  [['add', '--owner', 'x'.repeat(255)], 'An owner has at most'],
  [['add', '--owner', 'x', '--rows-per-minute', '63'], '--rows-per-minute must be 64 to'],
  [['add', '--owner', 'x', '--name', 'a\tb'], 'must not contain control characters'],
  [['revoke', 'key_1'], 'The id of a key has the form'],
  [['limits', `key_${'a'.repeat(26)}`], 'npm run keys'],
  [['limits', `key_${'a'.repeat(26)}`, '--expires', '1d'], 'No active key has this id'],
  [['remove', `key_${'a'.repeat(26)}`], 'npm run keys'],
  [[], 'npm run keys'],
  [['add', '--owner', 'x', '--color', 'red'], '--color'],
])('the command refuses %j', async (args, reason) => {
  const { code, stdout, stderr } = await keys(...args);
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toContain(reason);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('the command is a program, with its output, its errors and its exit code', async () => {
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, ['--conditions=source', COMMAND, ...args], {
      env: { PATH: process.env.PATH, ...environment() },
    });
  expect((await run('add', '--owner', 'Billing')).stdout).toMatch(/^key_\w+\nscr_\w+\n/);
  await expect(run('add')).rejects.toMatchObject({ code: 1, stdout: '', stderr: 'add needs --owner.\n' });
});

test('a key by mail may not sign with the key of the service, and may with its own', async () => {
  const { key } = await rig.newKey();
  const refused = await sign(key);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining('API keys by mail'),
    details: [{ field: 'key.profile' }],
  });
  expect((await sign(key, { key: { p12 } })).status).toBe(200);
  expect((await sign((await issue()).key)).status).toBe(200);
});

describe('the first key of a deployment', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'scriptorium-bootstrap-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const drawn = async () => (await keys('draw')).stdout;
  /** Starts a gateway with this content of the file, and asks it with each key. */
  async function statuses(content: string, asking: string[]): Promise<number[]> {
    const file = join(folder, 'key');
    await writeFile(file, content);
    const gateway = await startRig({ DATABASE_URL: postgres.url, BOOTSTRAP_API_KEY_FILE: file });
    gateway.annotateWith(async ({ source }) => source);
    const answers = await Promise.all(asking.map((key) => annotate(key.trim(), gateway.url)));
    await gateway.close();
    return answers.map(({ status }) => status);
  }

  test('is valid once the gateway is ready, until another one replaces it', async () => {
    const [first, second] = [await drawn(), await drawn()];
    expect(await statuses(first, [first, second])).toEqual([200, 401]);
    expect(await statuses(first, [first])).toEqual([200]);
    expect(await statuses(second, [first, second])).toEqual([401, 200]);
    expect((await keys('list')).stdout).toMatch(/\tbootstrap\tbootstrap\t/);
  });

  test('stays revoked', async () => {
    const key = await drawn();
    await statuses(key, []);
    const [, id = ''] = /^(key_\S+)\t\S+\tbootstrap/m.exec((await keys('list')).stdout) ?? [];
    expect(await keys('revoke', id)).toMatchObject({ code: 0 });
    expect(await statuses(key, [key])).toEqual([401]);
  });

  test('must be a key', async () => {
    await expect(statuses('secret', [])).rejects.toThrow('BOOTSTRAP_API_KEY_FILE: holds no API key');
    const missing = startRig({ BOOTSTRAP_API_KEY_FILE: join(folder, 'none') });
    await expect(missing).rejects.toThrow('BOOTSTRAP_API_KEY_FILE: cannot be read (ENOENT)');
  });
});
