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
import { DOCX_TYPE, PDF_TYPE, until } from '../rigs/signing-rig.ts';

let rig: MergingRig;
beforeAll(async () => {
  rig = await startMergingRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.rig.close());

const [a, b, c] = ['a', 'b', 'c'].map(docxOf) as [Buffer, Buffer, Buffer];
const [p, q] = ['p', 'q'].map(pdfOf) as [Buffer, Buffer];
const documents = (...parts: Buffer[]) => parts.map((bytes) => asDocument(bytes));

describe('a merge to DOCX', () => {
  test('returns the merged document and its warnings', async () => {
    const response = await rig.merge({ documents: documents(a, b, c) });
    expect(response.headers.get('x-merge-warnings')).toBe('TESTED');
    expect(response.headers.get('server-timing')).toMatch(
      /^load;dur=[\d.]+, queue;dur=[\d.]+, merge;dur=7.0$/,
    );
    expect(await mergedIn(response)).toEqual({
      text: '[<a><b><c>]',
      contentType: DOCX_TYPE,
      warnings: [{ document: 0, code: 'TESTED', message: 'It is a test.' }],
    });
  });

  test('passes the options on, and what a document says for itself', async () => {
    const options = { break: 'odd', styles: 'first', numbering: 'continue', pageNumbers: 'restart' };
    const own = { break: 'continuous', headers: 'first' };
    await mergedIn(await rig.merge({ documents: [asDocument(a), asDocument(b, own)], options }));
    expect(rig.merges).toMatchObject([
      { first: 0, options: { ...options, headers: 'keep' }, documents: [{}, own] },
    ]);
    expect(rig.merges[0]?.documents[0]).not.toHaveProperty('break');
  });

  test('takes one document twice, and 100 documents', async () => {
    expect((await mergedIn(await rig.merge({ documents: documents(a, b, a) }))).text).toBe('[<a><b><a>]');
    const names = Array.from({ length: 100 }, (_, at) => String(at));
    const many = await mergedIn(await rig.merge({ documents: documents(...names.map(docxOf)) }));
    expect(many.text).toBe(`[${names.map((name) => `<${name}>`).join('')}]`);
  });

  test('takes a form, whose order is that of its parts', async () => {
    const options = JSON.stringify({ break: 'even' });
    const response = await rig.send(formOf([c, a, b], options), '', { accept: DOCX_TYPE });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="merged.docx"');
    expect(response.headers.get('x-merge-warnings')).toBe('TESTED');
    expect(await response.text()).toBe('PK\x03\x04[<c><a><b>]');
    expect(rig.merges).toMatchObject([{ options: { break: 'even', headers: 'keep' } }]);
  });
});

describe('a merge to PDF', () => {
  test('converts each document alone if nothing reaches from one into another', async () => {
    const response = await rig.merge({ documents: documents(a, b) }, '?to=pdf');
    expect(response.headers.get('x-page-count')).toBe('9');
    expect((await mergedIn(response)).text).toBe('{([<a>])+([<b>])}');
  });

  test.each<[object, object]>([
    [{ styles: 'first' }, {}],
    [{ numbering: 'continue' }, {}],
    [{ pageNumbers: 'continue' }, {}],
    [{ pageNumbers: 'restart' }, {}],
    [{ break: 'even' }, {}],
    [{ headers: 'first' }, {}],
    [{}, { break: 'continuous' }],
    [{}, { headers: 'first' }],
  ])('converts the merged document with %j and the document %j', async (options, own) => {
    const parts = [asDocument(a), asDocument(b, own)];
    const response = await rig.merge({ documents: parts, options }, '?to=pdf');
    expect(response.headers.get('x-page-count')).toBe('3');
    expect(response.headers.get('x-conversion-warnings')).toBe('2');
    expect(await mergedIn(response)).toMatchObject({
      text: '([<a><b>])',
      contentType: PDF_TYPE,
      warnings: [{ code: 'TESTED' }],
    });
    expect(rig.joins).toEqual([]);
  });

  test('joins PDFs with the PDFs of the runs between them, in order', async () => {
    const parts = documents(p, a, b, q, p, c);
    parts[2] = asDocument(b, { break: 'odd' });
    const response = await rig.merge({ documents: parts }, '?to=pdf');
    expect(response.headers.get('x-page-count')).toBe('9');
    expect(response.headers.get('x-conversion-warnings')).toBe('4');
    expect(response.headers.get('x-merge-warnings')).toBe('TESTED, CONFORMANCE_LOST');
    const { text, warnings } = await mergedIn(response);
    expect(text).toBe('{<p>+([<a><b>])+<q>+<p>+([<c>])}');
    expect(warnings.map(({ document, code }) => [document, code])).toEqual([
      [1, 'TESTED'],
      [5, 'TESTED'],
      [undefined, 'CONFORMANCE_LOST'],
    ]);
    const places = rig.joins[0]?.parts.map(({ document, isMade }) => [document, isMade]);
    expect(places).toEqual([
      [0, false],
      [1, true],
      [3, false],
      [4, false],
      [5, true],
    ]);
  });

  test('joins PDFs alone, also one that has other bytes before its header', async () => {
    const late = Buffer.concat([Buffer.alloc(500, ' '), q]);
    const response = await rig.send(formOf([p, late]), '?to=pdf', { accept: PDF_TYPE });
    expect(response.headers.get('x-conversion-warnings')).toBeNull();
    expect(await response.text()).toMatch(/^%PDF-1.7\{<p>\+ +<q>\}$/);
    expect(rig.merges).toEqual([]);
  });

  test('runs many parts, a few at a time', async () => {
    const mixed = Array.from({ length: 40 }, (_, at) => (at % 2 ? pdfOf(`${at}`) : docxOf(`${at}`)));
    const { text } = await mergedIn(await rig.merge({ documents: documents(...mixed) }, '?to=pdf'));
    const expected = mixed.map((_, at) => (at % 2 ? `<${at}>` : `([<${at}>])`));
    expect(text).toBe(`{${expected.join('+')}}`);
  });
});

describe('a failure', () => {
  test.each([
    ['of a merge', 'bad-merge', [p, a, 'bad'], 'documents[2]'],
    ['of a conversion, with the only document of its run', 'bad-convert', [p, a, 'bad'], 'documents[2]'],
    ['of a conversion between PDFs', 'bad-convert', [p, 'bad', q], 'documents[1]'],
    ['of a conversion without PDFs', 'bad-convert', ['bad', a], 'documents[0]'],
    ['of joining', 'bad-join', [a, b, 'bad-pdf'], 'documents[2]'],
  ])('%s is reported with the path in the request', async (_name, name, parts, field) => {
    const bytes = parts.map((part) =>
      Buffer.isBuffer(part) ? part : part === 'bad' ? docxOf(name) : pdfOf(name),
    );
    const error = await errorIn(await rig.merge({ documents: documents(...bytes) }, '?to=pdf'));
    expect(error).toMatchObject({
      status: 400,
      code: 'DOCUMENT_TOO_COMPLEX',
      details: [`${field}: is too long`],
    });
  });

  test('of the conversion of merged documents is reported with all of them', async () => {
    const options = { numbering: 'continue' };
    const parts = documents(a, docxOf('bad-convert'));
    const error = await errorIn(await rig.merge({ documents: parts, options }, '?to=pdf'));
    expect(error).toMatchObject({ status: 400, details: ['documents: is too long'] });
  });

  test('of one part cancels the others', async () => {
    const parts = documents(docxOf('slow-convert'), p, docxOf('bad-merge'));
    expect(await errorIn(await rig.merge({ documents: parts }, '?to=pdf'))).toMatchObject({
      details: ['documents[2]: is too long'],
    });
    // The slow part may not have begun.
    expect(await until(() => rig.begun.length === rig.ended.length)).toBe(true);
  });
});

describe('a caller that disconnects', () => {
  test.each(['merge', 'convert', 'join'])('cancels the work while it waits for %s', async (step) => {
    const leaving = new AbortController();
    const slow = step === 'join' ? pdfOf('slow-join') : docxOf(`slow-${step}`);
    const answer = rig.merge({ documents: documents(a, p, slow) }, '?to=pdf', { signal: leaving.signal });
    answer.catch(() => undefined);
    expect(await until(() => rig.begun.includes(step))).toBe(true);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    expect(await until(() => rig.ended.includes(step))).toBe(true);
  });
});

test('the deadline ends a merge', async () => {
  const own = await startMergingRig({ DEADLINE_MS: '1500' });
  for (const step of ['convert', 'join']) {
    const slow = step === 'join' ? pdfOf('slow-join') : docxOf('slow-convert');
    const response = await own.merge({ documents: documents(a, p, slow) }, '?to=pdf');
    expect(await errorIn(response)).toMatchObject({ status: 504, code: 'DEADLINE_EXCEEDED' });
  }
  await own.clear();
  await own.rig.close();
});
