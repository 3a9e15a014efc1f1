import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { command } from './fake-io.ts';

const LIMITS = {
  formats: { convert: { to: ['pdf', 'txt'] }, annotate: { to: ['docx', 'pdf'] }, generate: { to: ['docx'] } },
  sizes: { documentBytesMax: 1_000 },
};

let server: Server;
let url: string;
let folder: string;
let env: Record<string, string>;
let answer: RequestListener;
let paths: string[];

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    if (request.url === '/v1/limits') return response.end(JSON.stringify(LIMITS));
    paths.push(request.url ?? '');
    return answer(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(async () => {
  paths = [];
  await rm(folder ?? '', { recursive: true, force: true });
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-cli-'));
  await writeFile(join(folder, 'a.docx'), 'PK');
  env = { SCRIPTORIUM_URL: url, SCRIPTORIUM_API_KEY: 'scr_x', HOME: folder };
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/** An address that nothing listens on. */
async function closedUrl(): Promise<string> {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  return `http://127.0.0.1:${port}`;
}

const refuse =
  (status: number, code: string, headers = {}, details: object[] = []): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ code, error: 'x', message: 'So it is.', requestId: 'req_1', details }));
  };
const convert = (...more: string[]) =>
  command(['convert', join(folder, 'a.docx'), '-o', join(folder, 'a.pdf'), ...more], { env });

describe('an error says its code, its message, what to do and which request it was', () => {
  test.each([
    ['a refusal', 400, 'VALIDATION_ERROR', {}, 1, /query\.pages: is wrong\n {2}what to do: Correct/],
    ['a wrong key', 401, 'AUTHENTICATION_ERROR', {}, 1, /what to do: Run `scriptorium login EMAIL`/],
    ['a rate limit', 429, 'RATE_LIMIT_EXCEEDED', { 'retry-after': '3600' }, 3, /wait: 3600 seconds/],
    ['a busy service', 503, 'OVERLOADED', { 'retry-after': '90' }, 3, /wait: 90 seconds/],
    ['a fault of the service', 500, 'INTERNAL_ERROR', {}, 3, /report the `requestId`/],
  ])('after %s', async (_name, status, code, headers, exitCode, words) => {
    answer = refuse(status, code, headers, [{ field: 'query.pages', issue: 'is wrong' }]);
    const ran = await convert();
    expect(ran.code).toBe(exitCode);
    expect(ran.errors).toContain(`${join(folder, 'a.docx')}: ${code}: So it is.\n`);
    expect(ran.errors).toContain('request id: req_1\n');
    expect(ran.errors).toMatch(words);
    const { error } = JSON.parse((await convert('--json')).errors);
    expect(error).toMatchObject({ code, message: 'So it is.', requestId: 'req_1', exitCode });
    expect(await readdir(folder)).toEqual(['a.docx']);
  });

  test('without a service, and with something else in its place', async () => {
    const offline = await command(['usage'], { env: { ...env, SCRIPTORIUM_URL: await closedUrl() } });
    expect(offline).toMatchObject({ code: 3 });
    expect(offline.errors).toMatch(
      /CONNECTION_FAILED: .*:\d+ failed \(ECONNREFUSED\)\.\n {2}what to do: Check SCRIPTORIUM_URL/,
    );
    answer = (_, response) => response.writeHead(404).end('<html>');
    expect((await command(['usage'], { env })).errors).toMatch(/UNEXPECTED_ANSWER: HTTP 404/);
  });

  test('of a message that would steer the terminal', async () => {
    answer = (_, response) =>
      response
        .writeHead(400)
        .end(JSON.stringify({ code: 'X', message: 'a\u001b[2Jb\u202ec', requestId: 'r' }));
    expect((await convert()).errors).toContain('a\\u{1b}[2Jb\\u{202e}c');
  });
});

