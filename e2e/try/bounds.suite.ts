import { describe, expect, test } from '@jest/globals';
import { ERRORS } from '@scriptorium/contracts/errors';
import { few, testInNightly } from '@scriptorium/testing/extent';
import type { Page } from 'playwright-core';
import { untilShown } from '../browser.ts';
import type { TryStack } from './stack.ts';

const MIB = 1024 * 1024;
/** Documents that a visitor makes in a row, and those before which everything is loaded. */
const DOCUMENTS = 50;
const WARM_UP = 5;
const PAGES = 500;
/** Pages that are drawn at a time: those near the window. */
const CANVASES_MAX = 12;

/** The advice for visitors, who send no headers. */
const ADVICE: Readonly<Record<string, string>> = {
  AUTHENTICATION_ERROR: 'The key may be wrong, revoked or expired.',
  FORBIDDEN: 'Use a key that may do this, or ask the operator of this service.',
  RATE_LIMIT_EXCEEDED: 'Another key has requests of its own.',
  CONCURRENCY_LIMIT: 'Other work with this key is under way.',
  OVERLOADED: 'The service has much to do.',
  UNAVAILABLE: 'A part of the service is away.',
};

const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer });

/** What the page does with much, and with each thing that goes wrong. */
export function boundsSuite(stack: () => TryStack): void {
  describe('the page', () => {
    testInNightly(
      `shows and signs a document of ${PAGES} pages, and draws only those near the window`,
      async () => {
        const { page, faults } = await stack().visit(1280, '/try/#sign');
        await page.locator('input[type=file]').setInputFiles(file('long.pdf', pdfOf(PAGES)));
        await untilShown(page, 'This is page 1.');
        await page.getByText(`${PAGES} pages`).waitFor();
        expect(await page.locator('canvas').count()).toBeLessThan(CANVASES_MAX);
        await page.getByLabel('On page').fill(String(PAGES));
        await untilShown(page, `This is page ${PAGES}.`);
        await page.locator('.placed:visible').waitFor();
        expect(await page.locator('canvas').count()).toBeLessThan(CANVASES_MAX);
        await page.getByRole('button', { name: 'Sign', exact: true }).click();
        await page.getByRole('heading', { name: 'Signed' }).waitFor();
        expect(faults).toEqual([]);
        await page.context().close();
      },
    );

    testInNightly('takes a table of 10,000 rows with odd quotes in another encoding', async () => {
      const { page, faults } = await stack().visit(1280, '/try/#batch');
      await page.getByLabel('Result').selectOption('docx');
      await page.getByRole('button', { name: 'Use the sample template' }).click();
      const rows = Array.from({ length: 10_000 }, (_, at) => `"M\xfcller ""${at}"" 5"" pipe";${at}`);
      const table = Buffer.from(['customer_name;order_number', ...rows].join('\r\n'), 'latin1');
      await page.locator('input[type=file]').nth(1).setInputFiles(file('rows.csv', table));
      await page.getByRole('heading', { name: '10,000 rows' }).waitFor();
      await page.getByText('Müller "0" 5" pipe').waitFor();
      await page.getByText('Guessed: windows-1252').waitFor({ state: 'attached' });
      await page.getByLabel('Encoding').selectOption('windows-1251');
      await page.getByText('Mьller "0" 5" pipe').waitFor();
      await page.getByText('the first 20 of 10,000 rows').waitFor();
      await page.getByRole('button', { name: 'Make 20 documents' }).click();
      await page.getByRole('heading', { name: '20 documents made' }).waitFor();
      expect(faults).toEqual([]);
      await page.context().close();
    });

    test('shows each error with its code, its message, the id of the request and what to do', async () => {
      const { page } = await stack().visit(1280);
      await page.getByRole('button', { name: 'Convert the sample' }).click();
      await untilShown(page, 'A sample letter');
      const card = page.locator('.problem');
      for (const [code, { status, remedy, retryable }] of few(Object.entries(ERRORS), 1, 8)) {
        const message = `What happened with ${code}.`;
        const details = [{ field: 'file', issue: 'is at fault' }];
        const body = { code, error: 'Error', message, requestId: 'req_example', details };
        const headers: Record<string, string> = retryable ? { 'retry-after': '90' } : {};
        await page.route('**/v1/convert?*', (route) => route.fulfill({ status, headers, json: body }));
        await page.getByRole('button', { name: 'Convert again' }).click();
        await card.getByText(message).waitFor();
        const advice = (ADVICE[code] ?? remedy).replaceAll('`', '');
        expect({ code, text: await card.textContent() }).toEqual({
          code,
          text: expect.stringContaining(advice),
        });
        for (const part of [code, 'req_example', 'is at fault'])
          expect(await card.getByText(part, { exact: true }).count()).toBe(1);
        const again = card.getByRole('button', { name: /^Try again/ });
        expect({ code, waits: await again.textContent() }).toEqual({
          code,
          waits: expect.stringMatching(retryable ? /in \d\d s$/ : /^Try again$/),
        });
        await page.unroute('**/v1/convert?*');
      }
      await page.context().close();
    });

    testInNightly(`holds no more memory after ${DOCUMENTS} documents than after ${WARM_UP}`, async () => {
      const { page, faults } = await stack().visit(1280);
      const first = page.waitForResponse('**/v1/convert?*');
      await page.getByRole('button', { name: 'Convert the sample' }).click();
      await untilShown(page, 'A sample letter');
      // The same answer each time: this is about the page, and a trial has 20 documents.
      const answer = await first;
      const [body, headers] = [await answer.body(), answer.headers()];
      await page.route('**/v1/convert?*', (route) => route.fulfill({ body, headers }));
      let warm = { bytes: 0, nodes: 0 };
      for (let made = 1; made <= DOCUMENTS; made++) {
        await page.evaluate("document.querySelector('.page-words').remove()");
        await page.getByRole('button', { name: 'Convert again' }).click();
        await untilShown(page, 'A sample letter');
        if (made === WARM_UP) warm = await memoryOf(page);
      }
      const end = await memoryOf(page);
      expect((end.bytes - warm.bytes) / MIB).toBeLessThan(3);
      expect(end.nodes - warm.nodes).toBeLessThan(500);
      expect(page.workers().length).toBeLessThan(3);
      expect(faults).toEqual([]);
      await page.context().close();
    });
  });
}

async function memoryOf(page: Page): Promise<{ bytes: number; nodes: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  const numberOf = (wanted: string): number =>
    metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  await session.detach();
  return { bytes: numberOf('JSHeapUsedSize'), nodes: numberOf('Nodes') };
}

/** A PDF with one line of text on each page. */
function pdfOf(pages: number): Buffer {
  const numbers = Array.from({ length: pages }, (_, at) => at + 1);
  const objects = [
    '<</Type /Catalog /Pages 2 0 R>>',
    `<</Type /Pages /Count ${pages} /Kids [${numbers.map((number) => `${2 * number + 2} 0 R`).join(' ')}]>>`,
    '<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>',
    ...numbers.flatMap((number) => {
      const text = `BT /F 24 Tf 72 720 Td (This is page ${number}.) Tj ET`;
      return [
        `<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${2 * number + 3} 0 R /Resources <</Font <</F 3 0 R>>>>>>`,
        `<</Length ${text.length}>>\nstream\n${text}\nendstream`,
      ];
    }),
  ];
  let text = '%PDF-1.7\n';
  const places = objects.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}`;
  return Buffer.from(
    `${text}${table}trailer\n<</Size ${size} /Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}
