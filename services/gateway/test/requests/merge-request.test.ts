import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  asDocument,
  docxOf,
  errorIn,
  formOf,
  type MergingRig,
  mergedIn,
  pdfOf,
  startMergingRig,
} from '../rigs/merging-rig.ts';

const DOCUMENT_BYTES_MAX = 20_000;
const ALL_BYTES_MAX = 50_000;

let rig: MergingRig;
let server: Server;
let outside: string;
let requested: string[] = [];

beforeAll(async () => {
  server = createServer((asked, response) => {
    const path = asked.url ?? '';
    requested.push(path);
    if (path === '/missing') response.statusCode = 404;
    response.end(path.endsWith('.large') ? Buffer.alloc(18_000, 'PK') : docxOf(path));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  outside = `http://127.0.0.1:${port}`;
  rig = await startMergingRig({
    FETCH_ALLOW: `127.0.0.1:${port}`,
    UPLOAD_BYTES_MAX: String(DOCUMENT_BYTES_MAX),
    MERGE_BYTES_MAX: String(ALL_BYTES_MAX),
    JSON_BYTES_MAX: '1024',
  });
});
afterEach(async () => {
  requested = [];
  await rig.clear();
});
afterAll(async () => {
  await rig.rig.close();
  server.closeAllConnections();
  server.close();
});

const [a, b] = ['a', 'b'].map((name) => asDocument(docxOf(name))) as [object, object];
const p = asDocument(pdfOf('p'));
const large = Buffer.concat([docxOf('large'), Buffer.alloc(DOCUMENT_BYTES_MAX - 100)]);
const tooLarge = Buffer.concat([large, Buffer.alloc(200)]);

describe('a body is refused', () => {
  test.each<[string, unknown, string[]]>([
    ['without documents', {}, ['documents: is required']],
    ['with no document', { documents: [] }, ['documents: must have at least one entry']],
    ['with 101 documents', { documents: Array(101).fill(a) }, ['documents: must have at most 100 entries']],
    ['with an unknown property', { documents: [a], title: 'x' }, ['title: is not a known property']],
    [
      'with unknown properties of a document and of the options',
      { documents: [a, { ...b, pages: 1 }], options: { toc: true } },
      ['documents[1].pages: is not a known property', 'options.toc: is not a known property'],
    ],
    [
      'with a document without a source, and one with two',
      { documents: [{}, { base64: 'UEsD', url: 'https://example.com' }] },
      [
        'documents[0]: must have exactly one of `base64` and `url`',
        'documents[1]: must have exactly one of `base64` and `url`',
      ],
    ],
    [
      'with wrong values',
      { documents: [{ ...a, break: 'column' }], options: { headers: 'none' } },
      [
        'documents[0].break: must be one of `page`, `odd`, `even` and `continuous`',
        'options.headers: must be one of `keep` and `first`',
      ],
    ],
    [
      'with a document that is not base64',
      { documents: [a, { base64: 'UEsD!AAA' }] },
      ['documents[1].base64: is not base64 (RFC 4648 §4, padded, without line breaks)'],
    ],
  ])('%s', async (_name, body, details) => {
    expect(await errorIn(await rig.merge(body))).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      details,
    });
    expect(rig.merges).toEqual([]);
  });

  test('for names that objects inherit', async () => {
    const body = `{"documents":[{"base64":"UEsD","__proto__":{}}],"constructor":1}`;
    expect((await errorIn(await rig.merge(body))).details).toEqual([
      'documents[0].__proto__: is not a known property',
      'constructor: is not a known property',
    ]);
  });

  test('with an empty document', async () => {
    expect(await errorIn(await rig.merge({ documents: [a, { base64: '' }] }))).toMatchObject({
      code: 'INVALID_FILE_FORMAT',
      details: ['documents[1]: The document is empty.'],
    });
  });
});

describe('PDFs among the documents', () => {
  test('are refused by their places without to=pdf', async () => {
    expect((await errorIn(await rig.merge({ documents: [a, p, b, p] }))).details).toEqual([
      'documents[1]: is a PDF, which requires `to=pdf`',
      'documents[3]: is a PDF, which requires `to=pdf`',
    ]);
  });

  test('are refused with what cannot reach across them', async () => {
    const refused = async (parts: object[], options = {}) =>
      (await errorIn(await rig.merge({ documents: parts, options }, '?to=pdf'))).details;
    const atEdge = 'must be `page` where a PDF begins or ends';
    expect(await refused([a, { ...p, break: 'odd' }])).toEqual([`documents[1].break: ${atEdge}`]);
    expect(await refused([p, { ...b, break: 'continuous' }])).toEqual([`documents[1].break: ${atEdge}`]);
    expect(await refused([a, p, b], { break: 'even' })).toEqual([`options.break: ${atEdge}`]);
    expect(await refused([a, { ...p, headers: 'first' }])).toEqual([
      'documents[1].headers: must be `keep` for a PDF',
    ]);
    expect(await refused([p, { ...b, headers: 'first' }])).toEqual([
      'documents[1].headers: must be `keep` for a document after the PDF `documents[0]`',
    ]);
    const reaching = { headers: 'first', styles: 'first', numbering: 'continue', pageNumbers: 'continue' };
    expect(await refused([a, p, b, b], reaching)).toEqual([
      'options.headers: must be `keep` for a document after the PDF `documents[1]`',
      'options.styles: must not be `first` with a DOCX after the PDF `documents[1]`',
      'options.numbering: must not be `continue` with a DOCX after the PDF `documents[1]`',
      'options.pageNumbers: must not be `continue` with a DOCX after the PDF `documents[1]`',
    ]);
  });

  test('are taken with options that stay within a run', async () => {
    const options = { headers: 'first', styles: 'first', numbering: 'continue', pageNumbers: 'continue' };
    const parts = [a, { ...b, break: 'continuous' }, p];
    const { text } = await mergedIn(await rig.merge({ documents: parts, options }, '?to=pdf'));
    expect(text).toBe('{([<a><b>])+<p>}');
  });
});

