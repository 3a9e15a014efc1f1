import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { convertOptions } from '@scriptorium/contracts/jobs/convert';
import {
  data,
  document,
  documentOf,
  type GeneratingRig,
  startGeneratingRig,
} from '../rigs/generating-rig.ts';
import { external, signer, submit } from '../rigs/sign-requests.ts';
import { DOCX_TYPE, docx, PDF_TYPE, SIGN_REPLY } from '../rigs/signing-rig.ts';
import { GENERATE_REPORT } from '../rigs/workers.ts';

let rig: GeneratingRig;
beforeAll(async () => {
  rig = await startGeneratingRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.rig.close());

const sign = { signer, auditTrail: [submit] };

describe('a generation', () => {
  test('returns the document as a data URI and the report in headers', async () => {
    const asked = rig.startGenerator();
    const response = await rig.generate({ data });
    const { text, made, rest } = await documentOf(response);
    expect(text).toBe(`${docx} filled`);
    expect(made.contentType).toBe(DOCX_TYPE);
    expect(rest).toEqual({ report: { filled: 1 } });
    expect(response.headers.get('x-fields-filled')).toBe('1');
    for (const absent of [
      'x-fields-unmatched',
      'x-fields-unmatched-list',
      'x-generate-warnings',
      'x-page-count',
    ])
      expect(response.headers.get(absent)).toBeNull();
    expect(response.headers.get('server-timing')).toMatch(
      /^load;dur=[\d.]+, generate;dur=7\.0, queue;dur=[\d.]+$/,
    );
    expect(response.headers.get('vary')).toBe('Accept');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(asked.last).toEqual({
      source: docx,
      kind: 'data',
      json: data,
      images: Buffer.alloc(0),
      options: { timeZone: 'UTC', onMissing: 'empty', onUnused: 'report', syntax: 'auto' },
    });
  });

  test('passes its options and any data to the worker', async () => {
    const asked = rig.startGenerator();
    const options = {
      locale: 'de-CH',
      timeZone: 'Europe/Zurich',
      currency: 'CHF',
      delimiters: ['[[', ']]'],
      onMissing: 'keep',
      onUnused: 'error',
      syntax: 'curly',
    };
    const list = `[1, "é", null, {"__proto__": {"a": 1}, "constructor": 2, "": []}]`;
    const body = `{"document": ${JSON.stringify(document)}, "options": ${JSON.stringify(options)}, "data": ${list}}`;
    const { key } = await rig.rig.newKey();
    await documentOf(await rig.rig.postJson(key, '/v1/generate', body));
    expect(asked.last?.options).toEqual(options);
    expect(JSON.stringify(asked.last?.json)).toBe(JSON.stringify(JSON.parse(list)));
  });

  test('with fields gives the worker the values of an annotation', async () => {
    const asked = rig.startGenerator();
    await documentOf(
      await rig.generate({ fields: [{ id: 'a', value: 7 }], options: { onMissing: 'error' } }),
    );
    expect(asked.last).toMatchObject({ kind: 'fields', json: [{ id: 'a', type: 'text', value: '7' }] });
    expect(asked.last?.options.onMissing).toBe('error');
  });

  test('reports what is missing and what was removed in headers of ASCII', async () => {
    const names = ['data.größe, x', 'data.a[3].50% \n"b"', ...Array(100).fill(`data.${'x'.repeat(990)}`)];
    rig.startGenerator({
      ...GENERATE_REPORT,
      unmatched: { count: 250, names: names.slice(0, 100) },
      signaturesRemoved: true,
      templateRowGuessed: true,
      unused: { count: 2, names: ['data.note', 'data.items[0].größe'] },
    });
    const response = await rig.generate({ data });
    const { headers } = response;
    expect((await documentOf(response)).rest).toEqual({
      report: {
        filled: 1,
        unmatched: { count: 250, names: names.slice(0, 100) },
        unused: { count: 2, names: ['data.note', 'data.items[0].größe'] },
        warnings: ['signatures-removed', 'template-row-guessed'],
      },
    });
    expect(headers.get('x-fields-unmatched')).toBe('250');
    expect(headers.get('x-generate-warnings')).toBe('signatures-removed, template-row-guessed');
    expect(headers.get('x-data-unused')).toBe('2');
    expect(headers.get('x-data-unused-list')).toBe('data.note, data.items[0].gr%C3%B6%C3%9Fe');
    const list = headers.get('x-fields-unmatched-list') ?? '';
    expect(list.length).toBeLessThanOrEqual(4_000);
    expect(list.split(', ').map(decodeURIComponent)).toEqual(names.slice(0, list.split(', ').length));
    expect(list).toMatch(/^[ -~]+$/);
  });

  test('with to=pdf converts the document with its options', async () => {
    rig.startGenerator();
    const asked = await rig.startConverter();
    const response = await rig.generate(
      { data, convert: { pdfa: '2b', pdfua: true, updateFields: 'all' } },
      '?to=pdf',
    );
    expect(response.headers.get('x-page-count')).toBe('3');
    expect(response.headers.get('x-conversion-warnings')).toBe('2');
    expect(response.headers.get('server-timing')).toMatch(
      /^load;dur=[\d.]+, generate;dur=7\.0, queue;dur=[\d.]+, sanitize;dur=1\.0, convert;dur=2\.0$/,
    );
    const { text, made } = await documentOf(response);
    expect(text).toBe(`%PDF of ${docx} filled`);
    expect(made.contentType).toBe(PDF_TYPE);
    const defaults = convertOptions.parse({ from: 'docx' });
    expect(asked.last).toEqual({ ...defaults, pdfa: '2b', pdfua: true, updateFields: 'all' });
    await documentOf(await rig.generate({ data }, '?to=pdf'));
    expect(asked.last).toEqual(defaults);
  });
});

describe('a generation with a signature', () => {
  test('signs the DOCX, and answers as sign does', async () => {
    rig.startGenerator();
    const asked = rig.startSigner();
    const image = 'data:image/png;base64,aW1hZ2U=';
    const logo = { $image: { source: 'data:image/png;base64,bG9nbw==' } };
    const rectangle = { x: 0, y: 0, width: 100, height: 50 };
    const response = await rig.generate({
      data: { logo },
      sign: { ...sign, reason: 'I agree', appearance: { page: 1, rectangle, image } },
    });
    expect(response.headers.get('x-sign-warnings')).toBe('DEVELOPMENT_KEY');
    expect(response.headers.get('server-timing')).toMatch(
      /^load;dur=[\d.]+, generate;dur=7\.0, queue;dur=[\d.]+, sign;dur=5\.0$/,
    );
    const { text, made, rest } = await documentOf(response);
    expect(text).toBe(`${docx} filled signed`);
    expect(made.contentType).toBe(DOCX_TYPE);
    expect(rest).toEqual({ report: { filled: 1 }, ...SIGN_REPLY });
    expect(asked.last?.signing).toMatchObject({
      signer,
      reason: 'I agree',
      appearance: { image: { start: 0, bytes: 5 } },
    });
    expect(asked.last?.images.toString()).toBe('image');
  });

  test('with to=pdf signs the PDF, through one trip', async () => {
    rig.startGenerator();
    await rig.startConverter();
    rig.startSigner();
    const response = await rig.generate({ data, sign }, '?to=pdf');
    expect(response.headers.get('x-page-count')).toBeNull();
    expect(response.headers.get('x-conversion-warnings')).toBe('2');
    expect(response.headers.get('server-timing')).toMatch(
      /^load;dur=[\d.]+, generate;dur=7\.0, queue;dur=[\d.]+, sanitize;dur=1\.0, convert;dur=2\.0, sign;dur=5\.0$/,
    );
    const { text, rest } = await documentOf(response);
    expect(text).toBe(`%PDF of ${docx} filled signed`);
    expect(rest).toEqual({ report: { filled: 1 }, ...SIGN_REPLY });
  });

  test('is rejected without the consent of the signer', async () => {
    const response = await rig.generate({
      data,
      sign: { signer, auditTrail: [{ ...submit, type: 'ready' }] },
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      code: 'UNPROCESSABLE',
      details: [{ field: 'sign.auditTrail' }],
    });
  });

  test.each([
    [
      'with a key that the operator has not enabled',
      { key: { p12: { base64: 'AAAA', password: '' } } },
      'sign.key.p12',
    ],
    ['without a signer', { signer: undefined }, 'sign.signer'],
    ['with a document', { document }, 'sign.document'],
    ['with a password', { password: 'x' }, 'sign.password'],
    [
      'with the signature of an earlier answer',
      { key: { external: { ...external, signature: 'AAAA' } } },
      'sign.key.external.signature',
    ],
  ])('is rejected %s', async (_, more, field) => {
    const response = await rig.generate({ data, sign: { ...sign, ...more } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ details: [{ field }] });
  });
});
