import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { Scriptorium } from '@scriptorium/client';
import { parse } from 'yaml';
import { launchBrowser } from '../browser.ts';
import { clientModule, type Stack, samples } from './stack.ts';

const run = promisify(execFile);
const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const githubParser = fileURLToPath(new URL('github-parser.ts', import.meta.url));
const sample = fileURLToPath(new URL('sample.docx', samples));

type Ended = { code: number; stdout: string; stderr: string };

/** Runs a program of an example to its end, whatever that is. */
async function ended(program: string, args: string[], options: object): Promise<Ended> {
  const result = (await run(program, args, options).catch((error) => error)) as Ended;
  return { code: result.code ?? 0, stdout: result.stdout, stderr: result.stderr };
}

const textOf = async (pdf: string): Promise<string> => (await run('pdftotext', ['-layout', pdf, '-'])).stdout;

const environmentOf = ({ url, key }: Stack, more: Record<string, string> = {}) => ({
  PATH: process.env.PATH,
  SCRIPTORIUM_URL: url,
  SCRIPTORIUM_API_KEY: key,
  ...more,
});

/** The programs of `examples`, each as its README starts it. */
export function examplesSuite(stack: () => Stack, site: () => Server): void {
  test('node-express-invoice answers an order with a signed invoice, and refuses half an order', async () => {
    const { server, address } = await startInvoices(environmentOf(stack(), { PORT: '0' }));
    const post = (order: object) =>
      fetch(`${address}/invoices`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(order),
      });
    try {
      const items = [
        { name: 'Punched cards', quantity: 400, priceCents: 8 },
        { name: 'Gears', quantity: 3, priceCents: 1999 },
      ];
      const order = { number: '2026-1842', customer: 'Charles Babbage', address: '1 Dorset Street', items };
      const answer = await post(order);
      const pdf = new Uint8Array(await answer.arrayBuffer());
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename=invoice-2026-1842.pdf');
      const { url: baseUrl, key: apiKey } = stack();
      const client = new Scriptorium({ baseUrl, apiKey });
      expect(await client.verify(pdf, { trust: { profile: 'service' } })).toMatchObject({ verdict: 'valid' });
      const file = join(await stack().folder(), 'invoice.pdf');
      await writeFile(file, pdf);
      const text = await textOf(file);
      for (const words of ['Invoice 2026-1842', 'Punched cards', '€32.00', '€59.97', '€91.97'])
        expect(text).toContain(words);
      const refused = await post({ ...order, items: [] });
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('items')]);
    } finally {
      server.kill();
    }
  });

  test('node-express-invoice hides why the service refused, and names the request', async () => {
    const { server, address } = await startInvoices(
      environmentOf(stack(), { PORT: '0', SCRIPTORIUM_API_KEY: 'scr_none' }),
    );
    const item = { name: 'Gear', quantity: 1, priceCents: 1 };
    const order = { number: '1', customer: 'Ada', address: 'London', items: [item] };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${address}/invoices`, {
      ...{ method: 'POST', headers, body: JSON.stringify(order) },
    });
    server.kill();
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { error: 'The invoice could not be made.', requestId: expect.stringMatching(/^req_/) },
    ]);
  });

  test('python-batch makes a letter of each row, and reports the row that lacks a value', async () => {
    const folder = await stack().folder();
    const env = environmentOf(stack(), {
      PYTHONPATH: fileURLToPath(new URL('../../clients/python/src', import.meta.url)),
      PYTHONDONTWRITEBYTECODE: '1',
    });
    const script = join(examples, 'python-batch/make_letters.py');
    const table = await readFile(join(examples, 'python-batch/members.csv'), 'utf8');
    await writeFile(join(folder, 'members.csv'), table.replace('Arlington', ''));
    const made = await ended('python3', [script, 'members.csv', 'letters'], { cwd: folder, env });
    expect(made).toMatchObject({
      code: 1,
      stdout: '4 letters in letters, 1 rows failed\n',
      stderr: expect.stringMatching(/^row 3 \(Grace Hopper\): DATA_MISSING: data\.city/),
    });
    expect((await readdir(join(folder, 'letters'))).sort()).toEqual([
      '000001-Ada Lovelace.pdf',
      '000002-Babbage_ Charles.pdf',
      '000004-Ибрагим Аль-Джазари.pdf',
      '000005-مريم الأسطرلابي.pdf',
    ]);
    expect(await textOf(join(folder, 'letters/000002-Babbage_ Charles.pdf'))).toContain('€95.50');
  });

  test('java fills a template, and shows a refusal as the service wrote it', async () => {
    const folder = await stack().folder();
    const template = fileURLToPath(new URL('sample-template.docx', samples));
    const data = join(folder, 'data.json');
    const fill = (env: Record<string, string> = {}) =>
      ended('java', [join(examples, 'java/FillTemplate.java'), template, data, 'filled.pdf'], {
        cwd: folder,
        env: environmentOf(stack(), env),
      });
    await writeFile(data, JSON.stringify({ customer_name: 'Żaneta Müller', order_number: 1842 }));
    expect(await fill()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^filled\.pdf: \d+ bytes/) });
    expect(await textOf(join(folder, 'filled.pdf'))).toContain('Żaneta Müller');
    expect(await fill({ SCRIPTORIUM_API_KEY: 'scr_none' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"AUTHENTICATION_ERROR"'),
    });
  });

  test('browser-direct converts a document from another site, if the service permits the site', async () => {
    const { url, key } = stack();
    const port = (site().address() as { port: number }).port;
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const convert = async (host: string, name: string, buffer: Buffer) => {
        await page.goto(`http://${host}:${port}/`);
        await page.getByLabel('Service').fill(url);
        await page.getByLabel('API key').fill(key);
        const file = { name, mimeType: 'application/octet-stream', buffer };
        await page.getByLabel('Document').setInputFiles(file);
        await page.getByRole('button', { name: 'Convert to PDF' }).click();
      };
      await convert('127.0.0.1', 'Brief für Ada.docx', await readFile(sample));
      const saved = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Save Brief für Ada.pdf' }).click();
      expect((await readFile(await (await saved).path())).subarray(0, 5).toString()).toBe('%PDF-');
      await convert('127.0.0.1', 'not.docx', Buffer.from('not a document'));
      await page.getByText(/^INVALID_FILE_FORMAT: .* · req_/).waitFor();
      await convert('localhost', 'letter.docx', await readFile(sample));
      await page.getByText(/^CONNECTION_FAILED/).waitFor();
    } finally {
      await browser.close();
    }
  });

  test('github-action converts the documents of a folder, and reports one that fails at its file', async () => {
    const folder = await stack().folder();
    await mkdir(join(folder, 'contracts/2026, "new"'), { recursive: true });
    await copyFile(sample, join(folder, 'contracts/a letter.docx'));
    await copyFile(sample, join(folder, 'contracts/2026, "new"/100% ✓.docx'));
    await writeFile(join(folder, 'contracts/broken,1.docx'), 'not a document');
    const { env, script } = await actionOf({
      url: stack().url,
      'api-key': stack().key,
      documents: 'contracts',
      out: 'pdf',
    });
    const more = { ...env, GITHUB_OUTPUT: join(folder, 'output') };
    // As runners start steps: docs.github.com, "jobs.<job_id>.steps[*].shell".
    const shell = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
    const made = await ended('bash', shell, { cwd: folder, env: environmentOf(stack(), more) });
    expect(made).toMatchObject({ code: 1, stdout: expect.stringContaining('2 converted, 1 failed') });
    expect(made.stdout).toMatch(
      /^::error file=contracts\/broken%2C1\.docx::INVALID_FILE_FORMAT: .*\(req_\w+\)$/m,
    );
    expect(await readFile(more.GITHUB_OUTPUT, 'utf8')).toBe('count=2\n');
    for (const name of ['a letter.pdf', '2026, "new"/100% ✓.pdf'])
      expect((await readFile(join(folder, 'pdf', name))).subarray(0, 5).toString()).toBe('%PDF-');
  });

  test.each([
    ['action.yml', 'parseAction', 'shell:'],
    ['workflow.yml', 'parseWorkflow', 'runs-on:'],
  ])('github-action has a file %s that follows the schema of GitHub', async (name, parser, needed) => {
    const content = await readFile(join(examples, 'github-action', name), 'utf8');
    const faultsOf = async (text: string) => {
      const { stdout } = await run(process.execPath, [githubParser, parser, text]);
      return JSON.parse(stdout) as string[];
    };
    expect(await faultsOf(content)).toEqual([]);
    expect(await faultsOf(content.replace(needed, 'nonsense:'))).not.toEqual([]);
  });

  test('k8s-kind converts, signs and verifies the sample of a service', async () => {
    const trip = await ended(join(examples, 'k8s-kind/trip.sh'), [], { env: environmentOf(stack()) });
    expect(trip).toEqual({ code: 0, stdout: 'valid\n', stderr: '' });
  });
}

