import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { refuseMethod } from '@scriptorium/shared/http/refusals';
import type { RequestHandler } from 'express';
import sirv from 'sirv';
import { absolutePath as swaggerUiFolder } from 'swagger-ui-dist';
import type { GatewayConfig } from '../settings/config.ts';
import { assetsFolder } from './samples.ts';

/** The page `/try` loads everything from this server, and runs nothing that is written into a page. */
const TRY_POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:"],
  ...["font-src 'self' data:", "connect-src 'self'", "worker-src 'self'", "base-uri 'none'"],
  ...["form-action 'none'", "frame-ancestors 'none'"],
].join('; ');

const HOUR_SECONDS = 3_600;
const YEAR_SECONDS = 31_536_000;
/** The build puts files here whose name has a hash of their content. */
const HASHED = /[\\/]assets[\\/]/;

/** The files of the pages, by the prefix of their path. */
export function pageFiles({ PLAYGROUND }: Pick<GatewayConfig, 'PLAYGROUND'>): Record<string, RequestHandler> {
  const page = PLAYGROUND === 'on' ? tryFolder() : undefined;
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
 * Folder of the page `/try`, as its build leaves it; undefined if it was not built. It is not a dependency of this package: the
 * page is made of a client, and a service must not depend on one.
 */
function tryFolder(): string | undefined {
  const folder = fileURLToPath(new URL('../../../../pages/try/dist', import.meta.url));
  return existsSync(folder) ? folder : undefined;
}

/** Serves the page `/try`. Its addresses are relative, so that it also works below a path of a proxy. */
function serveTry(folder: string): RequestHandler {
  const files = sirv(folder, {
    brotli: true,
    gzip: true,
    etag: true,
    setHeaders: (response, path) =>
      response.setHeader(
        'Cache-Control',
        HASHED.test(path) ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
      ),
  });
  return (request, response, next) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuseMethod(request, response, ['GET', 'HEAD']);
    response.setHeader('Content-Security-Policy', TRY_POLICY);
    const [path, query] = request.originalUrl.split('?');
    if (path?.endsWith('/try'))
      return response.redirect(308, `try/${query === undefined ? '' : `?${query}`}`);
    files(request, response, next);
  };
}

/** Folder of Swagger UI: that of the build, whose files are compressed, or else that of the library. */
function swaggerFolder(): string {
  const built = fileURLToPath(new URL('../../dist/swagger-ui', import.meta.url));
  return existsSync(built) ? built : swaggerUiFolder();
}
