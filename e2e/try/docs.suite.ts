import { describe, expect, test } from '@jest/globals';
import { few } from '@scriptorium/testing/extent';
import { flawsOf, IS_TOO_WIDE, tabTo } from '../browser.ts';
import type { TryStack } from './stack.ts';

const KIB = 1024;

/** The reference at `/docs`. */
export function docsSuite(stack: () => TryStack): void {
  describe.each(few([390, 1280], 1, 1))('the reference at %i px', (width) => {
    test('has no flaw in either theme, closed and open', async () => {
      const { page, faults } = await stack().visit(width, '/docs');
      await page.locator('.opblock').nth(10).waitFor();
      expect(await flawsOf(page)).toEqual([]);
      await page.locator('#operations-Documents-convert .opblock-summary-control').click();
      await page.locator('#operations-Documents-convert .responses-table').waitFor();
      await page.getByRole('button', { name: 'Schemas' }).click();
      expect(await flawsOf(page)).toEqual([]);
      expect(faults).toEqual([]);
      await page.context().close();
    });
  });

  test('the reference is small, follows the theme of the system, and opens with the keyboard', async () => {
    const { page } = await stack().visit(1280, 'about:blank');
    let bytes = 0;
    page.on('requestfinished', async (request) => {
      bytes += (await request.sizes()).responseBodySize;
    });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${stack().service.url}/docs`);
    await page.locator('.opblock').nth(10).waitFor();
    expect(bytes).toBeGreaterThan(100 * KIB);
    expect(bytes).toBeLessThan(560 * KIB);
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await paper();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('html:not(.dark-mode)').waitFor();
    expect(await paper()).not.toBe(dark);
    await tabTo(page, '.opblock-summary-control');
    await page.keyboard.press('Enter');
    await page.locator('.opblock.is-open').waitFor();
    await page.setViewportSize({ width: 320, height: 800 });
    expect(await page.evaluate(IS_TOO_WIDE)).toBe(false);
    await page.context().close();
  });
}
