import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { forgetMails, mailsTo } from '@scriptorium/testing/mail';
import { aimed, type Block, blocksOf, documentsToCopyFrom, type Target } from './readme.ts';
import {
  type Deployment,
  deploy,
  type ListeningProcess,
  startListening,
  until,
  untilReady,
} from './service.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const documents = await documentsToCopyFrom();

/** Commands that install, build and start the whole product: `.ci/run` and `npm run images:rehearse` run them. */
const STARTS_PRODUCT = new Set(['npm start', 'npm test', 'docker compose up --build']);

const EMAIL = 'you@example.com';
const CODE = '123456';

let service: Deployment;
let telemetry: ListeningProcess;
let target: Target;
let folder: string;

beforeAll(async () => {
  service = await deploy({ annotators: 1, signers: 1, verifiers: 1 });
  telemetry = await startListening('telemetry', { ...service.settings, COUNT_INTERVAL_MS: '100' });
  await untilReady(telemetry);
  target = { url: service.url, telemetryUrl: telemetry.url, key: await service.register() };
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-guides-'));
}, 120_000);
afterAll(async () => {
  await telemetry.end('SIGTERM');
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

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
  zip: 'PK',
  ndjson: '{"',
  mjs: 'import ',
  py: 'import ',
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

  test('contains only commands for a shell', () => {
    expect(blocks.length).toBeGreaterThan(0);
    for (const { language, section } of blocks)
      expect({ section, language }).toEqual({ section, language: 'sh' });
  });

  test('has commands that work when copied, in any shell', async () => {
    for (const { section, text } of blocks) {
      if (STARTS_PRODUCT.has(text.trim())) continue;
      const { stdout } = await run('sh', ['-euc', await asCopied(text)], {
        cwd: folder,
        env: { PATH: process.env.PATH, DATABASE_URL: service.settings.DATABASE_URL },
      });
      // A refusal is a normal response, for which curl does not fail.
      expect({ section, stdout }).toEqual({ section, stdout: expect.not.stringContaining('"requestId"') });
      if (text.includes('%{http_code}')) expect(stdout.trim()).toMatch(/202$/);
    }
    for (const name of await readdir(folder)) await expectSound(join(folder, name));
  }, 120_000);
});

test('the guides exist', () => {
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/guides/convert.md']));
});
