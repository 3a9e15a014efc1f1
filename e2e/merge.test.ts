import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import * as notDocx from '@scriptorium/testing/fixtures/not-docx';
import { formPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { encryptedPdf } from '@scriptorium/testing/fixtures/pdf/programs';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { outcomeOf, withFiles } from '@scriptorium/testing/judges/programs';
import { pageSizes, textFrom } from '@scriptorium/testing/pdf-reading';
import { remainsInRedis, untilInWork } from './remains.ts';
import { type Deployment, deploy, until } from './service.ts';

const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const PDF_TYPE = 'application/pdf';

let service: Deployment;
let key: string;

beforeAll(async () => {
  service = await deploy({ annotators: 1, signers: 0, verifiers: 0 });
  key = await service.register();
}, 120_000);
afterEach(() => until('nothing of a document is left', () => remainsInRedis(service).length === 0));
afterAll(() => service.close());

const documentOf = (text: string) => templateOf(p(run(text)));

function merge(
  documents: readonly Buffer[],
  {
    query = '',
    accept = 'application/json',
    signal,
  }: { query?: string; accept?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  const body = { documents: documents.map((bytes) => ({ base64: bytes.toString('base64') })) };
  return fetch(`${service.url}/v1/merge${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
}

async function bytesOf(response: Response, type: string): Promise<Buffer> {
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(type);
  return Buffer.from(await response.arrayBuffer());
}

describe('a merge', () => {
  test('has the texts of all documents in order', async () => {
    const response = await merge(['one', 'two', 'one'].map(documentOf), { accept: DOCX_TYPE });
    const { main } = await openPackage(await bytesOf(response, DOCX_TYPE));
    const texts = [...(main.xml ?? '').matchAll(/<w:t\b[^>]*>([^<]*)</g)].map(([, text]) => text);
    expect(texts).toEqual(['one', 'two', 'one']);
  });

  test('becomes a PDF with a page for each document', async () => {
    const response = await merge(['one', 'two'].map(documentOf), { query: '?to=pdf', accept: PDF_TYPE });
    expect(response.headers.get('x-page-count')).toBe('2');
    const pdf = await bytesOf(response, PDF_TYPE);
    expect(await pageSizes(pdf)).toHaveLength(2);
    expect(await textFrom(pdf, 2)).toContain('two');
  });

  test('joins DOCX and PDF, with the form of the PDF', async () => {
    const letter = await bytesOf(
      await merge([documentOf('of a PDF')], { query: '?to=pdf', accept: PDF_TYPE }),
      PDF_TYPE,
    );
    const parts = [documentOf('one'), letter, documentOf('two'), documentOf('three'), formPdf()];
    const response = await merge(parts, { query: '?to=pdf', accept: PDF_TYPE });
    expect(response.headers.get('x-page-count')).toBe('5');
    const pdf = await bytesOf(response, PDF_TYPE);
    expect(await qpdfComplaints(pdf)).toEqual([]);
    for (const [at, text] of ['one', 'of a PDF', 'two', 'three'].entries())
      expect(await textFrom(pdf, at + 1)).toContain(text);
    const { text: facts } = await withFiles([pdf], '.pdf', ([path = '']) => outcomeOf('pdfinfo', [path]));
    expect(facts).toMatch(/^Form: +AcroForm$/m);
    expect(facts).toMatch(/^Title: +\S/m);
  });

  test.each<[string, () => Buffer | Promise<Buffer>, string]>([
    ['an encrypted DOCX', notDocx.passwordProtectedDocx, 'DOCUMENT_ENCRYPTED'],
    ['an encrypted PDF', encryptedPdf, 'DOCUMENT_ENCRYPTED'],
    ['a workbook', notDocx.xlsx, 'INVALID_FILE_FORMAT'],
    ['a text', notDocx.text, 'INVALID_FILE_FORMAT'],
    ['half a document', notDocx.truncatedDocx, 'INVALID_FILE_FORMAT'],
  ])('is refused for %s among the documents, with its place', async (_name, broken, code) => {
    const parts = [documentOf('one'), formPdf(), await broken(), documentOf('two')];
    const response = await merge(parts, { query: '?to=pdf' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code, details: [{ field: 'documents[2]' }] });
  });

  test('leaves nothing behind when its caller disconnects', async () => {
    const leaving = new AbortController();
    const parts = Array.from({ length: 30 }, (_, at) => (at % 2 ? formPdf() : documentOf(`text ${at}`)));
    const answer = merge(parts, { query: '?to=pdf', signal: leaving.signal });
    answer.catch(() => undefined);
    await untilInWork(service);
    leaving.abort();
    await expect(answer).rejects.toThrow();
  });
});
