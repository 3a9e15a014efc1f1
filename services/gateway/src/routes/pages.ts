import { gzipSync } from 'node:zlib';
import { AppError } from '@scriptorium/contracts/errors';
import type { Request } from 'express';
import { z } from 'zod';
import type { Route } from '../http/route.ts';
import { docsPage } from '../pages/docs.ts';
import { modelsText, type OpenApi } from '../pages/for-models.ts';
import { landingPage, quickStart } from '../pages/landing.ts';
import type { SampleFiles } from '../pages/samples.ts';

const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

export interface PageParts {
  version: string;
  /** Whether the page `/try` is served. */
  hasPlayground: boolean;
  publicUrl: string | undefined;
  /** The operator's; see `SECURITY_CONTACT`. */
  securityContact: string | undefined;
  /** Returns the OpenAPI document. Called for each request. */
  openApi(): object;
  samples: SampleFiles;
}

const SAMPLES: { sample: keyof SampleFiles; name: string; summary: string; description: string }[] = [
  {
    sample: 'document',
    name: 'sample.docx',
    summary: 'A document to convert',
    description: 'A DOCX of one page',
  },
  {
    sample: 'template',
    name: 'sample-template.docx',
    summary: 'A template to fill',
    description:
      'A DOCX of one page with the fields `customer_name`, `order_number`, `items`, `total`, `logo` and `signature`',
  },
  {
    sample: 'signed',
    name: 'sample-signed.docx',
    summary: 'A document to verify',
    description: 'A signed DOCX of one page',
  },
];

/** How long a reader may rely on the contact. */
const CONTACT_MS = 30 * 86_400_000;

/** A leaf on the color of a seal. */
const SIGN =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#8c2f1b"/><path d="M7 25C8 13 14 7 25 7c0 11-6 17-15 16m-3 2c4-7 8-10 12-12" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/></svg>';

const PAGE = { method: 'get', access: 'public', tag: 'System', isUntraced: true, errors: [] } as const;

/** The landing page, the reference and the sample documents. */
export function pageRoutes(parts: PageParts): Route[] {
  const { version, publicUrl, securityContact, openApi, samples, hasPlayground } = parts;
  const baseUrlOf = (request: Request): string =>
    publicUrl?.replace(/\/$/, '') ?? `${request.protocol}://${request.host}`;
  let compressed: Buffer | undefined;
  const service = z.object({
    name: z.string(),
    version: z.string(),
    docs: z.string(),
    openapi: z.string(),
    health: z.string(),
  });
  return [
    {
      ...PAGE,
      errors: [],
      path: '/',
      summary: 'Description of the service and first steps',
      success: [
        { description: 'For programs', contentType: 'application/json', schema: service },
        { description: 'For curl: a quick start', contentType: 'text/plain' },
        { description: 'For browsers', contentType: 'text/html' },
      ],
      handle(request, response) {
        const baseUrl = baseUrlOf(request);
        response.vary('Accept');
        switch (request.accepts(['text/plain', 'text/html', 'application/json'])) {
          case 'text/html':
            return void response.type('html').send(landingPage(baseUrl, version, hasPlayground));
          case 'application/json':
            return void response.json({
              name: 'Scriptorium',
              version,
              docs: `${baseUrl}/docs`,
              openapi: `${baseUrl}/openapi.json`,
              health: `${baseUrl}/v1/health`,
            });
          default:
            return void response.type('text/plain').send(quickStart(baseUrl));
        }
      },
    },
    {
      ...PAGE,
      errors: [],
      path: '/docs',
      summary: 'API reference for browsers',
      success: [{ description: 'A page', contentType: 'text/html' }],
      handle(request, response) {
        // The page names its files from this path on.
        if (request.path.endsWith('/')) response.redirect(308, '../docs');
        else response.type('html').send(docsPage(hasPlayground));
      },
    },
    {
      ...PAGE,
      errors: [],
      path: '/openapi.json',
      summary: 'OpenAPI 3.1 document of this API',
      success: [{ description: 'The document', contentType: 'application/json' }],
      handle(request, response) {
        compressed ??= gzipSync(JSON.stringify(openApi()));
        response.vary('Accept-Encoding');
        if (!request.acceptsEncodings('gzip')) return void response.json(openApi());
        response.setHeader('Content-Encoding', 'gzip').type('json').send(compressed);
      },
    },
    modelsRoute((request) => {
      const baseUrl = baseUrlOf(request);
      return modelsText(baseUrl, openApi() as OpenApi, quickStart(baseUrl));
    }),
    signRoute,
    securityRoute({ publicUrl, securityContact }),
    ...sampleRoutes(samples),
  ];
}

const modelsRoute = (textFor: (request: Request) => string): Route => ({
  ...PAGE,
  errors: [],
  path: '/llms.txt',
  summary: 'What this service does, for language models',
  success: [{ description: 'Markdown', contentType: 'text/plain' }],
  handle: (request, response) => void response.type('text/plain').send(textFor(request)),
});

const signRoute: Route = {
  ...PAGE,
  errors: [],
  path: '/favicon.ico',
  summary: 'The sign of the pages',
  success: [{ description: 'A picture', contentType: 'image/svg+xml' }],
  handle(_request, response) {
    response.setHeader('Cache-Control', 'public, max-age=86400');
    response.type('image/svg+xml').send(SIGN);
  },
};

function sampleRoutes(samples: SampleFiles): Route[] {
  return SAMPLES.map(
    ({ sample, name, summary, description }): Route => ({
      ...PAGE,
      errors: [],
      path: `/${name}`,
      summary,
      success: [{ description, contentType: DOCX_TYPE }],
      handle(_request, response) {
        response.attachment(name);
        response.setHeader('Content-Type', DOCX_TYPE);
        response.end(samples[sample]);
      },
    }),
  );
}

function securityRoute({
  publicUrl,
  securityContact,
}: Pick<PageParts, 'publicUrl' | 'securityContact'>): Route {
  const path = '/.well-known/security.txt';
  return {
    ...PAGE,
    errors: [],
    path,
    summary: 'Where to report a vulnerability (RFC 9116)',
    success: [{ description: 'The contact of the operator', contentType: 'text/plain' }],
    handle(_request, response) {
      if (securityContact === undefined)
        throw new AppError('NOT_FOUND', 'The operator of this service names no security contact.');
      const lines = [
        `Contact: ${securityContact}`,
        `Expires: ${new Date(Date.now() + CONTACT_MS).toISOString()}`,
        'Preferred-Languages: en',
        ...(publicUrl === undefined ? [] : [`Canonical: ${publicUrl.replace(/\/$/, '')}${path}`]),
      ];
      response.type('text/plain').send(`${lines.join('\n')}\n`);
    },
  };
}
