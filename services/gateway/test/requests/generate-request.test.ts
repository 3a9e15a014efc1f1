import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Rig, startRig } from '../rigs/rig.ts';
import { docx, inBase64 } from '../rigs/signing-rig.ts';
import { GENERATE_REPORT, type GenerationAsked } from '../rigs/workers.ts';

const document = inBase64(docx);
const PNG = 'data:image/png;base64,bG9nbw==';

let rig: Rig;
let key: string;
const asked: { last?: GenerationAsked } = {};

beforeAll(async () => {
  rig = await startRig({ IMAGE_BYTES_MAX: '2000', KEY_REQUESTS_PER_MINUTE_MAX: '1000' });
  ({ key } = await rig.newKey());
  rig.generateWith(async (request) => {
    asked.last = request;
    return { bytes: request.source, report: GENERATE_REPORT };
  });
});
afterAll(() => rig.close());

const post = (body: unknown, query = '') => rig.postJson(key, `/v1/generate${query}`, body);
/** Returns the body as JSON, with data that is already JSON. */
const withData = (data: string) => `{"document": ${JSON.stringify(document)}, "data": ${data}}`;

async function issuesOf(response: Response): Promise<string[]> {
  const body = (await response.json()) as { details?: { field: string; issue: string }[] };
  expect({ status: response.status, body }).toMatchObject({ status: 400 });
  return (body.details ?? []).map(({ field, issue }) => `${field}: ${issue}`);
}

