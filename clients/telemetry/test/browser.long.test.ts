import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { buildPackage } from './build.ts';
import { type Collector, type Manner, startCollector } from './collector.ts';
import { docxParts, settingsPart, zip } from './docx.ts';
import { type BrowserPage, launchBrowser, openPage, type Site, startSite } from './page.ts';

/** A document with an image of 20 MB and without GUID and creation time, so that all bytes are hashed. */
const file = zip([
  ...docxParts([settingsPart()]),
  { name: 'word/media/image1.png', content: randomBytes(20_000_000), stored: true },
]);
const fileId = `sha256:${createHash('sha256').update(file).digest('hex')}`;

/** Headers that Chromium adds to every cross-origin request. */
const BROWSERS_OWN =
  /^(host|connection|content-length|user-agent|accept|accept-encoding|accept-language|origin|sec-.*|priority)$/;

let browser: Browser;
let modules: string;
let site: Site;
let page: Page | undefined;
const collectors: Collector[] = [];

beforeAll(async () => {
  modules = buildPackage();
  site = await startSite(modules, file);
  browser = await launchBrowser();
});
afterEach(async () => {
  await page?.close();
  for (const collector of collectors.splice(0)) await collector.close();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
  rmSync(modules, { recursive: true });
});

async function collector(manner?: Manner): Promise<Collector> {
  const started = await startCollector(manner);
  collectors.push(started);
  return started;
}

async function visit(path = '/', host = '127.0.0.1'): Promise<Page> {
  page = await openPage(browser, `http://${host}:${site.port}${path}`);
  return page;
}

/** Records the method and URL of all further requests of the page. */
function watch(watched: Page): string[] {
  const requests: string[] = [];
  watched.context().on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  return requests;
}

describe('in a browser', () => {
  test('an open is one request after a preflight, with only the documented headers and without cookies', async () => {
    const { endpoint, next, requests } = await collector();
    const visited = await visit('/documents/7?token=secret#fragment');
    const seen = watch(visited);
    expect(await visited.evaluate(() => (globalThis as unknown as BrowserPage).document.cookie)).toBe(
      'session=secret',
    );
    await visited.evaluate((endpoint) => {
      (globalThis as unknown as BrowserPage).telemetry.trackOpen(new Uint8Array([1, 2, 3]), {
        licenseKey: 'lic_acme',
        telemetry: { endpoint, metadata: { customer: 'Acme' } },
      });
    }, endpoint);
    const { headers, body } = await next();
    await visited.waitForTimeout(300);

    expect(requests.map(({ method }) => method)).toEqual(['OPTIONS', 'POST']);
    expect(requests[0]?.headers['access-control-request-headers']).toBe('content-type,x-license-key');
    expect(
      Object.keys(headers)
        .filter((name) => !BROWSERS_OWN.test(name))
        .sort(),
    ).toEqual(['content-type', 'x-license-key']);
    expect(headers['content-type']).toBe('application/json');
    expect(headers['x-license-key']).toBe('lic_acme');
    expect(seen).toEqual([`POST ${endpoint}`]);
    expect(JSON.parse(body)).toEqual({
      clientVersion: expect.any(String),
      browserInfo: {
        userAgent: await visited.evaluate(() => navigator.userAgent),
        currentUrl: `http://127.0.0.1:${site.port}/documents/7`,
        hostname: '127.0.0.1',
        screenSize: await visited.evaluate(() => {
          const { width, height } = (globalThis as unknown as BrowserPage).screen;
          return { width, height };
        }),
      },
      metadata: { customer: 'Acme' },
      events: [
        {
          timestamp: expect.any(String),
          documentId: `sha256:${createHash('sha256')
            .update(Buffer.from([1, 2, 3]))
            .digest('hex')}`,
          documentCreatedAt: expect.any(String),
        },
      ],
    });
  });

  test('events go to the origin of the page without an endpoint', async () => {
    const visited = await visit();
    const request = visited.waitForRequest(/collect/);
    await visited.evaluate(
      () => void (globalThis as unknown as BrowserPage).telemetry.trackOpen(new Uint8Array([1])),
    );
    expect((await request).url()).toBe(`http://127.0.0.1:${site.port}/v1/collect`);
  });

  test('an open is counted even if its page is closed at once', async () => {
    const { endpoint, next } = await collector();
    const visited = await visit();
    await visited.evaluate(async (endpoint) => {
      await (globalThis as unknown as BrowserPage).telemetry.trackOpen(new Uint8Array([1]), {
        telemetry: { endpoint },
      }).identity;
    }, endpoint);
    await visited.waitForRequest(endpoint).catch(() => undefined);
    await visited.goto('about:blank');
    expect((await next()).method).toBe('POST');
  });

  test('a disabled client sends no requests, and exports are complete', async () => {
    const { endpoint, requests } = await collector();
    const visited = await visit();
    const bytes = [...zip(docxParts([settingsPart()]))];
    const seen = watch(visited);
    const identities = await visited.evaluate(
      async ([endpoint, bytes]) => {
        const off = { licenseKey: 'lic_acme', telemetry: { endpoint, enabled: false } };
        const file = new Uint8Array(bytes);
        const document = (globalThis as unknown as BrowserPage).telemetry.trackOpen(file, off);
        const exported = await (globalThis as unknown as BrowserPage).telemetry.prepareExport(file, document);
        const again = (globalThis as unknown as BrowserPage).telemetry.trackOpen(
          new Blob([exported as Uint8Array<ArrayBuffer>]),
          off,
        );
        await (globalThis as unknown as BrowserPage).telemetry.prepareExport(
          file,
          (globalThis as unknown as BrowserPage).telemetry.newDocument(),
        );
        (globalThis as unknown as BrowserPage).telemetry.trackOpen(new Uint8Array([1]), {
          ...off,
          identifier: 'crc32',
        });
        return [await document.identity, await again.identity];
      },
      [endpoint, bytes] as const,
    );
    await visited.waitForTimeout(1000);
    expect(identities[0]).toEqual(identities[1]);
    expect(seen).toEqual([]);
    expect(requests).toEqual([]);
    expect(await visited.evaluate(() => (globalThis as unknown as BrowserPage).reports)).toEqual([]);
  });

  const failures: [string, Manner | 'is closed', string][] = [
    ['no server listens', 'is closed', '/'],
    ['the server rejects other origins', 'refuses origins', '/'],
    ['the server never responds', 'is silent', '/'],
    ['a policy forbids connections', 'answers', '/closed'],
  ];
  test.each(failures)('failures are not thrown, logged or retried if %s', async (_what, manner, path) => {
    const server = await collector(manner === 'is closed' ? 'answers' : manner);
    if (manner === 'is closed') await (collectors.pop() as Collector).close();
    const visited = await visit(path);
    const seen = watch(visited);
    await visited.evaluate((endpoint) => {
      (globalThis as unknown as BrowserPage).telemetry.trackOpen(new Uint8Array([1]), {
        telemetry: { endpoint },
      });
    }, server.endpoint);
    await visited.waitForTimeout(1500);
    expect(await visited.evaluate(() => (globalThis as unknown as BrowserPage).reports)).toEqual([]);
    expect(seen.length).toBeLessThanOrEqual(1);
    expect(server.requests.length).toBeLessThanOrEqual(1);
  });

  test('a worker counts like a page', async () => {
    const { endpoint, next } = await collector();
    const visited = await visit();
    await visited.evaluate((endpoint) => {
      new (globalThis as unknown as BrowserPage).Worker('/worker.js', { type: 'module' }).postMessage(
        endpoint,
      );
    }, endpoint);
    const { browserInfo } = JSON.parse((await next()).body);
    expect(browserInfo.screenSize).toEqual({ width: 0, height: 0 });
    expect(browserInfo.userAgent).toContain('Chrome');
  });
});

