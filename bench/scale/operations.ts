import { readFileSync } from 'node:fs';
import { SAMPLE_FIELDS } from '@scriptorium/gateway/pages/fill-command';
import { heavyPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { KINDS, makeDocument } from '../documents.ts';

/** Text documents that are sent in turn: engines cache nothing between them. */
const DOCUMENTS = 64;
const LARGE_PDF_BYTES = 5_000_000;
const SMALL_PDF_BYTES = 100_000;
/** The gateway's one-page sample letter. */
const TEMPLATE = new URL('../../services/gateway/assets/sample-template.docx', import.meta.url);

/** A request that can be sent any number of times. */
export interface Prepared {
  path: string;
  contentType: string;
  body: Buffer;
  /** Size of the document itself. */
  documentBytes: number;
}

/** Sends one request, and returns the response body. */
export type Send = (request: Prepared) => Promise<Buffer>;

interface Operation {
  title: string;
  workers: readonly Worker[];
  prepare(send: Send): Promise<Prepared[]>;
}

export type Worker = 'converter' | 'annotator' | 'signer' | 'verifier';

export const OPERATIONS = {
  convert1: { title: 'convert, 1 page', workers: ['converter'], prepare: async () => conversions(0) },
  convert10: { title: 'convert, 10 pages', workers: ['converter'], prepare: async () => conversions(1) },
  annotate: { title: 'annotate, a letter', workers: ['annotator'], prepare: async () => [filling('')] },
  annotatePdf: {
    title: 'annotate, a letter to PDF',
    workers: ['annotator', 'converter'],
    prepare: async () => [filling('?to=pdf')],
  },
  sign: {
    title: 'sign, PDF of 100 KB',
    workers: ['signer'],
    prepare: async () => [signing(SMALL_PDF_BYTES)],
  },
  verify: { title: 'verify, PDF of 100 KB', workers: ['verifier'], prepare: verifying(SMALL_PDF_BYTES) },
  signLarge: {
    title: 'sign, PDF of 5 MB',
    workers: ['signer'],
    prepare: async () => [signing(LARGE_PDF_BYTES)],
  },
  verifyLarge: { title: 'verify, PDF of 5 MB', workers: ['verifier'], prepare: verifying(LARGE_PDF_BYTES) },
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;

/** The operations for sizing deployments; the others show the cost of larger documents. */
export const SIZED = ['convert1', 'convert10', 'annotate', 'annotatePdf', 'sign', 'verify'] as const;
export type SizedName = (typeof SIZED)[number];

function conversions(kind: 0 | 1): Prepared[] {
  const { name, pages } = KINDS[kind] ?? { name: '', pages: 1 };
  return Array.from({ length: DOCUMENTS }, () =>
    upload('/v1/convert?from=docx', makeDocument({ name, pages }), 'document.docx'),
  );
}

function filling(query: string): Prepared {
  const template = readFileSync(TEMPLATE);
  return json(`/v1/annotate${query}`, template, { fields: SAMPLE_FIELDS });
}

function signing(bytes: number): Prepared {
  return json('/v1/sign', heavyPdf(bytes), {
    signer: { name: 'Ada Lovelace', email: 'ada@example.com' },
    auditTrail: [{ type: 'submit', timestamp: new Date().toISOString() }],
  });
}

function verifying(bytes: number) {
  return async (send: Send): Promise<Prepared[]> => [
    upload('/v1/verify', documentIn(await send(signing(bytes))), 'signed.pdf'),
  ];
}

function json(path: string, document: Buffer, more: object): Prepared {
  const body = JSON.stringify({ document: { base64: document.toString('base64') }, ...more });
  return {
    path,
    contentType: 'application/json',
    body: Buffer.from(body),
    documentBytes: document.length,
  };
}

/** A form with one file (RFC 7578). */
function upload(path: string, document: Buffer, name: string): Prepared {
  const boundary = 'bench-of-scriptorium';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`;
  return {
    path,
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(head), document, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    documentBytes: document.length,
  };
}

/** The document in a JSON response. */
export function documentIn(answer: Buffer): Buffer {
  const { document } = JSON.parse(answer.toString()) as { document: { base64: string } };
  return Buffer.from(document.base64.slice(document.base64.indexOf(',') + 1), 'base64');
}
