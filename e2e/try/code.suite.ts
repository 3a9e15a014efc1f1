import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Scriptorium } from '@scriptorium/client';
import { few, testInNightly } from '@scriptorium/testing/extent';
import type { Page } from 'playwright-core';
import { installClients } from '../browser.ts';
import type { TryStack } from './stack.ts';

const run = promisify(execFile);
const assets = fileURLToPath(new URL('../../services/gateway/assets/', import.meta.url));
const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const types = fileURLToPath(new URL('../../node_modules/@types', import.meta.url));

/** The languages of "The same in code", and what runs them. */
const LANGUAGES = [
  ['curl', 'bash'],
  ['TypeScript', process.execPath, '--conditions=source'],
  ['Python', 'python3'],
  ['CLI', 'bash'],
] as const;
type Language = (typeof LANGUAGES)[number][0];

/** The command's exit code for a verdict that is not `valid`: the signer of the sample is not trusted. */
const NOT_VALID = 4;

/** The code that each tab shows does what its page did: it gives the same bytes, or the same answer. */
export function codeSuite(stack: () => TryStack): void {
  describe('the code of the tab', () => {
    let folder: string;
    let key: string;
    let client: Scriptorium;
    /** All TypeScript that was shown: it must compile, too. */
    const shown: string[] = [];

    beforeAll(async () => {
      folder = join(stack().folder, 'code');
      await mkdir(folder);
      await installClients(folder);
      key = await stack().service.register();
      client = new Scriptorium({ baseUrl: stack().service.url, apiKey: key });
    });

    /** Runs the code of the tab that shows, each language in a folder of its own with these documents. */
    async function runAll(
      page: Page,
      documents: string[],
      judge: (language: Language, place: string, stdout: string) => Promise<void>,
    ): Promise<void> {
      for (const [language, program, ...options] of LANGUAGES) {
        const place = join(folder, language);
        await mkdir(place, { recursive: true });
        for (const document of documents)
          await copyFile(document, join(place, document.split('/').at(-1) ?? ''));
        await page.getByText(language, { exact: true }).click();
        const code = (await page.locator('.code pre').textContent()) ?? '';
        if (language === 'TypeScript') shown.push(code);
        await writeFile(join(place, 'code.mts'), code);
        const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, KEY: key };
        const { stdout } = await run(program, [...options, 'code.mts'], { cwd: place, env }).catch((error) =>
          language === 'CLI' && error.code === NOT_VALID ? error : Promise.reject(error),
        );
        await judge(language, place, stdout);
        await rm(place, { recursive: true });
      }
      await page.context().close();
    }

    /** The document that the preview offers. */
    async function saved(page: Page): Promise<Buffer> {
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      return readFile(await (await saving).path());
    }

    /** What a signature says: its bytes differ each time. */
    async function factsOf(document: Buffer) {
      const { verdict, signatures } = await client.verify(document, { trust: { profile: 'service' } });
      const [signature] = signatures;
      const { reason, format, level, type, claimedName } = signature ?? {};
      return { verdict, count: signatures.length, reason, format, level, type, signer: claimedName };
    }

    testInNightly('Convert makes the same bytes', async () => {
      const { page } = await stack().visit(1280);
      await page.getByLabel('Convert to').selectOption('txt');
      await page.getByText('Options', { exact: true }).click();
      const [fields, changes] = [page.getByLabel('Fields'), page.getByLabel('Tracked changes')];
      expect([await fields.inputValue(), await changes.inputValue()]).toEqual(['none', 'markup']);
      await fields.selectOption('toc');
      await changes.selectOption('Accepted');
      await page.getByRole('button', { name: 'Convert the sample' }).click();
      await page.locator('.text-page').waitFor();
      const made = await saved(page);
      await runAll(page, [`${assets}sample.docx`], async (_, place) =>
        expect((await readFile(join(place, 'sample.txt'))).equals(made)).toBe(true),
      );
    });

    test.each(few(['Form', 'Data (JSON)'], 1, 1))('Fill makes the same bytes by %s', async (way) => {
      const { page } = await stack().visit(1280, '/try/#fill');
      await page.getByLabel('Result').selectOption('docx');
      await page.getByRole('button', { name: 'Use the sample template' }).click();
      await page.getByText('A DOCX file is ready').waitFor();
      if (way === 'Form') await page.getByLabel('Customer name').fill("Grace O'Hopper “✓”");
      else {
        await page.getByText(way).click();
        await page
          .getByLabel('Data for')
          .fill('{"customer_name": "Grace O\'Hopper \\"✓\\"", "order_number": 7}');
      }
      await page.waitForResponse(/annotate|generate/);
      await page.locator('.preview:not(.working)').waitFor();
      const made = await saved(page);
      await runAll(page, [`${assets}sample-template.docx`], async (language, place) => {
        const same = (await readFile(join(place, 'filled.docx'))).equals(made);
        expect({ language, same }).toEqual({ language, same: true });
      });
    });

    test('Merge makes the same bytes', async () => {
      const { page } = await stack().visit(1280, '/try/#merge');
      await page.getByRole('button', { name: 'Use two samples' }).click();
      await page.getByRole('button', { name: 'Move document 2 up' }).click();
      await page.getByLabel('Result').selectOption('docx');
      await page.getByText('Options', { exact: true }).click();
      await page.locator('.options select').first().selectOption('odd');
      await page.getByRole('button', { name: 'Merge 2 documents' }).click();
      await page.getByText('A DOCX file is ready').waitFor();
      const made = await saved(page);
      const documents = [`${assets}sample.docx`, `${assets}sample-template.docx`];
      await runAll(page, documents, async (language, place) => {
        const same = (await readFile(join(place, 'merged.docx'))).equals(made);
        expect({ language, same }).toEqual({ language, same: true });
      });
    });

    testInNightly('Batch makes the same documents', async () => {
      const { page } = await stack().visit(1280, '/try/#batch');
      await page.getByLabel('Result').selectOption('docx');
      await page.getByRole('button', { name: 'Use the sample template' }).click();
      await page.getByRole('button', { name: 'Use sample rows' }).click();
      await page.getByRole('button', { name: 'Make 3 documents' }).click();
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save documents.zip' }).click();
      const made = await contentsOf(await (await saving).path());
      const savingRows = page.waitForEvent('download');
      await page.getByRole('button', { name: 'save rows.ndjson' }).click();
      const rows = join(folder, 'rows.ndjson');
      await (await savingRows).saveAs(rows);
      await runAll(page, [`${assets}sample-template.docx`, rows], async (language, place) => {
        const files = await readdir(place, { recursive: true });
        const documents = files.filter((name) => /^(out\/)?\d+.*\.docx$/.test(name));
        const contents = files.includes('documents.zip')
          ? await contentsOf(join(place, 'documents.zip'))
          : await Promise.all(documents.map(async (name) => digestOf(await readFile(join(place, name)))));
        expect({ language, contents: contents.sort() }).toEqual({ language, contents: made.sort() });
      });
    });

    test.each(
      few(
        [
          ['PDF', 'pdf'],
          ['Word document', 'docx'],
        ],
        1,
        1,
      ),
    )('Sign makes a %s whose signature is valid', async (_, format) => {
      const { page } = await stack().visit(1280, '/try/#sign');
      await page.getByRole('button', { name: 'Use the sample' }).click();
      await page.locator('.placed:visible').waitFor();
      await page.getByLabel('Result').selectOption(format);
      await page.getByLabel('Reason').fill("I “agree”, it's fine");
      const hasPlace = format === 'pdf';
      expect(await page.getByLabel('On page').isVisible()).toBe(hasPlace);
      await page.getByRole('button', { name: 'Sign', exact: true }).click();
      await page.getByRole('heading', { name: 'Signed' }).waitFor();
      const expected = await factsOf(await saved(page));
      expect(expected).toMatchObject({ verdict: 'valid', signer: 'Ada Lovelace', type: expect.any(String) });
      await runAll(page, [`${assets}sample.docx`], async (language, place) => {
        const made = await readFile(join(place, `sample-signed.${format}`));
        expect({ language, ...(await factsOf(made)) }).toEqual({ language, ...expected });
      });
    });

    test('Verify gives the same report', async () => {
      const { page } = await stack().visit(1280, '/try/#verify');
      const answer = page.waitForResponse(/verify/);
      await page.getByRole('button', { name: 'Verify a signed sample' }).click();
      const report = await (await answer).json();
      await page.locator(`[data-verdict="${report.verdict}"]`).waitFor();
      await runAll(page, [`${assets}sample-signed.docx`], async (language, _, stdout) => {
        if (language === 'TypeScript' || language === 'CLI') expect(stdout).toContain(report.verdict);
        else {
          const { validationTime } = JSON.parse(stdout);
          const sameTime = { ...report, validationTime };
          expect({ language, report: JSON.parse(stdout) }).toEqual({ language, report: sameTime });
        }
      });
    });

    testInNightly('Usage & keys gives the same counts', async () => {
      const { page } = await stack().visit(1280, '/try/#usage');
      await page.getByPlaceholder('scr_…').fill(key);
      const answer = page.waitForResponse(/v1\/usage/);
      await page.getByRole('button', { name: 'Use it' }).click();
      const usage = await (await answer).json();
      await page.getByText(/requests left until/).waitFor();
      await page.getByText('Every operation').waitFor();
      await runAll(page, [], async (language, _, stdout) => {
        if (language === 'TypeScript') expect(stdout).toBe(`${usage.totals.opens} operations\n`);
        else if (language === 'CLI') expect(stdout).toContain(`${usage.totals.opens} opens in all`);
        else expect({ language, usage: JSON.parse(stdout) }).toEqual({ language, usage });
      });
    });

    test('compiles, as strictly as a project may', async () => {
      expect(shown.length).toBeGreaterThan(2);
      const files = await Promise.all(
        shown.map(async (code, at) => {
          const file = join(folder, `shown-${at}.mts`);
          await writeFile(file, code);
          return file;
        }),
      );
      const options = '--noEmit --strict --target es2024 --module nodenext --skipLibCheck --types node'.split(
        ' ',
      );
      const source = ['--customConditions', 'source', '--allowImportingTsExtensions', '--typeRoots', types];
      await run(process.execPath, [compiler, ...options, ...source, ...files], { cwd: folder });
    });
  });
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The digests of the files of an archive. */
async function contentsOf(archive: string): Promise<string[]> {
  const { stdout } = await run('python3', ['-c', READ_ZIP, archive]);
  return JSON.parse(stdout) as string[];
}

const READ_ZIP = `import hashlib, json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
print(json.dumps([hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist() if name.endswith(".docx")]))`;
