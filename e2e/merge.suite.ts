import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openPackage } from '@scriptorium/ooxml/package';
import { testInWhole } from '@scriptorium/testing/extent';
import { invoiceOf } from '@scriptorium/testing/fixtures/invoice';
import * as notDocx from '@scriptorium/testing/fixtures/not-docx';
import { formPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { encryptedPdf } from '@scriptorium/testing/fixtures/pdf/programs';
import { p, run, templateOf } from '@scriptorium/testing/fixtures/word-markup';
import { pdfText, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { outcomeOf, withFiles } from '@scriptorium/testing/judges/programs';
import { pageSizes, textFrom } from '@scriptorium/testing/pdf-reading';
import { encryptedByLibreOffice } from '@scriptorium/testing/producers/libreoffice';
import { remainsInRedis, untilInWork } from './remains.ts';
import { type Deployment, until } from './service.ts';
import { sharedService } from './shared-service.ts';

const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const PDF_TYPE = 'application/pdf';

let service: Deployment;
let key: string;

beforeAll(async () => {
  service = await sharedService();
  key = await service.register();
});
afterEach(() => until('nothing of a document is left', () => remainsInRedis(service).length === 0));

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

  test('of a caller of Gotenberg becomes a PDF in the order of the numbers, or an archive of PDFs', async () => {
    const send = (fields: Record<string, string>) => {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.append(name, value);
      for (const name of ['page_10.docx', 'page_2.docx'])
        body.append('files', new Blob([new Uint8Array(documentOf(`in ${name}`))]), name);
      const authorization = `Basic ${Buffer.from(`any:${key}`).toString('base64')}`;
      return fetch(`${service.url}/forms/libreoffice/convert`, {
        method: 'POST',
        headers: { authorization },
        body,
      });
    };
    const pdf = await bytesOf(await send({ merge: 'true', nativePageRanges: '1' }), PDF_TYPE);
    expect(await pageSizes(pdf)).toHaveLength(2);
    expect([await textFrom(pdf, 1), await textFrom(pdf, 2)]).toEqual([
      expect.stringContaining('in page_2.docx'),
      expect.stringContaining('in page_10.docx'),
    ]);
    const zip = await bytesOf(await send({ pdfa: 'PDF/A-2b' }), 'application/zip');
    const tested = await withFiles([zip], '.zip', ([path = '']) =>
      outcomeOf('python3', ['-m', 'zipfile', '-t', path]),
    );
    expect(tested).toEqual({ status: 0, text: 'Done testing\n' });
    expect(zip.toString('latin1').match(/page_\d+\.docx\.pdf/g)).toHaveLength(4);
    expect(zip.toString('latin1').match(/pdfaid:part>2</g)).toHaveLength(2);
  });

  testInWhole(
    'of a caller of Gotenberg becomes a PDF with its passwords, properties, mark and files',
    async () => {
      const send = (docx: Buffer, fields: Record<string, string>, others: Record<string, Buffer> = {}) => {
        const body = new FormData();
        for (const [name, value] of Object.entries(fields)) body.append(name, value);
        body.append('files', new Blob([new Uint8Array(docx)]), 'letter.docx');
        for (const [path, bytes] of Object.entries(others)) {
          const [part = '', name] = path.split('/');
          body.append(part, new Blob([new Uint8Array(bytes)]), name);
        }
        const headers = { authorization: `Bearer ${key}` };
        return fetch(`${service.url}/forms/libreoffice/convert`, { method: 'POST', headers, body });
      };
      const document = { bytes: documentOf('a secret'), from: 'docx', to: 'docx' } as const;
      const [secret = Buffer.alloc(0)] = await encryptedByLibreOffice('opens', [document]);
      const asked = {
        ...{ password: 'opens', userPassword: 'user', ownerPassword: 'owner', allowCopying: 'false' },
        ...{ watermarkSource: 'text', watermarkExpression: 'DRAFT' },
        metadata: '{"Title":"A letter","Keywords":["first","second"]}',
        embedsMetadata: '{"data.xml":{"relationship":"Data"}}',
      };
      const response = await send(secret, asked, { 'embeds/data.xml': Buffer.from('<data/>') });
      const pdf = await bytesOf(response, PDF_TYPE);
      expect(await qpdfComplaints(pdf, 'user')).toEqual([]);
      const about = await withFiles([pdf], '.pdf', async ([path = '']) => ({
        facts: (await outcomeOf('pdfinfo', ['-upw', 'user', path])).text,
        files: (await outcomeOf('pdfdetach', ['-list', '-upw', 'user', path])).text,
        closed: (await outcomeOf('pdfinfo', [path])).text,
      }));
      expect(about.facts).toMatch(/^Title: +A letter$/m);
      expect(about.facts).toMatch(/^Keywords: +first, second$/m);
      expect(about.facts).toMatch(/^Encrypted: +yes \(print:yes copy:no change:yes addNotes:yes/m);
      expect(about.files).toContain('data.xml');
      expect(about.closed).toContain('Incorrect password');
      expect(await pdfText(pdf, 'user')).toContain('a secret');
      const wrong = await send(secret, { password: 'other' });
      expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('password')]);
      const xml = { 'facturxXml/any.xml': invoiceOf('urn:cen.eu:en16931:2017') };
      const invoice = await bytesOf(
        await send(documentOf('an invoice'), { facturxConformanceLevel: 'EN 16931' }, xml),
        PDF_TYPE,
      );
      for (const claim of ['<fx:ConformanceLevel>EN 16931<', '<pdfaid:part>3<'])
        expect(invoice.includes(claim)).toBe(true);
      const other = await send(documentOf('an invoice'), { facturxConformanceLevel: 'BASIC' }, xml);
      expect([other.status, await other.text()]).toEqual([
        400,
        'Invalid request: facturxConformanceLevel.\nfacturxConformanceLevel must be the profile in the XML: `EN 16931`',
      ]);
    },
  );

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