describe('a request is rejected', () => {
  const ONE = 'must have exactly one of `data` and `fields`';
  test.each<[string, object, string, string]>([
    ['neither data nor fields', {}, '', `body: ${ONE}`],
    ['both', { data: {}, fields: [] }, '', `body: ${ONE}`],
    ['data that is a text', { data: 'x' }, '', 'data: must be an object or an array'],
    ['data that is null', { data: null }, '', 'data: must be an object or an array'],
    ['an unknown property', { data: {}, to: 'pdf' }, '', 'to: is not a known property'],
    [
      'an unknown option',
      { data: {}, options: { language: 'de' } },
      '',
      'options.language: is not a known property',
    ],
    [
      'a locale that is not a tag',
      { data: {}, options: { locale: 'de_DE' } },
      '',
      'options.locale: must be a language tag',
    ],
    [
      'a locale without formats',
      { data: {}, options: { locale: 'xx' } },
      '',
      'options.locale: must be a language tag',
    ],
    [
      'a zone that does not exist',
      { data: {}, options: { timeZone: 'Europe/Bern' } },
      '',
      'options.timeZone: must be a time zone',
    ],
    [
      'a currency that does not exist',
      { data: {}, options: { currency: 'EURO' } },
      '',
      'options.currency: must be a currency code',
    ],
    [
      'equal delimiters',
      { data: {}, options: { delimiters: ['%', '%'] } },
      '',
      'options.delimiters: must be two different texts',
    ],
    ['one delimiter', { data: {}, options: { delimiters: ['%'] } }, '', 'options.delimiters: '],
    [
      'an empty delimiter',
      { data: {}, options: { delimiters: ['', '%'] } },
      '',
      'options.delimiters[0]: must not be empty',
    ],
    [
      'a long delimiter',
      { data: {}, options: { delimiters: ['{', '}'.repeat(11)] } },
      '',
      'options.delimiters[1]: must have at most 10 characters',
    ],
    [
      'onMissing of annotate',
      { data: {}, options: { onMissing: 'ignore' } },
      '',
      'options.onMissing: must be one of',
    ],
    [
      'an unknown syntax',
      { data: {}, options: { syntax: 'mustache' } },
      '',
      'options.syntax: must be one of',
    ],
    [
      'a locale with fields',
      { fields: [], options: { locale: 'de' } },
      '',
      'options.locale: requires `data`',
    ],
    [
      'a zone with fields',
      { fields: [], options: { timeZone: 'Europe/Berlin' } },
      '',
      'options.timeZone: requires `data`',
    ],
    ['a conversion to DOCX', { data: {}, convert: {} }, '', 'convert: requires `to=pdf`'],
    [
      'a source format',
      { data: {}, convert: { from: 'odt' } },
      '?to=pdf',
      'convert.from: is not a known property',
    ],
    [
      'a switch in quotes',
      { data: {}, convert: { pdfua: 'true' } },
      '?to=pdf',
      'convert.pdfua: must be true or false',
    ],
    [
      'PDF/UA without tags',
      { data: {}, convert: { pdfua: true, tagged: false } },
      '?to=pdf',
      'convert.tagged: must be true with `pdfa` or `pdfua`',
    ],
    [
      'an unknown PDF/A level',
      { data: {}, convert: { pdfa: '4' } },
      '?to=pdf',
      'convert.pdfa: must be one of',
    ],
    ['another target', { data: {} }, '?to=odt', 'query.to: must be one of'],
    ['an unknown query parameter', { data: {} }, '?flatten=true', 'query.flatten: is not a known property'],
    [
      'a wrong field',
      { fields: [{ id: 'a', type: 'image', value: 7 }] },
      '',
      'fields[0].value: must be a string',
    ],
  ])('with %s', async (_, more, query, issue) => {
    const issues = await issuesOf(await post({ document, ...more }, query));
    expect(issues).toEqual([expect.stringContaining(issue)]);
  });

  test.each([
    [
      'a number that JSON cannot carry on',
      '{"a": [1, {"b": -1e999}]}',
      'data.a[1].b: is a number out of range',
    ],
    ['half a character', '{"a": "\\ud800"}', 'data.a: has an unpaired surrogate'],
    ['half a character in a key', '{"\\udc00": 1}', 'data: has a key with an unpaired surrogate'],
    ['an unknown kind of value', '{"a": [{"$video": 1}]}', 'data.a[0]: has an unknown kind'],
    ['a key twice', '{"a": 1, "a": 2}', 'body: repeats the key "a"'],
    ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`, 'body: is nested deeper than 65 levels'],
    ['too many values', `[${'0,'.repeat(500_000)}0]`, 'body: has more than 500000 values'],
    [
      'too many keys',
      `{${Array.from({ length: 10_001 }, (_, i) => `"${i}":0`)}}`,
      'body: has more than 10000 keys',
    ],
  ])('whose data has %s', async (_, data, issue) => {
    expect(await issuesOf(await post(withData(data)))).toEqual([expect.stringContaining(issue)]);
  });

  test('with a list of all mistakes in its data, at most 100', async () => {
    const numbers = `[${'1e999,'.repeat(200)}0]`;
    expect(await issuesOf(await post(withData(numbers)))).toHaveLength(100);
  });
});

test('a path in an error is short, however long the keys are', async () => {
  const key = 'k'.repeat(1_000);
  const data = `${`{"${key}":`.repeat(60)}[1e999, {"$video": 1}]${'}'.repeat(60)}`;
  for (const wrong of [data, data.replace('1e999', '0')]) {
    const text = await (await post(withData(wrong))).text();
    expect(text).toContain(`data.${'k'.repeat(150)}`);
    expect(text.length).toBeLessThan(1_000);
  }
});

describe('data is accepted', () => {
  test.each([
    ['with 64 levels', `${'['.repeat(64)}${']'.repeat(64)}`],
    ['with 100,000 rows', `[${Array(100_000).fill('{"a":1,"b":2,"c":3}')}]`],
    ['without anything', '{}'],
  ])('%s', async (_, data) => {
    const response = await post(withData(data));
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    expect(JSON.stringify(asked.last?.json)).toBe(data);
  });
});

describe('images in data', () => {
  const image = (source: unknown, more = {}) => ({ $image: { source, ...more } });

  test('reach the worker once each, by their places', async () => {
    const other = 'data:image/png;base64,c2lnbg==';
    const data = {
      items: [image(PNG, { width: 10, alt: 'a logo' }), image(other), image(PNG)],
      typed: { _type: 'image', source: PNG },
      signature: { $signature: { value: other } },
      none: image(''),
    };
    await (await post({ document, data })).arrayBuffer();
    expect(asked.last?.images.toString()).toBe('logosign');
    const [logo, sign] = [
      { start: 0, bytes: 4 },
      { start: 4, bytes: 4 },
    ];
    expect(asked.last?.json).toEqual({
      items: [image(logo, { width: 10, alt: 'a logo' }), image(sign), image(logo)],
      typed: { _type: 'image', source: logo },
      signature: { $signature: { value: sign } },
      none: image(null),
    });
  });

  test('that cannot be loaded are named', async () => {
    const data = {
      items: [
        image(PNG),
        image('data:image/png;base64,%'),
        image(`data:image/png;base64,${'A'.repeat(4_000)}`),
      ],
      url: image('http://127.0.0.1/logo.png'),
    };
    const response = await post({ document, data });
    const body = (await response.json()) as { code: string; details: { field: string }[] };
    expect(body.code).toBe('IMAGE_INVALID');
    expect(body.details.map(({ field }) => field).sort()).toEqual([
      'data.items[1].$image.source',
      'data.items[2].$image.source',
      'data.url.$image.source',
    ]);
  });

  test('have as many distinct addresses as those of fields', async () => {
    const data = Array.from({ length: 101 }, (_, i) => image(`https://example.com/${i}.png`));
    expect(await issuesOf(await post({ document, data }))).toEqual([
      'data: must name at most 100 distinct URLs of images',
    ]);
  });

  test('of the wrong shape are named', async () => {
    const data = { a: image(7), b: image(PNG, { width: -1 }), c: image(PNG, { size: 3 }) };
    const issues = await issuesOf(await post({ document, data }));
    expect(issues.map((issue) => issue.split(':')[0]).sort()).toEqual([
      'data.a.$image.source',
      'data.b.$image.width',
      'data.c.$image.size',
    ]);
  });
});

