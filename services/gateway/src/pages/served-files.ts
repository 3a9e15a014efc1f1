import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refuseMethod } from '@scriptorium/shared/http/refusals';
import type { RequestHandler } from 'express';
import sirv from 'sirv';
import type { GatewayConfig } from '../settings/config.ts';
import { assetsFolder } from './samples.ts';

/** All pages load everything from this server, and run nothing that is written into a page. */
export const PAGE_POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'data:', 'blob:'],
  'font-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
  'worker-src': ["'self'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

const HOUR_SECONDS = 3_600;
const YEAR_SECONDS = 31_536_000;
/** The build puts files here whose name has a hash of their content. */
const HASHED = /[\\/]assets[\\/]/;

/** The files of the pages, by the prefix of their path. */
export function pageFiles({
  PLAYGROUND,
  NODE_ENV,
}: Pick<GatewayConfig, 'PLAYGROUND' | 'NODE_ENV'>): Record<string, RequestHandler> {
  const page = PLAYGROUND === 'on' ? tryFolder({ mayAppear: NODE_ENV === 'development' }) : undefined;
  return {
    '/assets/pages': serveFolder(`${assetsFolder}pages`),
    '/assets/swagger-ui': serveFolder(swaggerFolder()),
    ...(page !== undefined && { '/try': serveTry(page) }),
  };
}

/**
 * Serves the files of a folder under a prefix. Files with `.br` or `.gz` beside them are sent in that form. The folder is read
 * once, at the start.
 */
function serveFolder(folder: string): RequestHandler {
  return sirv(folder, { brotli: true, gzip: true, etag: true, maxAge: HOUR_SECONDS }) as RequestHandler;
}

/**
 * Folder of the page `/try`, as its build leaves it; undefined if it was not built, unless it may be built later. It is not a
 * dependency of this package: the page is made of a client, and a service must not depend on one.
 */
function tryFolder({ mayAppear }: { mayAppear: boolean }): string | undefined {
  const folder = fileURLToPath(new URL('../../../../pages/try/dist', import.meta.url));
  return mayAppear || existsSync(folder) ? folder : undefined;
}

const NOT_BUILT =
  '<!doctype html><html lang="en"><title>Scriptorium</title><p>This page is being built. It appears here in a few seconds.';

function openTry(folder: string): RequestHandler | undefined {
  if (!existsSync(folder)) return undefined;
  return sirv(folder, {
    brotli: true,
    gzip: true,
    etag: true,
    setHeaders: (response, path) =>
      response.setHeader(
        'Cache-Control',
        HASHED.test(path) ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
      ),
  }) as RequestHandler;
}

/**
 * Serves the page `/try`. Its addresses are relative, so that it also works below a path of a proxy. `npm start` builds it after
 * the services have started: until then, a text says so, and the browser asks again.
 */
export function serveTry(folder: string): RequestHandler {
  let files = openTry(folder);
  return (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuseMethod(request, response, ['GET', 'HEAD']);
    const [path, query] = request.originalUrl.split('?');
    if (path?.endsWith('/try'))
      return response.redirect(308, `try/${query === undefined ? '' : `?${query}`}`);
    files ??= openTry(folder);
    if (files !== undefined) return files(request, response, next);
    response
      .status(503)
      .set({ Refresh: '2', 'Retry-After': '2', 'Cache-Control': 'no-store' })
      .type('html')
      .send(NOT_BUILT);
  };
}

/**
 * Folder of Swagger UI: that of the build, whose files are compressed, or else that of the library. The library itself is not
 * imported: that would run the whole page here.
 */
function swaggerFolder(): string {
  const built = fileURLToPath(new URL('../../dist/swagger-ui', import.meta.url));
  return existsSync(built)
    ? built
    : dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}