/** All at once, it would be nearly the whole time. */
const BLOCKED_SHARE_MAX = 0.25;

describe('with a document of 20 MB', () => {
  /**
   * Returns the share of its time that the page is blocked by its longest task while `fileId` is computed and sent. On a slow
   * or busy machine all tasks take longer alike. Browsers report tasks over 50 ms; shorter ones delay nothing.
   */
  async function blockedShare(host: string): Promise<number> {
    const { endpoint, next } = await collector();
    const visited = await visit('/', host);
    await visited.evaluate(async () => {
      (globalThis as unknown as BrowserPage).file = new Uint8Array(
        await (await fetch('/file')).arrayBuffer(),
      );
    });
    await visited.waitForTimeout(500);
    await visited.evaluate((endpoint) => {
      const page = globalThis as unknown as BrowserPage;
      page.tasks = [];
      const observer = new page.PerformanceObserver((list) => {
        page.tasks.push(...list.getEntries().map(({ duration }) => duration));
      });
      observer.observe({ entryTypes: ['longtask'] });
      page.requestAnimationFrame(() => page.telemetry.trackOpen(page.file, { telemetry: { endpoint } }));
    }, endpoint);
    const startedAt = performance.now();
    expect(JSON.parse((await next()).body).events[0].documentId).toBe(fileId);
    const totalMs = performance.now() - startedAt;
    const tasks = await visited.evaluate(() => (globalThis as unknown as BrowserPage).tasks);
    expect(await visited.evaluate(() => (globalThis as unknown as BrowserPage).reports)).toEqual([]);
    await visited.close();
    return Math.max(0, ...tasks) / totalMs;
  }

  test('rendering is not delayed', async () => {
    expect(await blockedShare('127.0.0.1')).toBeLessThan(BLOCKED_SHARE_MAX);
  });

  test('rendering is not delayed on a page that is not secure, without WebCrypto', async () => {
    expect(await blockedShare('editor.test')).toBeLessThan(BLOCKED_SHARE_MAX);
  });
});