describe('documents in data', () => {
  const inserted = (value: unknown) => ({ $document: value });
  const base64 = Buffer.from('PKone').toString('base64');

  test('reach the worker behind the images, by their places', async () => {
    const data = {
      parts: [inserted({ base64 }), inserted({ base64: `data:application/zip;base64,${base64}` })],
      logo: { $image: { source: PNG } },
    };
    await (await post({ document, data })).arrayBuffer();
    expect(asked.last?.images.toString()).toBe('logoPKonePKone');
    expect(asked.last?.json).toEqual({
      parts: [inserted({ start: 4, bytes: 5 }), inserted({ start: 9, bytes: 5 })],
      logo: { $image: { source: { start: 0, bytes: 4 } } },
    });
  });

  test.each([
    [{}, 'VALIDATION_ERROR', 'data.x.$document'],
    [{ base64, url: 'https://example.com' }, 'VALIDATION_ERROR', 'data.x.$document'],
    [{ base64, name: 'x' }, 'VALIDATION_ERROR', 'data.x.$document.name'],
    [{ base64: 7 }, 'VALIDATION_ERROR', 'data.x.$document.base64'],
    [{ base64: '%' }, 'VALIDATION_ERROR', 'data.x.$document.base64'],
    [{ base64: '' }, 'INVALID_FILE_FORMAT', 'data.x.$document'],
    [{ url: 'http://127.0.0.1/terms.docx' }, 'DOCUMENT_FETCH_FAILED', 'data.x.$document.url'],
  ])('are refused as %j', async (value, code, field) => {
    const response = await post({ document, data: { x: inserted(value) } });
    const body = await response.json();
    expect(body).toMatchObject({ code, details: [{ field }] });
  });
});