async function startInvoices(
  env: Record<string, string | undefined>,
): Promise<{ server: ChildProcess; address: string }> {
  const cwd = join(examples, 'node-express-invoice');
  const server = spawn(process.execPath, ['--conditions=source', 'server.ts'], { cwd, env });
  const [line] = await Promise.race([
    once(server.stdout, 'data'),
    once(server, 'exit').then(() => Promise.reject(new Error('the example ended'))),
  ]);
  return { server, address: String(line).trim() };
}

interface Action {
  inputs: Record<string, { required?: boolean; default?: string }>;
  runs: { using: string; steps: { run: string; env: Record<string, string> }[] };
}

/** The command and the environment of the action's only step, as a runner makes them of its inputs. */
async function actionOf(given: Record<string, string>) {
  const read = async (name: string) => parse(await readFile(join(examples, 'github-action', name), 'utf8'));
  const { inputs, runs } = (await read('action.yml')) as Action;
  const [step] = runs.steps;
  const named = Object.entries(inputs).map(([name, input]) => [name, given[name] ?? input.default ?? '']);
  const values: Record<string, string> = Object.fromEntries(named);
  const env = Object.entries(step?.env ?? {}).map(([name, text]) => [
    name,
    text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input: string) => values[input] ?? '(no such input)'),
  ]);
  // What the workflow beside it gives are inputs, and those that must be given.
  const workflow = await read('workflow.yml');
  const use = workflow.jobs.convert.steps.find(({ uses }: { uses: string }) => uses.startsWith('./'));
  const required = Object.keys(inputs).filter((name) => inputs[name]?.required);
  expect(Object.keys(use.with)).toEqual(expect.arrayContaining(required));
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(use.with)));
  return {
    script: step?.run ?? '',
    env: { ...Object.fromEntries(env), GITHUB_ACTION_PATH: join(examples, 'github-action') },
  };
}

const TYPES: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };

/** Serves the example for browsers, as any static server does, with the client beside it. */
export async function startExampleSite(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '/').replace(/\/$/, '/index.html');
    const name = path.replace('/client/', '');
    const content = path.startsWith('/client/')
      ? await clientModule(name.replace(/\.js$/, '.ts'), '.js')
      : await readFile(join(examples, 'browser-direct', path));
    response.setHeader('content-type', TYPES[path.split('.').pop() ?? ''] ?? 'application/octet-stream');
    response.end(content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
