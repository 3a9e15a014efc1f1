import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { few, isWhole, testInNightly, testInWhole } from '@scriptorium/testing/extent';
import type { Browser, Locator, Page } from 'playwright-core';
import {
  flawsOf,
  IS_TOO_WIDE,
  launchBrowser,
  proxyBelow,
  tabTo,
  untilShown,
  type Watched,
  watchedPage,
} from './browser.ts';
import { type Deployment, deploy } from './service.ts';
import { boundsSuite } from './try/bounds.suite.ts';
import { codeSuite } from './try/code.suite.ts';
import { docsSuite } from './try/docs.suite.ts';
import type { TryStack } from './try/stack.ts';
import { waysSuite } from './try/ways.suite.ts';

const run = promisify(execFile);
const dist = fileURLToPath(new URL('../pages/try/dist/', import.meta.url));
const sample = fileURLToPath(new URL('../services/gateway/assets/sample.docx', import.meta.url));

/** Trial keys of the whole file: the last test uses up what is left. */
const TRIAL_KEYS = 24;
const KIB = 1024;
const TABS = ['Convert', 'Fill', 'Merge', 'Sign', 'Verify', 'Batch', 'Usage & keys'];

let service: Deployment;
let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-try-'));
  [service, browser] = await Promise.all([
    deploy({
      annotators: 1,
      signers: 1,
      verifiers: 1,
      settings: { TRIAL: 'on', TRIAL_KEYS_PER_HOUR_MAX: String(TRIAL_KEYS), QUEUE_WAIT_MS_MAX: '10000' },
    }),
    launchBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

async function visit(width: number, path = '/try/'): Promise<Watched> {
  const watched = await watchedPage(browser, new URL(service.url).origin, width);
  await watched.page.goto(path.startsWith('/') ? service.url + path : path);
  return watched;
}

const openTab = (page: Page, name: string) => page.getByRole('tab', { name }).click();

describe.each(few([1280, 390], 1, 1))('the page at %i px', (width) => {
  test('takes a document from the sample to an invalid signature, without a flaw', async () => {
    const { page, faults } = await visit(width);
    expect(await flawsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Convert the sample' }).click();
    await untilShown(page, 'A sample letter');
    await page.getByText('Nothing was lost or replaced').or(page.locator('.remarks')).first().waitFor();
    expect(await flawsOf(page)).toEqual([]);
    await openTab(page, 'Fill');
    await page.getByRole('button', { name: 'Use the sample template' }).click();
    await untilShown(page, 'Ada Lovelace');
    await page.getByLabel('Customer name').fill('Grace Hopper');
    await untilShown(page, 'Grace Hopper');
    expect(await flawsOf(page)).toEqual([]);
    await openTab(page, 'Sign');
    await page.locator('.placed:visible').waitFor();
    expect(await flawsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign', exact: true }).click();
    await page.getByRole('heading', { name: 'Signed' }).waitFor();
    await page.getByRole('button', { name: 'Verify it' }).click();
    await page.locator('[data-verdict^="valid"]').waitFor();
    expect(await flawsOf(page)).toEqual([]);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save this report as a PDF' }).click();
    expect((await readFile(await (await saved).path())).subarray(0, 5).toString()).toBe('%PDF-');
    await page.getByRole('button', { name: 'Change one byte' }).click();
    await page.locator('[data-verdict="invalid"]').waitFor();
    expect(await flawsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  testInWhole('makes and signs the documents of a table, and gives a key by mail its place', async () => {
    const { page, faults } = await visit(width, '/try/#batch');
    await page.getByRole('button', { name: 'Use the sample template' }).click();
    await page.getByRole('button', { name: 'Use sample rows' }).click();
    await page.getByLabel('Sign each document').check();
    await page.getByRole('button', { name: 'Make 3 documents' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save documents.zip' }).click();
    const archive = join(folder, `documents-${width}.zip`);
    await (await saved).saveAs(archive);
    const { stdout } = await run('python3', ['-c', READ_ZIP, archive]);
    expect(JSON.parse(stdout)).toEqual([
      ['1.pdf', true],
      ['2.pdf', true],
      ['3.pdf', true],
    ]);
    expect(await flawsOf(page)).toEqual([]);
    await openTab(page, 'Usage & keys');
    await page.getByText('A trial key, without sign-up').waitFor();
    expect(await flawsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

const READ_ZIP = `import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps([[name, b'/ByteRange' in archive.read(name)] for name in archive.namelist()]))`;

testInNightly('a mouse makes a signed PDF with four clicks', async () => {
  const { page, faults } = await visit(1280);
  let clicks = 0;
  const click = async (target: Locator): Promise<void> => {
    await target.click();
    clicks += 1;
  };
  await click(page.getByRole('tab', { name: 'Sign' }));
  await click(page.getByRole('button', { name: 'Use the sample' }));
  await page.locator('.placed:visible').waitFor();
  await click(page.getByRole('button', { name: 'Sign', exact: true }));
  await page.getByRole('heading', { name: 'Signed' }).waitFor();
  const saved = page.waitForEvent('download');
  await click(page.getByRole('button', { name: 'Save', exact: true }));
  expect(await readFile(await (await saved).path(), 'latin1')).toContain('/ByteRange');
  expect(clicks).toBe(4);
  expect(faults).toEqual([]);
  await page.context().close();
});

testInWhole('the keyboard alone makes a signed PDF', async () => {
  const { page, faults } = await visit(1280);
  await page.locator('.drop').waitFor();
  let keys = await tabTo(page, '[role=tab]');
  const press = async (...names: string[]): Promise<void> => {
    for (const name of names) await page.keyboard.press(name);
    keys += names.length;
  };
  await press('ArrowRight', 'ArrowRight', 'ArrowRight');
  keys += await tabTo(page, '#panel-sign .link');
  await press('Enter');
  await page.locator('.placed:visible').waitFor();
  keys += await tabTo(page, '#panel-sign .primary.wide');
  await press('Enter');
  await page.getByRole('heading', { name: 'Signed' }).waitFor();
  keys += await tabTo(page, '.preview-bar .primary');
  const saved = page.waitForEvent('download');
  await press('Enter');
  const path = join(folder, 'by-keyboard.pdf');
  await (await saved).saveAs(path);
  expect((await readFile(path, 'latin1')).includes('/ByteRange')).toBe(true);
  expect(keys).toBeLessThan(40);
  expect(faults).toEqual([]);
  await page.context().close();
});

testInWhole('no tab is wider than 320 px, also with long names', async () => {
  const { page } = await visit(320);
  const long = `${'Rechnungsbestätigung'.repeat(8)}.docx`;
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({
      name: long,
      mimeType: 'application/octet-stream',
      buffer: await readFile(sample),
    });
  await untilShown(page, 'A sample letter');
  for (const name of TABS) {
    await openTab(page, name);
    expect({ name, isTooWide: await page.evaluate(IS_TOO_WIDE) }).toEqual({ name, isTooWide: false });
  }
  await page.context().close();
});

test('the first load and the preview are small', async () => {
  const html = await readFile(join(dist, 'index.html'), 'utf8');
  const first = [
    'index.html',
    ...[...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name]) => name ?? ''),
  ];
  const sizeOf = async (names: string[]) =>
    (await Promise.all(names.map((name) => stat(join(dist, `${name}.gz`))))).reduce(
      (sum, { size }) => sum + size,
      0,
    );
  expect(first.length).toBeGreaterThan(2);
  expect(await sizeOf(first)).toBeLessThan(60 * KIB);
  const preview = (await readdir(join(dist, 'assets'))).filter((name) => /^pdf-view.*\.js$/.test(name));
  expect(preview).toHaveLength(1);
  expect(await sizeOf(preview.map((name) => join('assets', name)))).toBeLessThan(520 * KIB);
});

test('files are compressed, hashed ones for a year, and under a strict policy', async () => {
  const answer = await fetch(`${service.url}/try`, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([308, 'try/']);
  const page = await fetch(`${service.url}/try/`);
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none';script-src 'self';style-src 'self';/,
  );
  const script = /src="\.\/(assets\/[^"]+)"/.exec(await page.text())?.[1];
  const asset = await fetch(`${service.url}/try/${script}`, { headers: { 'accept-encoding': 'br' } });
  expect(asset.headers.get('cache-control')).toContain('immutable');
  expect(asset.headers.get('content-encoding')).toBe('br');
  const bundle = await fetch(`${service.url}/assets/swagger-ui/swagger-ui-bundle.js`, {
    headers: { 'accept-encoding': 'br' },
  });
  expect(bundle.headers.get('content-encoding')).toBe('br');
});

testInWhole('a file that is dropped on the start page is converted', async () => {
  const { page, faults } = await visit(390, '/');
  expect(await flawsOf(page)).toEqual([]);
  await page.locator('.drop input').setInputFiles(sample);
  await untilShown(page, 'A sample letter');
  expect(await page.evaluate('indexedDB.databases().then((all) => all.length)')).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});

testInWhole('the page works below a path of a proxy', async () => {
  const { origin, close } = await proxyBelow('/sub/path', service.url);
  const { page, faults } = await watchedPage(browser, origin, 1280);
  await page.goto(`${origin}/sub/path/`);
  await page.getByRole('link', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Convert the sample' }).click();
  await untilShown(page, 'A sample letter');
  expect(page.url()).toBe(`${origin}/sub/path/try/`);
  expect(await page.locator('.code pre').textContent()).toContain(`${origin}/sub/path/v1/convert`);
  expect(faults).toEqual([]);
  await page.context().close();
  close();
});

const stack = (): TryStack => ({ service, browser, folder, visit });
if (isWhole) {
  codeSuite(stack);
  boundsSuite(stack);
  waysSuite(stack);
  docsSuite(stack);
}

// The last test: it stops the converter, and uses up the trial keys.
testInWhole(
  'errors say what to do: before sending, of the service, offline, of a limit, and of a part that is away',
  async () => {
    const { page } = await visit(1280);
    const input = page.locator('input[type=file]').first();
    const send = (name: string, buffer: Buffer) =>
      input.setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
    const problem = page.locator('.problem');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url());
    });
    // The browser reads the file itself; sending its bytes to the browser takes long.
    const huge = join(folder, 'huge.docx');
    await writeFile(huge, Buffer.alloc(26 * KIB * KIB));
    await input.setInputFiles(huge);
    await problem.getByText('PAYLOAD_TOO_LARGE').waitFor();
    expect(sent).toEqual([]);
    await send('not.docx', Buffer.from('not a document'));
    await problem.getByText('INVALID_FILE_FORMAT').waitFor();
    await problem.getByText(/^req_/).waitFor();
    expect(await flawsOf(page)).toEqual([]);
    await page.context().setOffline(true);
    await send('letter.docx', await readFile(sample));
    await problem.getByText('You are offline').waitFor();
    await page.context().setOffline(false);
    await service.converters[0]?.end('SIGTERM');
    await page.getByRole('button', { name: 'Try again' }).click();
    await problem.getByText(/^(UNAVAILABLE|OVERLOADED)$/).waitFor();
    await page.getByRole('button', { name: /^Try again in \d+ s/ }).waitFor();
    let status = 200;
    for (let at = 0; at <= TRIAL_KEYS && status === 200; at++)
      ({ status } = await fetch(`${service.url}/v1/auth/trial`, { method: 'POST' }));
    expect(status).toBe(429);
    const { page: late } = await visit(1280);
    await late.getByRole('button', { name: 'Convert the sample' }).click();
    await late.locator('.problem').getByText('RATE_LIMIT_EXCEEDED').waitFor();
    await late.getByRole('button', { name: /^Try again in \d+ (s|min)/ }).waitFor();
    await late.context().close();
    await page.context().close();
  },
);
