import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  AUGMENT_OPTIONS,
  CONVERT_OPTIONS,
  FILL_OPTIONS,
  GENERATE_OPTIONS,
  MERGE_OPTIONS,
  SIGN_OPTIONS,
  USAGE_OPTIONS,
  VERIFY_OPTIONS,
} from '@scriptorium/client/options';
import { TOOLS } from '@scriptorium/mcp/tools';
import { command } from './fake-io.ts';

const FORMATS = { from: ['docx'], to: ['pdf', 'docx'] };
const LIMITS = {
  formats: { convert: FORMATS, annotate: FORMATS, generate: FORMATS, merge: FORMATS, sign: FORMATS },
  sizes: { documentBytesMax: 1_000, mergedBytesMax: 1_000 },
};

/** The command and the tool that take each table of options. */
const TAKERS = [
  ['convert', 'convert_document', CONVERT_OPTIONS],
  ['fill', 'fill_template', FILL_OPTIONS],
  ['generate', 'generate_document', GENERATE_OPTIONS],
  ['merge', 'merge_documents', MERGE_OPTIONS],
  ['sign', 'sign_document', SIGN_OPTIONS],
  ['augment', 'augment_document', AUGMENT_OPTIONS],
  ['usage', 'get_usage', USAGE_OPTIONS],
  ['verify', 'verify_document', VERIFY_OPTIONS],
] as const;

let server: Server;
let folder: string;
let asked: { url: URL; body: string };
let run: (...args: string[]) => ReturnType<typeof command>;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    if (request.url === '/v1/limits') return response.end(JSON.stringify(LIMITS));
    asked = { url: new URL(request.url ?? '', 'http://x'), body: await text(request) };
    return response.writeHead(400).end('{"code": "VALIDATION_ERROR", "message": "No.", "requestId": "r"}');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-options-'));
  for (const name of ['a.csv', 'a.docx', 'b.docx']) await writeFile(join(folder, name), 'PK');
  await writeFile(join(folder, 'data.json'), '{}');
  const env = {
    SCRIPTORIUM_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    SCRIPTORIUM_API_KEY: 'scr_x',
    HOME: folder,
  };
  run = (name, ...args) =>
    command([name, ...args.map((arg) => (/\.\w+$/.test(arg) ? join(folder, arg) : arg))], { env });
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each(TAKERS)('each option to %s', (name, tool, options) => {
  test('is one of the command', async () => {
    const flags = (await command(['help', name])).text.match(/(?<=--)[\w-]+/g) ?? [];
    const names = flags.map((flag) => flag.replace(/^no-|-(?=[a-z])/g, '').toLowerCase());
    for (const option of options) expect(names).toContain(option.name.toLowerCase());
  });

  test('is one of the tool, or a format that a name says', () => {
    const { shape } = TOOLS.find((one) => one.name === tool)?.input ?? {};
    for (const option of options)
      if (name === 'usage' || !['from', 'to'].includes(option.name))
        expect(shape?.[option.name]?.description).toBe(option.help);
  });
});

describe('what a user gives reaches the service', () => {
  test('in the query: texts, numbers, switches, and switches that are on by default', async () => {
    await run('convert', 'a.csv', '--delimiter', ';', '--image-quality', '80', '--no-tagged', '-o', 'a.pdf');
    expect(Object.fromEntries(asked.url.searchParams)).toEqual({
      ...{ from: 'csv', to: 'pdf', delimiter: ';', imageQuality: '80', tagged: 'false' },
    });
    await run('convert', 'a.docx', '--export-form-fields', '--dpi', 'many', '-o', 'a.pdf');
    expect(Object.fromEntries(asked.url.searchParams)).toMatchObject({
      exportFormFields: 'true',
      dpi: 'many',
    });
  });

  test('in the body', async () => {
    await run('merge', 'a.docx', 'b.docx', '--page-numbers', 'continue', '-o', 'c.docx');
    expect(asked.body).toContain('{"pageNumbers":"continue"}');
    await run('generate', 'a.docx', '-d', 'data.json', '--time-zone', 'Europe/Zurich', '-o', 'c.pdf');
    expect(asked.body).toContain('"options":{"timeZone":"Europe/Zurich"}');
    await run('sign', 'a.docx', '--certify', 'noChanges', '--allow-broken-signatures', '-o', 'c.pdf');
    expect(asked.body).toContain('{"certify":"noChanges","allowBrokenSignatures":true}');
    await run('verify', 'a.docx', '--pictures');
    expect(asked.body).toContain('{"pictures":true}');
  });
});
