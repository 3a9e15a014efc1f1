import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Starts the Chromium of this machine. */
export function launchBrowser(): Promise<Browser> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const programs = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return chromium.launch({
    executablePath: programs.find((program) => existsSync(program)) ?? 'chromium',
    args: ['--no-sandbox'],
  });
}

/** A page, and everything on it that a visitor must not get: errors, policy violations, requests to others. */
export interface Watched {
  page: Page;
  faults: string[];
}

export async function watchedPage(browser: Browser, origin: string, width: number): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, acceptDownloads: true });
  // Only against a hang.
  context.setDefaultTimeout(180_000);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('requestfailed', (request) => {
    // The page itself ends calls that a newer one replaces.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED')
      faults.push(`failed: ${request.url()} ${request.failure()?.errorText}`);
  });
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol.startsWith('http') && asked !== origin) faults.push(`elsewhere: ${request.url()}`);
  });
  await page.exposeFunction('reportViolation', (text: string) => faults.push(`policy: ${text}`));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    window.reportViolation(event.violatedDirective + ' ' + event.blockedURI))`);
  return { page, faults };
}

/** Starts a proxy that serves a service below a path, which it removes. */
export async function proxyBelow(path: string, target: string): Promise<{ origin: string; close(): void }> {
  const proxy = createServer((request, response) => {
    const { method, headers, url = '' } = request;
    const forwarded = forward(target + url.replace(path, ''), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    request.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => void proxy.close() };
}

/** Presses Tab until the focus is where this selector says. Returns the number of keys. */
export async function tabTo(page: Page, selector: string): Promise<number> {
  for (let keys = 1; keys <= 60; keys++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)})`)) return keys;
  }
  throw new Error(`no focus on ${selector}`);
}

/** Puts the TypeScript client and the command of this checkout where programs in a folder find them. */
export async function installClients(folder: string): Promise<void> {
  const clients = fileURLToPath(new URL('../clients/', import.meta.url));
  await mkdir(join(folder, 'node_modules', '@scriptorium'), { recursive: true });
  await symlink(join(clients, 'sdk'), join(folder, 'node_modules', '@scriptorium', 'client'));
  const main = join(clients, 'cli', 'src', 'main.ts');
  const script = `#!/bin/sh\nexec '${process.execPath}' --conditions=source '${main}' "$@"\n`;
  await writeFile(join(folder, 'scriptorium'), script, { mode: 0o755 });
}

/** Waits until the preview has these words, as a screen reader finds them. */
export const untilShown = (page: Page, words: string) =>
  page.locator('.page-words', { hasText: words }).first().waitFor({ state: 'attached' });

/** The bar at the side of the window also takes room. */
export const IS_TOO_WIDE = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

const RUN_AXE =
  "window.axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))";
const SETTLED_MS = 2_000;

/** Names of the rules that the page breaks in either theme, and whether it is wider than the window. */
export async function flawsOf(page: Page): Promise<string[]> {
  // Not as an element: the policy of the page forbids scripts of others.
  await page.evaluate(axe.source);
  const flaws: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Scripts of the page learn of the theme with the next frame.
    await page.evaluate('new Promise(requestAnimationFrame)');
    let found = (await page.evaluate(RUN_AXE)) as string[];
    if (found.length > 0) {
      // On a busy machine, that may have been a page that was still to change.
      await page.waitForTimeout(SETTLED_MS);
      found = (await page.evaluate(RUN_AXE)) as string[];
    }
    flaws.push(...found.map((flaw) => `${colorScheme}: ${flaw}`));
  }
  if (await page.evaluate(IS_TOO_WIDE)) flaws.push('wider than the window');
  return flaws;
}
