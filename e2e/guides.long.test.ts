import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { forgetMails, mailsTo } from '@scriptorium/testing/mail';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { aimed, type Block, blocksOf, documentsToCopyFrom, type Target } from './readme.ts';
import {
  type Deployment,
  deploy,
  type ListeningProcess,
  startListening,
  until,
  untilReady,
} from './service.ts';
import { listsIn } from './trusted-lists.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const documents = await documentsToCopyFrom();

/** Commands that install, build and start the whole product: `.ci/run` and `npm run images:try` run them. */
const STARTS_PRODUCT = new Set(['npm start', 'npm test', 'docker compose up --build']);

const EMAIL = 'you@example.com';
const CODE = '123456';

let service: Deployment;
let telemetry: ListeningProcess;
let pki: Pki;
let target: Target;
/** Where the blocks run. Above it are the programs and packages that their reader has installed. */
let folder: string;
let environment: Record<string, string | undefined>;

beforeAll(async () => {
  const installed = await mkdtemp(join(tmpdir(), 'scriptorium-guides-'));
  pki = await createPki();
  const settings = await listsIn(installed, pki);
  service = await deploy({ annotators: 1, signers: 1, verifiers: 1, settings });
  telemetry = await startListening('telemetry', { ...service.settings, COUNT_INTERVAL_MS: '100' });
  await untilReady(telemetry);
  target = { url: service.url, telemetryUrl: telemetry.url, key: await service.register() };
  folder = join(installed, 'work');
  await install(installed);
});
afterAll(async () => {
  await telemetry.end('SIGTERM');
  await service.close();
  await pki.close();
  await rm(join(folder, '..'), { recursive: true, force: true });
});

/** Installs the command, and the packages of clients, from their sources. */
async function install(place: string): Promise<void> {
  for (const path of ['work', 'bin', 'node_modules/@scriptorium'])
    await mkdir(join(place, path), { recursive: true });
  await symlink(join(root, 'clients/sdk'), join(place, 'node_modules/@scriptorium/client'));
  await symlink(join(root, 'packages/signatures'), join(place, 'node_modules/@scriptorium/signatures'));
  await symlink(join(root, 'node_modules/@types'), join(place, 'node_modules/@types'));
  const main = join(root, 'clients/cli/src/main.ts');
  const script = `#!/bin/sh\nexec '${process.execPath}' --conditions=source '${main}' "$@"\n`;
  await writeFile(join(place, 'bin/scriptorium'), script, { mode: 0o755 });
  environment = {
    PATH: `${join(place, 'bin')}:${process.env.PATH}`,
    HOME: place,
    DATABASE_URL: service.settings.DATABASE_URL,
    SCRIPTORIUM_URL: target.url,
    SCRIPTORIUM_API_KEY: target.key,
    KEY: target.key,
    PYTHONPATH: join(root, 'clients/python/src'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
}

/** Compiles TypeScript as strictly as a reader may, and runs it. */
async function runTypeScript(text: string): Promise<{ stdout: string }> {
  const file = join(folder, 'example.mts');
  await writeFile(file, text);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const options = '--noEmit --strict --target es2024 --module nodenext --skipLibCheck --types node'.split(
    ' ',
  );
  const source = ['--customConditions', 'source', '--allowImportingTsExtensions'];
  try {
    await run(process.execPath, [tsc, ...options, ...source, file], { cwd: folder });
    return await run(process.execPath, ['--conditions=source', file], { cwd: folder, env: environment });
  } finally {
    await rm(file);
  }
}

/** Runs a block. TypeScript and Python stand for a file of the reader's. */
async function runBlock({ language, text }: Block): Promise<{ stdout: string }> {
  // The shape of a body. It names servers that are not there.
  if (language === 'json') return { stdout: JSON.stringify(JSON.parse(text)) };
  if (language === 'ts') return runTypeScript(aimed(text, target));
  if (language === 'python')
    return run('python3', ['-c', aimed(text, target)], { cwd: folder, env: environment });
  return run('sh', ['-euc', await asCopied(text)], { cwd: folder, env: environment });
}

/** The last code that the mail catcher received for the documents' address. */
async function mailedCode(): Promise<string> {
  let code: string | undefined;
  await until('the code comes by mail', async () => {
    const texts = (await mailsTo(EMAIL)).map(({ text }) => /code: (\d{6})/.exec(text)?.[1]);
    code = texts.find((found) => found !== undefined);
    return code !== undefined;
  });
  await forgetMails(EMAIL);
  return code ?? '';
}

async function keyId(): Promise<string> {
  const headers = { authorization: `Bearer ${target.key}` };
  const answer = await fetch(`${target.url}/v1/auth/keys`, { headers });
  const { keys } = (await answer.json()) as { keys: { id: string; current: boolean }[] };
  return keys.find(({ current }) => current)?.id ?? '';
}

/** The commands as a reader would adapt them, run from the sources instead of a build. */
async function asCopied(commands: string): Promise<string> {
  let text = aimed(commands, target);
  if (text.includes(CODE)) text = text.replace(CODE, await mailedCode());
  if (text.includes('key_…')) text = text.replace('key_…', await keyId());
  const licenses = `'${process.execPath}' --conditions=source ${root}services/telemetry/src/licenses.ts`;
  return text.replaceAll('npm run licenses --', licenses);
}

/** The first bytes of a file that a document lets its reader create. */
const BEGINNINGS: Record<string, string> = {
  pdf: '%PDF-',
  docx: 'PK',
  png: '\x89PNG',
  txt: 'A sample letter',
  bin: '--',
  html: '<!doctype html>',
  json: '{',
  zip: 'PK',
  ndjson: '{"',
  csv: '',
};

async function expectSound(path: string): Promise<void> {
  const text = (await readFile(path)).toString('latin1');
  const beginning = BEGINNINGS[path.split('.').pop() ?? ''];
  expect({ path, begins: text.replace(/^(\xef\xbb\xbf)?\s*/, '').slice(0, beginning?.length) }).toEqual({
    path,
    begins: beginning,
  });
}

describe.each(documents)('%s', (document) => {
  let blocks: Block[];
  beforeAll(async () => {
    blocks = await blocksOf(document);
  });

  test('contains only code that runs', async () => {
    const text = await readFile(join(root, document), 'utf8');
    expect(blocks.length * 2).toBe(text.match(/^```/gm)?.length ?? 0);
    for (const { language, section } of blocks)
      expect({ section, language }).toEqual({
        section,
        language: expect.stringMatching(/^(sh|ts|python|json)$/),
      });
  });

  test('has commands that work when copied, in any shell', async () => {
    for (const block of blocks) {
      const { section, text } = block;
      if (STARTS_PRODUCT.has(text.trim())) continue;
      const { stdout } = await runBlock(block);
      // A refusal is a normal response, for which curl does not fail.
      expect({ section, stdout }).toEqual({ section, stdout: expect.not.stringContaining('"requestId"') });
      if (text.includes('%{http_code}')) expect(stdout.trim()).toMatch(/202$/);
    }
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile() && !entry.name.startsWith('.'))
        await expectSound(join(entry.parentPath, entry.name));
  });
});

test('the guides exist', () => {
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/guides/convert.md']));
});