describe('nothing is sent', () => {
  test.each([
    ['a file that is too large', ['convert', 'large.docx', '-o', 'a.pdf'], 1, 'FILE_TOO_LARGE'],
    ['standard input that is too large', ['convert', '-', '-o', 'a.pdf'], 1, 'FILE_TOO_LARGE'],
    ['a file that is not there', ['convert', 'b.docx', '-o', 'b.pdf'], 1, 'FILE_NOT_FOUND'],
    ['a folder', ['convert', '.', '-o', 'b.pdf'], 1, 'FILE_UNREADABLE'],
    ['two documents for one file', ['convert', 'a.docx', './a.docx', '-o', 'out/'], 2, 'USAGE'],
    ['two documents for standard output', ['convert', 'a.docx', 'a.docx'], 2, 'USAGE'],
    ['a result over its source', ['fill', 'a.docx', '-d', 'data.json', '-o', 'link.docx'], 2, 'USAGE'],
    ['two formats', ['convert', 'a.docx', '-o', 'a.pdf', '--to', 'txt'], 2, 'USAGE'],
    ['an unknown option', ['convert', 'a.docx', '--nonsense'], 2, 'USAGE'],
    ['an unknown command', ['convrt', 'a.docx'], 2, 'USAGE'],
    ['a file too many', ['inspect', 'a.docx', 'a.docx'], 2, 'USAGE'],
    ['data that is not JSON', ['fill', 'a.docx', '-d', 'a.docx.txt', '-o', 'b.docx'], 1, 'DATA_INVALID'],
    ['data without a format', ['generate', 'a.docx', '-d', '-', '-o', 'out'], 2, 'USAGE'],
    [
      'rows with two columns of one name',
      ['generate', 'a.docx', '-d', 'twice.csv', '-o', 'out'],
      1,
      'DATA_INVALID',
    ],
    ['rows of other lengths', ['generate', 'a.docx', '-d', 'short.csv', '-o', 'out'], 1, 'DATA_INVALID'],
    ['rows that are not JSON', ['generate', 'a.docx', '-d', 'rows.ndjson', '-o', 'out'], 1, 'DATA_INVALID'],
  ])('for %s', async (_name, args, exitCode, code) => {
    await writeFile(join(folder, 'large.docx'), 'x'.repeat(1_001));
    await writeFile(join(folder, 'a.docx.txt'), 'x');
    await writeFile(join(folder, 'data.json'), '{}');
    await writeFile(join(folder, 'twice.csv'), 'a,a\n1,2\n');
    await writeFile(join(folder, 'short.csv'), 'a,b\n1,2\n3\n');
    await writeFile(join(folder, 'rows.ndjson'), '{"a": 1}\n{"a": \n');
    await symlink('a.docx', join(folder, 'link.docx'));
    const before = process.cwd();
    process.chdir(folder);
    try {
      const ran = await command(args, { env, stdin: 'x'.repeat(1_001) });
      expect({ code: ran.code, errors: ran.errors }).toEqual({
        code: exitCode,
        errors: expect.stringContaining(code),
      });
    } finally {
      process.chdir(before);
    }
    expect(paths).toEqual([]);
    expect(await readFile(join(folder, 'a.docx'), 'utf8')).toBe('PK');
  });

  test('to a terminal', async () => {
    const ran = await command(['convert', join(folder, 'a.docx')], { env, isTerminal: true });
    expect([ran.code, ran.out.length]).toEqual([2, 0]);
  });
});

describe('the stored key', () => {
  const login = () =>
    command(['login', 'a@example.com', '--code', '123456'], { env: { ...env, SCRIPTORIUM_API_KEY: '' } });
  const file = () => join(folder, '.config/scriptorium/key.json');
  const withoutKey = () => ({ HOME: folder });

  test('is for its user only, and is never printed', async () => {
    answer = (_, response) => response.end('"scr_secret"');
    const ran = await login();
    expect(ran.code).toBe(0);
    expect(ran.text + ran.errors).not.toContain('scr_secret');
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, '.config/scriptorium'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(folder, '.config/scriptorium'))).toEqual(['key.json']);
  });

  test('goes to its own service, unless the environment names another key', async () => {
    answer = (_, response) => response.end('"scr_secret"');
    await login();
    let sent: string | undefined;
    answer = ({ headers }, response) => {
      sent = headers.authorization;
      response.end('{"keys": []}');
    };
    await command(['keys'], { env: withoutKey() });
    expect(sent).toBe('Bearer scr_secret');
    await command(['keys'], { env });
    expect(sent).toBe('Bearer scr_x');
    sent = undefined;
    const other = await command(['keys'], {
      env: { ...withoutKey(), SCRIPTORIUM_URL: url.replace('127.0.0.1', 'localhost') },
    });
    expect([other.code, sent]).toEqual([1, undefined]);
    expect(other.errors).toContain('KEY_MISSING');
  });

  test('is not used if others may read it', async () => {
    answer = (_, response) => response.end('"scr_secret"');
    await login();
    await chmod(file(), 0o644);
    expect((await command(['keys'], { env: withoutKey() })).errors).toContain('KEY_FILE_UNSAFE');
  });

  test('is missed with a word about what to do', async () => {
    const ran = await command(['keys'], { env: withoutKey() });
    expect([ran.code, ran.errors]).toEqual([1, expect.stringContaining('scriptorium login EMAIL')]);
  });
});