describe('the size', () => {
  test('of one document is bounded, whatever the JSON limit of other operations', async () => {
    await mergedIn(await rig.merge({ documents: [a, asDocument(large)] }));
    expect(await errorIn(await rig.merge({ documents: [a, asDocument(tooLarge)] }))).toMatchObject({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      details: ['documents[1]: The document exceeds the limit of 20000 bytes.'],
    });
    expect(await errorIn(await rig.send(formOf([docxOf('a'), tooLarge])))).toMatchObject({
      status: 413,
      message: 'The file exceeds the limit of 20000 bytes.',
    });
  });

  test('of all documents is bounded', async () => {
    const message = `The documents exceed the limit of ${ALL_BYTES_MAX} bytes in all.`;
    const three = [large, large, large];
    for (const response of [
      await rig.merge({ documents: three.map((bytes) => asDocument(bytes)) }),
      await rig.send(formOf(three)),
      await rig.merge({ documents: ['1', '2', '3'].map((name) => ({ url: `${outside}/${name}.large` })) }),
      await rig.merge({ documents: [1, 2, 3].map(() => ({ url: `${outside}/same.large` })) }),
    ])
      expect(await errorIn(response)).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE', message });
  });

  test('of a body is bounded before it is read to its end', async () => {
    const sending = request(`${rig.rig.url}/v1/merge`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${rig.key}`,
        'content-type': 'multipart/form-data; boundary=b',
      },
    });
    let sent = 0;
    const timer = setInterval(() => {
      sent += 64 * 1024;
      sending.write(Buffer.alloc(64 * 1024, 'x'));
    }, 1);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      sending.once('response', (response) => resolve(response.statusCode));
      sending.once('error', reject);
    }).finally(() => clearInterval(timer));
    sending.destroy();
    expect(status).toBe(413);
    expect(sent).toBeLessThan(20_000_000);
  });
});

describe('documents by URL', () => {
  test('are fetched once each, and keep their places', async () => {
    const urls = ['/x', '/y', '/x'].map((path) => ({ url: outside + path }));
    const { text } = await mergedIn(await rig.merge({ documents: [a, ...urls] }));
    expect(text).toBe('[<a></x></y></x>]');
    expect(requested.sort()).toEqual(['/x', '/y']);
  });

  test('that cannot be fetched are refused with their place', async () => {
    const documents = [a, { url: `${outside}/missing` }];
    expect(await errorIn(await rig.merge({ documents }))).toMatchObject({
      status: 400,
      code: 'DOCUMENT_FETCH_FAILED',
      details: [expect.stringMatching(/^documents\[1\]\.url: /)],
    });
    const forbidden = await errorIn(await rig.merge({ documents: [{ url: 'http://127.0.0.2/x' }] }));
    expect(forbidden.code).toBe('DOCUMENT_FETCH_FAILED');
  });
});

describe('a form', () => {
  const refusedForm = async (files: Buffer[], options?: string) =>
    await errorIn(await rig.send(formOf(files, options)));
  const one = docxOf('a');

  test('is refused for wrong parts', async () => {
    const words = 'must have 1 to 100 file parts named "file", and at most one text part named "options"';
    expect((await refusedForm([])).details).toEqual(['file: is required: 1 to 100 file parts']);
    expect((await refusedForm(Array(101).fill(one))).details).toEqual([`file: ${words}`]);
    expect((await refusedForm([one, Buffer.alloc(0)])).details).toEqual(['documents[1]: is empty']);
    const twice = formOf([one], '{}');
    twice.append('options', '{}');
    expect((await errorIn(await rig.send(twice))).details).toEqual([`body: ${words}`]);
    const strange = formOf([one]);
    strange.append('to', 'pdf');
    expect((await errorIn(await rig.send(strange))).details).toEqual(['to: is not a known part']);
    const other = formOf([one]);
    other.append('attachment', new Blob(['x']), 'x.docx');
    expect((await errorIn(await rig.send(other))).details).toEqual([`attachment: ${words}`]);
  });

  test('is refused for wrong options', async () => {
    expect((await refusedForm([one], '{')).details).toEqual(['options: is not valid JSON']);
    expect((await refusedForm([one], '[]')).details).toEqual(['options: must be an object']);
    expect((await refusedForm([one], '{"breaks":"page"}')).details).toEqual([
      'options.breaks: is not a known property',
    ]);
    expect((await refusedForm([one], `{"break":"${'x'.repeat(20_000)}"}`)).details).toEqual([
      'options: has more than 16384 bytes',
    ]);
    const nested = formOf([one]);
    nested.append('options[break]', 'odd');
    expect((await errorIn(await rig.send(nested))).status).toBe(400);
  });
});

test('another content type is refused', async () => {
  const response = await rig.merge('PK', '', { headers: { 'content-type': 'application/zip' } });
  expect(await errorIn(response)).toMatchObject({
    status: 415,
    message: 'Send application/json, or multipart/form-data with 1 to 100 file parts named "file".',
  });
});
