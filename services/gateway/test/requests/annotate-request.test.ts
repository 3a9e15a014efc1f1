import { describe, expect, test } from '@jest/globals';
import type { AppError, ErrorDetail } from '@scriptorium/contracts/errors';
import { validate } from '@scriptorium/shared/http/validation';
import { annotateRequest } from '../../src/requests/annotate-request.ts';

const document = { base64: 'UEs=' };

function detailsOf(body: unknown): ErrorDetail[] {
  try {
    validate(annotateRequest, body);
  } catch (error) {
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
    return (error as AppError).details ?? [];
  }
  throw new Error('the request was accepted');
}

const fieldsOf = (...fields: unknown[]) => validate(annotateRequest, { document, fields }).fields;

const ONE_SOURCE = 'must have exactly one of `base64` and `url`';
const NO_TARGET = 'needs an `id` or a `group`';
const URI = 'data:image/png;base64,iVBO';

describe('an invalid annotate request is rejected with every invalid path:', () => {
  test.each<[string, unknown, string[]]>([
    ['an empty object', {}, ['document: is required', 'fields: is required']],
    ['a list', [], ['body: must be an object']],
    ['null', null, ['body: must be an object']],
    ['an unknown property', { document, fields: [], to: 'pdf' }, ['to: is not a known property']],
    ['no document', { fields: [] }, ['document: is required']],
    ['a document that is a string', { document: 'UEs=', fields: [] }, ['document: must be an object']],
    ['a document without a source', { document: {}, fields: [] }, [`document: ${ONE_SOURCE}`]],
    [
      'a document with two sources',
      { document: { base64: '', url: 'https://a' }, fields: [] },
      [`document: ${ONE_SOURCE}`],
    ],
    [
      'a document with a name',
      { document: { ...document, name: 'x' }, fields: [] },
      ['document.name: is not a known property'],
    ],
    [
      'base64 that is a number',
      { document: { base64: 5 }, fields: [] },
      ['document.base64: must be a string'],
    ],
    [
      'base64 that is null beside a url',
      { document: { base64: null, url: 'https://a' }, fields: [] },
      ['document.base64: must be a string', `document: ${ONE_SOURCE}`],
    ],
    ['an empty url', { document: { url: '' }, fields: [] }, ['document.url: must have at least 1 character']],
    [
      'a url that is a list',
      { document: { url: ['https://a'] }, fields: [] },
      ['document.url: must be a string'],
    ],
    ['fields that are an object', { document, fields: {} }, ['fields: must be an array']],
    [
      'too many fields',
      { document, fields: Array(2_001).fill({ id: 'a', value: 'b' }) },
      ['fields: may have at most 2000 entries'],
    ],
    [
      'several mistakes at once',
      { document: {}, fields: [{}, { id: 'a', type: 'text', value: 'b', x: 1 }], y: 2 },
      [
        `document: ${ONE_SOURCE}`,
        'fields[0].value: is required',
        `fields[0]: ${NO_TARGET}`,
        'fields[1].x: is not a known property',
        'y: is not a known property',
      ],
    ],
  ])('%s', (_name, body, expected) => {
    expect(detailsOf(body).map(({ field, issue }) => `${field}: ${issue}`)).toEqual(expected);
  });

  test('too many table cells in total', () => {
    const rows = Array(1_000).fill(Array(60).fill(''));
    expect(
      detailsOf({
        document,
        fields: [
          { id: 'a', value: rows },
          { id: 'b', value: rows },
        ],
      }),
    ).toEqual([{ field: 'fields', issue: 'may have at most 100000 table cells in all' }]);
    expect(fieldsOf({ id: 'a', value: rows })).toHaveLength(1);
  });

  test('at most a hundred issues', () => {
    const details = detailsOf({ document, fields: Array(2_000).fill({ id: 1, value: {} }) });
    expect(details).toHaveLength(100);
    expect(details.at(-1)?.field).toBe('fields[49].value');
  });
});

describe('a field is accepted', () => {
  test('without a type, which is derived from the value', () => {
    expect(fieldsOf({ id: 'a', value: 'x' }, { id: 'b', value: [['x']] })).toEqual([
      { id: 'a', type: 'text', value: 'x', options: expect.objectContaining({ keepTextNodeStyles: true }) },
      { id: 'b', type: 'table', value: [['x']], options: expect.objectContaining({ copyRowStyle: true }) },
    ]);
  });

  test('as a table if a text has rows', () => {
    expect(fieldsOf({ id: 'a', type: 'text', value: [] })[0]).toMatchObject({ type: 'table', value: [] });
  });

  test.each([
    [true, 'true'],
    [false, 'false'],
    [0, '0'],
    [-1.5, '-1.5'],
    [1e21, '1000000000000000000000'],
    ['', ''],
    ['tab\t, line feed\n, return\r, 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 and \u0085', 'tab\t, line feed\n, return\r, 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 and \u0085'],
  ])('with the text %p', (value, text) => {
    expect(fieldsOf({ id: 'a', value })[0]).toMatchObject({ type: 'text', value: text });
  });

  test('with pixels as numbers and strings, and short colors', () => {
    const options = {
      dimensions: { width: '120', height: 33.5 },
      arcElement: { color: '#A1b' },
      topLabel: {},
      bottomLabel: { color: '#00FF7f', text: '' },
    };
    expect(fieldsOf({ group: 'g', type: 'signature', value: URI, options })[0]).toEqual({
      group: 'g',
      type: 'signature',
      value: URI,
      options: {
        dimensions: { width: 120, height: 33.5 },
        arcElement: { color: '#aa11bb' },
        topLabel: {},
        bottomLabel: { color: '#00ff7f', text: '' },
      },
    });
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ' ', '../x', '💥'])(
    'with the id %p',
    (id) => {
      expect(fieldsOf({ id, group: id, value: 'x' })[0]).toMatchObject({ id, group: id });
    },
  );
});
