import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import type { Page } from 'playwright-core';
import { flawsOf, untilShown } from '../browser.ts';
import type { TryStack } from './stack.ts';

const openTab = (page: Page, name: string) => page.getByRole('tab', { name }).click();

/** Ways of a visitor through several tabs. */
export function waysSuite(stack: () => TryStack): void {
  describe('on the page', () => {
    test('documents merge in the order of a list, rows nest, and a PDF leads to its fields', async () => {
      const { page, faults } = await stack().visit(390, '/try/#merge');
      await page.getByRole('button', { name: 'Use two samples' }).click();
      const names = page.locator('.sequence .file-name bdi');
      await names.nth(1).waitFor();
      await page.getByRole('button', { name: 'Move document 2 up' }).click();
      expect(await names.allTextContents()).toEqual(['sample-template.docx', 'sample.docx']);
      await page.locator('.sequence li').nth(1).dragTo(page.locator('.sequence li').first());
      expect(await names.allTextContents()).toEqual(['sample.docx', 'sample-template.docx']);
      await page.getByRole('button', { name: 'Merge 2 documents' }).click();
      await untilShown(page, 'A sample letter');
      expect(await flawsOf(page)).toEqual([]);
      await openTab(page, 'Fill');
      const send = (name: string, buffer: Buffer) =>
        page
          .locator('input[type=file]')
          .first()
          .setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
      const marks = [
        '{#lots}Lot {no}',
        '{#bids}- {who}',
        '{/bids}{/lots}',
        '{{sign:seller}}',
        '{{sign:buyer}}',
      ];
      await send('auction.docx', docxWith(marks));
      await page.getByRole('button', { name: 'Add a row to lots' }).click();
      await page.getByLabel('lots, row 3', { exact: true }).getByLabel('no', { exact: true }).fill('77');
      await page.getByLabel('lots, row 3', { exact: true }).getByLabel('who').first().fill('Grace');
      await untilShown(page, 'Grace');
      await page.getByRole('button', { name: 'Move row 3 of lots up' }).click();
      expect(
        await page.getByLabel('lots, row 2', { exact: true }).getByLabel('no', { exact: true }).inputValue(),
      ).toBe('77');
      expect(await flawsOf(page)).toEqual([]);
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await openTab(page, 'Convert');
      await send('auction.pdf', await readFile(await (await saving).path()));
      await page.getByRole('button', { name: 'Sign it' }).click();
      await page.getByLabel('buyer, page 1').check();
      await page.getByLabel('Signer of buyer').fill('Grace Hopper');
      await page.getByLabel('Show the signature on a page').check();
      await page.getByRole('button', { name: 'Sign in another place, too' }).click();
      expect(await flawsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Sign', exact: true }).click();
      await page.getByRole('heading', { name: 'Signed' }).waitFor();
      await page.getByRole('button', { name: 'Verify it' }).click();
      await page.locator('[data-verdict^="valid"]').waitFor();
      expect(await page.getByRole('region', { name: /^Signature \d of/ }).count()).toBe(4);
      expect(await flawsOf(page)).toEqual([]);
      // A call that a newer preview ended may still count: the page asks again.
      expect(faults.filter((fault) => !fault.includes('429'))).toEqual([]);
      await page.context().close();
    });

    test('a wrong key is refused when it is entered, and one trial serves a browser', async () => {
      const { page } = await stack().visit(1280, '/try/#usage');
      await page.getByLabel('API key').fill('scr_wrong');
      await page.getByRole('button', { name: 'Use it' }).click();
      await page.locator('.problem').getByText('AUTHENTICATION_ERROR').waitFor();
      let trials = 0;
      page.context().on('request', (request) => {
        if (request.url().endsWith('/v1/auth/trial')) trials++;
      });
      await openTab(page, 'Convert');
      for (const path of ['', '/try/#convert']) {
        if (path !== '') await page.reload();
        await page.getByRole('button', { name: 'Convert the sample' }).click();
        await untilShown(page, 'A sample letter');
      }
      const second = await page.context().newPage();
      await second.goto(`${stack().service.url}/try/`);
      await second.getByRole('button', { name: 'Convert the sample' }).click();
      await untilShown(second, 'A sample letter');
      expect(trials).toBe(1);
      await page.context().close();
    });
  });
}