test('the help names every command, and each command its options', async () => {
  const { text } = await command([]);
  for (const name of 'login convert inspect lint fill generate merge sign verify usage keys doctor mcp'.split(
    ' ',
  )) {
    expect(text).toContain(`\n  ${name} `);
    expect((await command(['help', name])).text).toContain(`usage: scriptorium ${name}`);
  }
});

test('a table that no mark of the template reads makes no documents, and one that fits in part is named', async () => {
  await writeFile(join(folder, 'rows.csv'), 'naem;note\nAda;1\n');
  const names = (count: number, ...all: string[]) => ({ count, names: all });
  const inspected = (unmatched: object, unused: object) =>
    JSON.stringify({ fields: [], template: { data: { unmatched, unused } } });
  const generate = () =>
    command(['generate', join(folder, 'a.docx'), '-d', join(folder, 'rows.csv'), '-o', join(folder, 'out')], {
      env,
    });
  answer = (_, response) => response.end(inspected(names(1, 'name'), names(2, 'data.naem', 'data.note')));
  const wrong = await generate();
  expect([wrong.code, paths]).toEqual([1, ['/v1/templates/inspect']]);
  expect(wrong.errors).toMatch(/DATA_INVALID: .*naem, note\. It needs: name\./);
  answer = (request, response) => {
    if (request.url === '/v1/templates/inspect')
      return response.end(inspected(names(0), names(1, 'data.note')));
    return refuse(400, 'VALIDATION_ERROR')(request, response);
  };
  expect((await generate()).errors).toContain('No mark reads: note\n');
});

describe('lint', () => {
  const issue = { field: 'word/document.xml:paragraph[1]', issue: 'Unclosed loop: “{#a}”' };
  const reports = (issues: object[]): RequestListener => {
    return (_, response) => response.end(JSON.stringify({ fields: [], schema: {}, template: { issues } }));
  };

  test('names the mistakes of each template in a folder, and ends with 1', async () => {
    await mkdir(join(folder, 'more'));
    for (const name of ['more/b.dotx', '~$a.docx', 'notes.txt']) await writeFile(join(folder, name), 'PK');
    answer = reports([issue]);
    const { code, text, errors } = await command(['lint', folder], { env });
    const lines = ['a.docx', 'more/b.dotx'].map(
      (name) => `${join(folder, name)}: ${issue.field}: ${issue.issue}\n`,
    );
    expect([code, text, errors]).toEqual([1, lines.join(''), '2 templates, 2 mistakes\n']);
    expect(paths).toEqual(Array(2).fill('/v1/templates/inspect'));
  });

  test('writes copies with comments at the places that the templates have', async () => {
    await mkdir(join(folder, 'sub'), { recursive: true });
    await writeFile(join(folder, 'sub/c.dotx'), 'PK');
    answer = (request, response) => {
      if (request.url?.includes('to=docx') !== true) return reports([])(request, response);
      response.setHeader('x-template-doubts', request.url === '' ? '0' : '1');
      response.end('commented');
    };
    const out = join(folder, 'out');
    const { code } = await command(['lint', folder, '-o', out], { env });
    expect(code).toBe(0);
    expect(await readFile(join(out, 'sub/c.docx'), 'utf8')).toBe('commented');
    await rm(join(folder, 'sub'), { recursive: true });
    await rm(out, { recursive: true });
    const over = await command(['lint', folder, '-o', folder], { env });
    expect([over.code, over.errors]).toEqual([2, expect.stringContaining('would replace a template')]);
    const alone = await command(['lint', folder, '-d', 'data.json'], { env });
    expect([alone.code, alone.errors]).toEqual([2, expect.stringContaining('-o')]);
  });

  test('ends with 0 without mistakes, and names a template that cannot be read', async () => {
    answer = reports([]);
    expect(await command(['lint', folder, '--json'], { env })).toMatchObject({
      code: 0,
      text: '{"templates":1,"findings":[]}\n',
    });
    answer = refuse(400, 'INVALID_FILE_FORMAT');
    const { code, text } = await command(['lint', folder, '--json'], { env });
    const findings = [{ file: join(folder, 'a.docx'), field: 'document', issue: 'So it is.' }];
    expect([code, JSON.parse(text)]).toEqual([1, { templates: 1, findings }]);
    const empty = await command(['lint', join(folder, 'none')], { env });
    expect([empty.code, empty.errors]).toEqual([1, expect.stringContaining('FILE_NOT_FOUND')]);
  });
});
