import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { forgetMails, mailsTo } from '@scriptorium/testing/mail';
import { type Deployment, until } from './service.ts';
import { sharedService } from './shared-service.ts';

interface Example {
  value: unknown;
}

interface Operation {
  operationId: string;
  security: object[];
  parameters?: {
    name: string;
    in: 'query' | 'path' | 'header';
    schema: { enum?: string[]; default?: unknown };
    examples?: { sample: Example };
  }[];
  requestBody?: { content: Record<string, { examples?: { sample: Example } }> };
}

interface Contract {
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
}

let service: Deployment;
let key: string;
let contract: Contract;

beforeAll(async () => {
  service = await sharedService();
  key = await service.register();
  contract = (await (await fetch(`${service.url}/openapi.json`)).json()) as Contract;
});

type Parameter = NonNullable<Operation['parameters']>[number];

/**
 * Sends the example of an operation, as a client would that knows only the document. `values` replace some of its values, and
 * `invent` returns values of parameters that have no example.
 */
async function sendExample(
  operationId: string,
  values: Record<string, string> = {},
  invent: (parameter: Parameter) => unknown = () => undefined,
): Promise<Response> {
  const [server] = contract.servers;
  for (const [path, methods] of Object.entries(contract.paths))
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId !== operationId) continue;
      const url = new URL(`${server?.url === '/' ? '' : server?.url}${path}`, service.url);
      for (const parameter of operation.parameters ?? []) {
        const { name, in: place, examples } = parameter;
        if (place === 'header') continue;
        const given = values[name] ?? examples?.sample.value ?? invent(parameter);
        if (given === undefined) continue;
        const value = String(given);
        if (place === 'query') url.searchParams.set(name, value);
        else url.pathname = url.pathname.replace(`%7B${name}%7D`, value);
      }
      const example = operation.requestBody?.content['application/json']?.examples?.sample;
      const headers = {
        ...(operation.security.length > 0 && { authorization: `Bearer ${key}` }),
        ...(example !== undefined && { 'content-type': 'application/json' }),
      };
      const body = example && JSON.stringify({ ...(example.value as object), ...values });
      return fetch(url, { method: method.toUpperCase(), headers, body: body ?? null });
    }
  throw new Error(`there is no operation ${operationId}`);
}

/** Other tests may use the address of the example, and all tests share one mail catcher. */
const EMAIL = `${randomBytes(6).toString('hex')}@example.com`;

/** Waits for the code that the example of `register` had mailed. A later code would replace it. */
async function codeInMail(email = EMAIL): Promise<string> {
  let code = '';
  await until('the code comes by mail', async () => {
    const texts = (await mailsTo(email)).map(({ text }) => /code: (\d{6})/.exec(text)?.[1]);
    code = texts.find((found) => found !== undefined) ?? '';
    return code !== '';
  });
  await forgetMails(email);
  return code;
}

async function mailedCode(): Promise<string> {
  expect((await sendExample('register', { email: EMAIL })).status).toBe(200);
  return codeInMail();
}

const jobIds: string[] = [];

/** A new job, which may have ended already. */
async function newJob(): Promise<string> {
  const answer = await fetch(`${service.url}/v1/convert?from=md`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      prefer: 'respond-async',
    },
    body: JSON.stringify({ document: { base64: Buffer.from('# Text').toString('base64') } }),
  });
  const { id } = (await answer.json()) as { id: string };
  jobIds.push(id);
  return id;
}

/** A result that is not fetched would wait in Redis. */
async function fetchResults(): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, prefer: 'wait=30' };
  for (const id of jobIds)
    for (const path of [`/v1/jobs/${id}`, `/v1/jobs/${id}/result`])
      await (await fetch(service.url + path, { headers })).arrayBuffer();
}

