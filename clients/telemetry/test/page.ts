import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import type * as telemetry from '../src/telemetry.ts';

/** Globals of the page, for functions that run there and cannot use variables of the test. */
export interface BrowserPage {
  telemetry: typeof telemetry;
  /** Uncaught errors, unhandled rejections and console output of scripts. */
  reports: string[];
  file: Uint8Array<ArrayBuffer>;
  tasks: number[];
  readonly document: { readonly cookie: string };
  readonly screen: { readonly width: number; readonly height: number };
  readonly Worker: new (address: string, options: { type: 'module' }) => { postMessage(data: unknown): void };
  readonly PerformanceObserver: new (
    callback: (list: { getEntries(): { duration: number }[] }) => void,
  ) => { observe(options: { entryTypes: string[] }): void };
  requestAnimationFrame(run: () => void): void;
}

export interface Site {
  readonly port: number;
  close(): Promise<void>;
}

/** Fills `reports`. It does not contain the messages of the browser about failed requests, which scripts cannot prevent. */
const LISTEN = `
  globalThis.reports = [];
  addEventListener('error', (event) => reports.push('error: ' + event.message));
  addEventListener('unhandledrejection', (event) => reports.push('rejection: ' + event.reason));
  for (const name of ['log', 'info', 'warn', 'error', 'debug', 'trace'])
    console[name] = (...args) => reports.push(name + ': ' + args.join(' '));`;

const HTML = `<!doctype html><link rel="icon" href="data:,"><script>${LISTEN}</script><script type="module">
  globalThis.telemetry = await import('/modules/telemetry.js');
</script>`;

/**
 * A site on loopback. Its page sets a cookie and has the built modules as `telemetry`. `/file` returns `file`.
 * `/closed` is the same page with a policy that forbids connections.
 */
export async function startSite(modules: string, file: Uint8Array): Promise<Site> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://page');
    const script = /^\/modules\/([\w-]+\.js)$/.exec(pathname)?.[1];
    response.setHeader('Set-Cookie', 'session=secret; Path=/');
    if (script)
      response.setHeader('Content-Type', 'text/javascript').end(readFileSync(join(modules, script)));
    else if (pathname === '/file') response.end(file);
    else if (pathname === '/worker.js')
      response
        .setHeader('Content-Type', 'text/javascript')
        .end(`import { trackOpen } from '/modules/telemetry.js';
          onmessage = ({ data }) => trackOpen(new Uint8Array([1, 2, 3]), { telemetry: { endpoint: data } });`);
    else {
      if (pathname === '/closed') response.setHeader('Content-Security-Policy', "connect-src 'none'");
      response.setHeader('Content-Type', 'text/html').end(HTML);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function chromiumOfThisMachine(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const programs = ['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) =>
    folders.map((folder) => join(folder, name)),
  );
  return programs.find((program) => existsSync(program)) ?? 'chromium';
}

/** Starts the Chromium of this machine. `editor.test` resolves to loopback and is not a secure origin. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumOfThisMachine(),
    args: ['--no-sandbox', '--host-resolver-rules=MAP editor.test 127.0.0.1'],
  });
}

/** Opens the page and waits for its modules. */
export async function openPage(browser: Browser, address: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(address);
  await page.waitForFunction(() => (globalThis as unknown as BrowserPage).telemetry !== undefined);
  return page;
}
