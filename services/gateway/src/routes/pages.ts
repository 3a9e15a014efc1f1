import { readFile } from 'node:fs/promises';
import type { Request } from 'express';
import { z } from 'zod';
import { docsPage } from '../pages/docs.ts';
import { landingPage, quickStart } from '../pages/landing.ts';
import type { Route } from '../route.ts';

const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

export interface PageParts {
  version: string;
  publicUrl: string | undefined;
  /** Returns the OpenAPI document. Called for each request. */
  openApi(): unknown;
  /** Folder of the sample documents. Ends in a slash. */
  samplesFolder: string;
}

const SAMPLES = [
  { name: 'sample.docx', summary: 'A document to convert', description: 'A DOCX of one page' },
  {
    name: 'sample-template.docx',
    summary: 'A template to fill',
    description:
      'A DOCX of one page with the fields `customer_name`, `order_number`, `items`, `total`, `logo` and `signature`',
  },
];

/** The landing page, the reference and the sample documents. */
export function pageRoutes({ version, publicUrl, openApi, samplesFolder }: PageParts): Route[] {
  const baseUrlOf = (request: Request): string =>
    publicUrl?.replace(/\/$/, '') ?? `${request.protocol}://${request.host}`;
  const page = { method: 'get', access: 'public', tag: 'System', isUntraced: true, errors: [] } as const;
  const service = z.object({
    name: z.string(),
    version: z.string(),
    docs: z.string(),
    openapi: z.string(),
    health: z.string(),
  });
  return [
    {
      ...page,
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
            return void response.type('html').send(landingPage(baseUrl, version));
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
      ...page,
      errors: [],
      path: '/docs',
      summary: 'API reference for browsers',
      success: [{ description: 'A page', contentType: 'text/html' }],
      handle: (_request, response) => void response.type('html').send(docsPage()),
    },
    {
      ...page,
      errors: [],
      path: '/openapi.json',
      summary: 'OpenAPI 3.1 document of this API',
      success: [{ description: 'The document', contentType: 'application/json' }],
      handle: (_request, response) => void response.json(openApi()),
    },
    ...SAMPLES.map(
      ({ name, summary, description }): Route => ({
        ...page,
        errors: [],
        path: `/${name}`,
        summary,
        success: [{ description, contentType: DOCX_TYPE }],
        async handle(_request, response) {
          response.attachment(name);
          response.setHeader('Content-Type', DOCX_TYPE);
          response.end(await readFile(samplesFolder + name));
        },
      }),
    ),
  ];
}