async function doneJob(): Promise<string> {
  const id = await newJob();
  await until('the job has succeeded', async () => {
    const headers = { authorization: `Bearer ${key}`, prefer: 'wait=10' };
    const answer = await fetch(`${service.url}/v1/jobs/${id}`, { headers });
    return ((await answer.json()) as { status: string }).status === 'succeeded';
  });
  return id;
}

const OWN_VALUES: Record<string, () => Promise<Record<string, string>>> = {
  register: async () => ({ email: EMAIL }),
  verifyCode: async () => ({ email: EMAIL, code: await mailedCode() }),
  verifyCodeInUrl: async () => ({ email: EMAIL, code: await mailedCode() }),
  getJob: async () => ({ id: await newJob() }),
  cancelJob: async () => ({ id: await newJob() }),
  getJobResult: async () => ({ id: await doneJob() }),
  async revokeKey() {
    await service.register();
    const { keys } = (await (await sendExample('listKeys')).json()) as { keys: { id: string }[] };
    return { id: keys[0]?.id ?? '' };
  },
};

test.each(['first', 'last'])(
  'an importer that sends every parameter, with the %s value of each, gets a document',
  async (which) => {
    const invent = ({ name, schema }: Parameter): unknown => {
      const value = schema.enum?.at(which === 'first' ? 0 : -1) ?? schema.default;
      if (value === undefined) throw new Error(`${name} has neither an example nor values to choose from`);
      return value;
    };
    for (const [path, { post }] of Object.entries(contract.paths)) {
      if (post === undefined || path.startsWith('/v1/auth/')) continue;
      const answer = await sendExample(post.operationId, {}, invent);
      const text = await answer.text();
      expect({ path, status: answer.status, text: text.slice(0, 300) }).toMatchObject({ path, status: 200 });
    }
  },
);

describe('the example of each operation, as it is but for an address, codes and ids', () => {
  // Revoking ends the key of the test.
  const last = (id: string) => ['cancelJob', 'revokeKey'].indexOf(id);

  test('is answered with success', async () => {
    const ids = Object.values(contract.paths)
      .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
      .sort((a, b) => last(a) - last(b));
    expect(ids.length).toBeGreaterThan(15);
    for (const id of ids) {
      const answer = await sendExample(id, await OWN_VALUES[id]?.());
      const text = await answer.text();
      // A job may have ended before it was canceled.
      const statuses = { revokeKey: [204], cancelJob: [200, 409] }[id] ?? [200];
      expect({ id, statuses, text: text.slice(0, 300) }).toMatchObject({
        id,
        statuses: expect.arrayContaining([answer.status]),
      });
      if (id === 'cancelJob') await fetchResults();
      if (id === 'register') await codeInMail();
      if (id !== 'createBatch') continue;
      expect(text.trim().split('\n').at(-1)).toBe('{"summary":{"rows":2,"done":2,"failed":0}}');
    }
  });
});

test('the code of a mail is answered as a bare key to a caller who accepts text', async () => {
  const email = 'bare@example.com';
  await sendExample('register', { email });
  const url = `${service.url}/v1/auth/verify?email=${email}&code=${await codeInMail(email)}`;
  const answer = await fetch(url, { headers: { accept: 'text/plain' } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(await answer.text()).toMatch(/^scr_\w+$/);
});

test('the limits of a service are those that its operator set', async () => {
  const answer = await fetch(`${service.url}/v1/limits`);
  expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
  expect(await answer.json()).toMatchObject({
    formats: {
      convert: { from: expect.arrayContaining(['docx', 'md']), to: expect.arrayContaining(['pdf', 'png']) },
      sign: { from: ['docx', 'pdf'], to: ['docx', 'pdf'] },
    },
    sizes: { documentBytesMax: 25 * 1024 * 1024, mergedBytesMax: 100 * 1024 * 1024 },
    counts: { fieldsMax: 2_000, mergedDocumentsMax: 100, streamedRowsMax: 100_000 },
    times: { requestMsMax: 60_000 },
    rates: { requestsPerMinuteMax: 600 },
  });
});
