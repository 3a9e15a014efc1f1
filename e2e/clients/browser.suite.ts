import { readFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type * as sdk from '@scriptorium/client';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../browser.ts';
import { clientModule, type Stack, samples } from './stack.ts';

/** What the page has. */
interface BrowserPage {
  sdk: typeof sdk;
  template: Blob;
}

/** The SDK in Chromium, on a site that passes calls on to the service. */
export function browserSuite(stack: () => Stack): void {
  let site: Server;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    site = await startSite(stack().url);
    browser = await launchBrowser();
    page = await browser.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    await page.waitForFunction(() => (globalThis as unknown as BrowserPage).template !== undefined);
  });
  afterAll(async () => {
    await browser?.close();
    site?.closeAllConnections();
    site?.close();
  });

  test('the client works in a browser: a template becomes a signed PDF, and a batch streams', async () => {
    const result = await page.evaluate(async (apiKey) => {
      const { sdk, template } = globalThis as unknown as BrowserPage;
      const { location } = globalThis as unknown as { location: { origin: string } };
      const client = new sdk.Scriptorium({ apiKey, baseUrl: location.origin });
      const filled = await client.fill(template, { customer_name: 'Ada' }, { to: 'pdf' });
      const signer = { name: 'Ada', email: 'ada@example.com' };
      const auditTrail = [{ type: 'submit' as const, timestamp: '2026-05-01T12:00:00Z' }];
      const signed = await client.sign(new Blob([filled.bytes]).stream(), { signer, auditTrail });
      const { verdict } = await client.verify(signed.bytes, { trust: { profile: 'service' } });
      const merged = await client.merge([template, template]);
      const ids: unknown[] = [];
      const rows = [1, 2, 3].map((id) => ({ id, data: { order_number: id } }));
      for await (const row of client.batch(template, rows)) if ('bytes' in row) ids.push(row.id);
      const stop = new AbortController();
      const stopped = client.convert(template, { signal: stop.signal }).catch(String);
      stop.abort('enough');
      const wrong = await client.inspect(new Blob(['x'])).catch((error) => error as sdk.ScriptoriumError);
      const code = 'code' in wrong ? wrong.code : undefined;
      const path = await client.convert({ path: '/etc/passwd' }).catch((error) => error.constructor.name);
      return {
        verdict,
        merged: merged.fileName,
        ids: ids.sort(),
        stopped: await stopped,
        code,
        path,
        pages: filled.pages,
      };
    }, stack().key);
    expect(result).toEqual({
      verdict: 'valid',
      merged: 'merged.docx',
      ids: [1, 2, 3],
      stopped: 'enough',
      code: 'INVALID_FILE_FORMAT',
      path: 'TypeError',
      pages: 1,
    });
    // The browser reports the refusal by itself, and the file that it cannot read.
    expect(complaints.filter((text) => !/400|node:fs|ERR_FAILED/.test(text))).toEqual([]);
  });
}

const PAGE = `<!doctype html><link rel="icon" href="data:,"><script type="module">
  globalThis.sdk = await import('/sdk/client.ts');
  globalThis.template = await (await fetch('/template')).blob();
</script>`;

/** A site with the modules of the SDK, and the service behind `/v1`. */
async function startSite(url: string): Promise<Server> {
  const server = createServer(async (incoming, outgoing) => {
    const path = incoming.url ?? '/';
    if (path.startsWith('/v1/')) {
      const { method = 'GET', headers } = incoming;
      const onward = request(url + path, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      outgoing.on('close', () => onward.destroy());
      incoming.pipe(onward);
    } else if (path.startsWith('/sdk/')) {
      const code = await clientModule(path.slice('/sdk/'.length), '.ts');
      outgoing.setHeader('content-type', 'text/javascript').end(code);
    } else if (path === '/template')
      outgoing.end(await readFile(fileURLToPath(new URL('sample-template.docx', samples))));
    else outgoing.setHeader('content-type', 'text/html').end(PAGE);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}
