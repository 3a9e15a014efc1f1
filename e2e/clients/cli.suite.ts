import { type ChildProcess, spawn } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../service.ts';
import { mailedCode, type Stack, samples } from './stack.ts';

const main = fileURLToPath(new URL('../../clients/cli/src/main.ts', import.meta.url));
export const CLI = ['--conditions=source', main];

interface Ran {
  code: number | null;
  out: Buffer;
  text: string;
  errors: string;
}

/** The command against a running service. */
export function cliSuite(stack: () => Stack): void {
  let folder: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    folder = await stack().folder();
    const { url, key } = stack();
    env = { PATH: process.env.PATH ?? '', HOME: folder, SCRIPTORIUM_URL: url, SCRIPTORIUM_API_KEY: key };
    for (const name of ['sample.docx', 'sample-template.docx'])
      await copyFile(new URL(name, samples), join(folder, name));
  });

  const start = (args: readonly string[], more: Record<string, string> = {}) =>
    spawn(process.execPath, [...CLI, ...args], { cwd: folder, env: { ...env, ...more } });
  const ended = (child: ChildProcess): Promise<Ran> =>
    new Promise((resolve, reject) => {
      const [out, errors]: Buffer[][] = [[], []];
      child.stdout?.on('data', (chunk) => out?.push(chunk));
      child.stderr?.on('data', (chunk) => errors?.push(chunk));
      child.once('error', reject);
      child.once('close', (code) => {
        const bytes = Buffer.concat(out ?? []);
        resolve({ code, out: bytes, text: bytes.toString(), errors: Buffer.concat(errors ?? []).toString() });
      });
    });
  const run = async (args: readonly string[], input?: Buffer): Promise<Ran> => {
    const child = start(args);
    const end = ended(child);
    child.stdin?.end(input);
    return end;
  };
  const succeed = async (args: readonly string[], input?: Buffer): Promise<Ran> => {
    const ran = await run(args, input);
    expect({ args, code: ran.code, errors: ran.errors }).toMatchObject({ args, code: 0 });
    return ran;
  };
  const read = (name: string): Promise<Buffer> => readFile(join(folder, name));
  const beginning = async (name: string): Promise<string> => (await read(name)).subarray(0, 5).toString();

  describe('the command', () => {
    test('logs in with the code of a mail, and is then known', async () => {
      const email = 'command@example.com';
      const child = start(['login', email], { SCRIPTORIUM_API_KEY: '' });
      const end = ended(child);
      child.stdin?.write(`${await mailedCode(email)}\n`);
      expect(await end).toMatchObject({ code: 0, text: expect.stringContaining('key.json') });
      expect((await stat(join(folder, '.config/scriptorium/key.json'))).mode & 0o777).toBe(0o600);
      const keys = start(['keys', '--json'], { SCRIPTORIUM_API_KEY: '', SCRIPTORIUM_URL: '' });
      expect(JSON.parse((await ended(keys)).text)).toMatchObject([{ current: true }]);
    });

    test('converts files into a folder, and standard input to standard output', async () => {
      await writeFile(join(folder, 'notes.md'), '# Notes');
      const { text } = await succeed(['convert', 'sample.docx', 'notes.md', '-o', 'out/', '--json']);
      const lines = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines.map(({ output }) => output).sort()).toEqual(['out/notes.pdf', 'out/sample.pdf']);
      expect(await readdir(join(folder, 'out'))).toEqual(['notes.pdf', 'sample.pdf']);
      expect(await beginning('out/notes.pdf')).toBe('%PDF-');
      await writeFile(join(folder, 'items.csv'), 'item;pieces\nEngine;1\n');
      const csv = ['convert', 'items.csv', '--delimiter', ';', '--image-quality', '80', '--no-tagged'];
      await succeed([...csv, '-o', 'items.pdf']);
      expect(await beginning('items.pdf')).toBe('%PDF-');
      const piped = await succeed(['convert', '-', '--to', 'txt'], await read('sample.docx'));
      expect(piped.text).toContain('A sample letter');
      const some = await run([
        'convert',
        'sample.docx',
        '.config/scriptorium/key.json',
        '-o',
        'out',
        '--from',
        'docx',
      ]);
      expect(some).toMatchObject({
        code: 1,
        errors: expect.stringMatching(/key\.json: INVALID_FILE_FORMAT: [\s\S]*req_/),
      });
    });

    test('fills, merges, signs and verifies, and its exit code is the verdict', async () => {
      await writeFile(
        join(folder, 'data.json'),
        '{"customer_name": "Ada", "order_number": 1842, "nothing": 1}',
      );
      expect((await succeed(['inspect', 'sample-template.docx'])).text).toMatch(
        /\norder_number +order_number.* text /,
      );
      const types = await succeed(['inspect', 'sample-template.docx', '--types', '--name', 'Order']);
      expect(types.text).toMatch(/^export type Order = \{\n/);
      const filled = await succeed(['fill', 'sample-template.docx', '-d', 'data.json', '-o', 'filled.pdf']);
      expect(filled.errors).toBe('warning: 1 values have no place or are missing: nothing\n');
      await succeed(['merge', 'filled.pdf', 'sample.docx', '-o', 'merged.pdf']);
      const signer = ['--name', 'Ada', '--email', 'ada@example.com'];
      await succeed(['sign', 'merged.pdf', ...signer, '-o', 'signed.pdf']);
      const verified = await succeed(['verify', 'signed.pdf', '--trust', 'service']);
      expect(verified.text).toMatch(
        /^signed\.pdf: valid\n {2}integrity: intact, [\s\S]*PAdES B-B, by [\s\S]*audit trail: intact/,
      );
      const bytes = await read('signed.pdf');
      bytes[bytes.indexOf('stream') + 40] = (bytes[bytes.indexOf('stream') + 40] ?? 0) ^ 1;
      expect(await run(['verify', '-', '--json'], bytes)).toMatchObject({
        code: 4,
        text: expect.stringContaining('"verdict":"invalid"'),
      });
      expect(await run(['verify', 'merged.pdf'])).toMatchObject({
        code: 4,
        text: expect.stringMatching(/^merged\.pdf: unsigned/),
      });
    });

    test('starts jobs, waits for them and fetches each result once', async () => {
      const [id = ''] = (await succeed(['convert', 'sample.docx', '--async'])).text.split(' ');
      await succeed(['jobs', 'get', id, '-o', 'later.pdf']);
      expect(await beginning('later.pdf')).toBe('%PDF-');
      expect(await run(['jobs', 'get', id, '-o', 'again.pdf'])).toMatchObject({
        ...{ code: 1, errors: expect.stringContaining('GONE') },
      });
      await writeFile(join(folder, 'broken.json'), '{"document": {"path": "broken.json"}}');
      expect(await run(['jobs', 'start', 'merge', 'broken.json'])).toMatchObject({
        ...{ code: 1, errors: expect.stringContaining('documents') },
      });
      await writeFile(
        join(folder, 'merging.json'),
        '{"documents": [{"path": "sample.docx"}, {"path": "broken.json"}]}',
      );
      const merging = [
        'jobs',
        'start',
        'merge',
        'merging.json',
        '--query',
        'to=pdf',
        '--idempotency-key',
        'm',
        '--json',
      ];
      const job = JSON.parse((await succeed(merging)).text);
      expect(JSON.parse((await succeed(merging)).text).id).toBe(job.id);
      expect(await run(['jobs', 'wait', job.id])).toMatchObject({
        ...{ code: 1, text: expect.stringMatching(/merge .* failed/) },
        errors: expect.stringMatching(/documents\[1\]/),
      });
      expect((await succeed(['jobs'])).text).toContain(job.id);
    });

    test('makes a document of data, and one of each row with its progress on a terminal', async () => {
      await writeFile(join(folder, 'one.json'), '{"order_number": 1}');
      await succeed(['generate', 'sample-template.docx', '-d', 'one.json', '-o', 'one.pdf']);
      expect(await beginning('one.pdf')).toBe('%PDF-');
      const rows = Array.from({ length: 20 }, (_, at) => `"Smith, No. ${at + 1}",${at + 1}`);
      await writeFile(
        join(folder, 'rows.csv'),
        `\ufeffcustomer_name,order_number\r\n${rows.join('\r\n')}\r\n`,
      );
      const args = 'generate sample-template.docx -d rows.csv --name-column customer_name -o letters'.split(
        ' ',
      );
      const command = [process.execPath, ...CLI, ...args].map((part) => `'${part}'`).join(' ');
      const terminal = spawn('script', ['-qec', command, '/dev/null'], {
        cwd: folder,
        env: { ...env, TERM: 'xterm' },
      });
      const shown = await ended(terminal);
      expect(shown.text).toContain(`[${'#'.repeat(24)}] 20/20  100 %`);
      expect(shown.text).toContain('20 made, 0 were there, 0 failed, in letters');
      const names = (await readdir(join(folder, 'letters'))).filter((name) => name.endsWith('.docx'));
      expect(names).toHaveLength(20);
      expect(names[19]).toBe('000020-Smith_ No. 20.docx');
    });

    test('goes on with a batch that was killed, and makes again what failed or differs', async () => {
      const line = (id: number, more = {}) =>
        `${JSON.stringify({ id, data: { order_number: id }, ...more })}\n`;
      const write = (last: string) =>
        writeFile(
          join(folder, 'rows.ndjson'),
          Array.from({ length: 299 }, (_, id) => line(id)).join('') + last,
        );
      await write('{"id": 299, "fields": [{"id": "x"}]}\n');
      const args = [
        'generate',
        'sample-template.docx',
        '-d',
        'rows.ndjson',
        '-o',
        'many',
        '--envelope',
        '--json',
      ];
      const first = start(args);
      await until('some documents are there', async () => (await readdir(join(folder, 'many'))).length > 20);
      first.kill('SIGKILL');
      await ended(first);
      const second = await run(args);
      const lines = second.text
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text));
      const { summary } = lines.at(-1);
      expect(summary).toMatchObject({ failed: 1, total: 300 });
      expect(summary.before).toBeGreaterThan(15);
      expect(summary.before + summary.made).toBe(299);
      expect(second.code).toBe(1);
      const faults = lines.filter((one) => 'error' in one);
      expect(faults).toMatchObject([{ row: 300, error: { code: 'VALIDATION_ERROR' } }]);
      await write(line(299));
      await writeFile(join(folder, 'many/000007.docx'), 'PK');
      expect((await succeed(args)).text).toContain(
        '"summary":{"before":298,"made":2,"failed":0,"total":300}',
      );
      const names = (await readdir(join(folder, 'many'))).filter((name) => name.endsWith('.docx'));
      expect(names).toHaveLength(300);
      expect((await stat(join(folder, 'many/000007.docx'))).size).toBeGreaterThan(1_000);
      expect(await run([...args, '--locale', 'de'])).toMatchObject({
        code: 2,
        errors: expect.stringContaining('--restart'),
      });
    });

    test('examines the way to the service, and reads usage', async () => {
      const { text } = await succeed(['doctor']);
      expect(text.match(/^ok {4}(settings|service|health|key): /gm)).toHaveLength(4);
      expect(
        JSON.parse((await succeed(['usage', '--granularity', 'month', '--json'])).text).granularity,
      ).toBe('month');
      await mkdir(join(folder, 'empty'), { recursive: true });
      const lost = start(['doctor'], { SCRIPTORIUM_URL: 'http://127.0.0.1:1' });
      expect(await ended(lost)).toMatchObject({
        code: 3,
        text: expect.stringContaining('FAIL  service: CONNECTION_FAILED'),
      });
    });
  });
}
