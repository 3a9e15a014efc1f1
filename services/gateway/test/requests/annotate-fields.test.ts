import { expect, test } from '@jest/globals';
import type { AppError } from '@scriptorium/contracts/errors';
import { validate } from '@scriptorium/shared/http/validation';
import { annotateRequest } from '../../src/requests/annotate-request.ts';

/** Returns the issues of a request with this field, each as `path: issue`. */
function issuesOf(field: unknown): string[] {
  try {
    validate(annotateRequest, { document: { base64: 'UEs=' }, fields: [field] });
  } catch (error) {
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
    return ((error as AppError).details ?? []).map(({ field, issue }) => `${field}: ${issue}`);
  }
  throw new Error('the request was accepted');
}

const parsed = (text: string): unknown => JSON.parse(text);

const PIXELS = 'must be pixels, from 1 to 99999, as a number or its text';
const COLOR = 'must be a color such as `#1a2b3c` or `#abc`';
const TYPE = 'must be one of `text`, `image`, `signature` and `table`';
const TEXT = 'must be a string, a number, a boolean or null';
const IMAGE = 'must be a string: a data URI or an http(s) address';
const NO_TARGET = 'needs an `id` or a `group`';
const URI = 'data:image/png;base64,iVBO';

test.each<[string, unknown, string[]]>([
  ['a field that is a number', 3, ['fields[0]: must be an object']],
  ['a field that is null', null, ['fields[0]: must be an object']],
  ['a field that is a list', ['id', 'a'], ['fields[0]: must be an object']],
  ['neither id nor group', { value: 'a' }, [`fields[0]: ${NO_TARGET}`]],
  [
    'neither id nor group, and a wrong value',
    { type: 'image', value: 1 },
    [`fields[0].value: ${IMAGE}`, `fields[0]: ${NO_TARGET}`],
  ],
  ['an empty id', { id: '', value: 'a' }, ['fields[0].id: must not be empty']],
  ['an id that is a number', { id: 7, value: 'a' }, ['fields[0].id: must be a string']],
  [
    'a very long id',
    { id: 'a'.repeat(1_001), value: 'a' },
    ['fields[0].id: may have at most 1000 characters'],
  ],
  [
    'a very long group',
    { group: 'a'.repeat(1_001), value: 'a' },
    ['fields[0].group: may have at most 1000 characters'],
  ],
  ['an unknown type', { id: 'a', type: 'html', value: 'a' }, [`fields[0].type: ${TYPE}`]],
  ['a type that is null', { id: 'a', type: null, value: 'a' }, [`fields[0].type: ${TYPE}`]],
  ['a type in capitals', { id: 'a', type: 'Text', value: 'a' }, [`fields[0].type: ${TYPE}`]],
  [
    'a type that names a property of a prototype',
    { id: 'a', type: 'constructor', value: 'a' },
    [`fields[0].type: ${TYPE}`],
  ],
  ['no value', { id: 'a', type: 'text' }, ['fields[0].value: is required']],
  ['no value of an image', { id: 'a', type: 'image' }, ['fields[0].value: is required']],
  ['no value of a table', { id: 'a', type: 'table' }, ['fields[0].value: is required']],
  ['a text that is an object', { id: 'a', value: {} }, [`fields[0].value: ${TEXT}`]],
  ['a text that is infinite', { id: 'a', value: parsed('1e999') }, [`fields[0].value: ${TEXT}`]],
  [
    'a control character',
    { id: 'a', value: 'ab\u0000' },
    ['fields[0].value: holds U+0000 at position 2, a character that XML cannot carry'],
  ],
  [
    'an escape character',
    { id: 'a', value: '\u001b[0m' },
    ['fields[0].value: holds U+001B at position 0, a character that XML cannot carry'],
  ],
  [
    'an invalid code point',
    { id: 'a', value: 'a\uffff' },
    ['fields[0].value: holds U+FFFF at position 1, a character that XML cannot carry'],
  ],
  [
    'an unpaired surrogate',
    { id: 'a', value: '😀\ud83d' },
    ['fields[0].value: holds U+D83D at position 2, a character that XML cannot carry'],
  ],
  [
    'a very long text',
    { id: 'a', value: 'é'.repeat(524_289) },
    ['fields[0].value: may have at most 1048576 bytes'],
  ],
  ['an image that is a list', { id: 'a', type: 'image', value: [URI] }, [`fields[0].value: ${IMAGE}`]],
  ['a signature that is true', { id: 'a', type: 'signature', value: true }, [`fields[0].value: ${IMAGE}`]],
  [
    'a table that is a string',
    { id: 'a', type: 'table', value: 'a' },
    ['fields[0].value: must be an array of rows'],
  ],
  [
    'a table of strings',
    { id: 'a', value: ['a', 'b'] },
    ['fields[0].value[0]: must be an array of cells', 'fields[0].value[1]: must be an array of cells'],
  ],
  ['a table of null', { id: 'a', value: [null] }, ['fields[0].value[0]: must be an array of cells']],
  [
    'a table of objects',
    { id: 'a', type: 'table', value: [['a', {}], [[]]] },
    [`fields[0].value[0][1]: ${TEXT}`, `fields[0].value[1][0]: ${TEXT}`],
  ],
  [
    'a control character in a cell',
    { id: 'a', value: [[], ['', 'x\u0008']] },
    ['fields[0].value[1][1]: holds U+0008 at position 1, a character that XML cannot carry'],
  ],
  [
    'too many rows',
    { id: 'a', value: Array(10_001).fill([]) },
    ['fields[0].value: may have at most 10000 rows'],
  ],
  ['options that are null', { id: 'a', value: 'a', options: null }, ['fields[0].options: must be an object']],
  ['options that are a list', { id: 'a', value: 'a', options: [] }, ['fields[0].options: must be an object']],
  [
    'an option of a table on a text',
    { id: 'a', type: 'text', value: 'a', options: { copyRowStyle: true } },
    ['fields[0].options.copyRowStyle: is not an option of a field of type `text`'],
  ],
  [
    'an option of a text on a table',
    { id: 'a', type: 'text', value: [['a']], options: { keepTextNodeStyles: true } },
    ['fields[0].options.keepTextNodeStyles: is not an option of a field of type `table`'],
  ],
  [
    'an option of a signature on an image',
    { id: 'a', type: 'image', value: URI, options: { arcElement: {} } },
    ['fields[0].options.arcElement: is not an option of a field of type `image`'],
  ],
  [
    'dimensions on a text',
    { id: 'a', value: 'a', options: { dimensions: { width: '1' } } },
    ['fields[0].options.dimensions: is not an option of a field of type `text`'],
  ],
  [
    'an unknown option of a signature',
    { id: 'a', type: 'signature', value: URI, options: { leftLabel: {} } },
    ['fields[0].options.leftLabel: is not an option of a field of type `signature`'],
  ],
  [
    'a boolean option that is a string',
    { id: 'a', value: 'a', options: { keepTextNodeStyles: 'false' } },
    ['fields[0].options.keepTextNodeStyles: must be true or false'],
  ],
  [
    'no width',
    { id: 'a', type: 'image', value: URI, options: { dimensions: { width: '0', height: '' } } },
    [`fields[0].options.dimensions.width: ${PIXELS}`, `fields[0].options.dimensions.height: ${PIXELS}`],
  ],
  [
    'a width with a unit',
    { id: 'a', type: 'image', value: URI, options: { dimensions: { width: '12px' } } },
    [`fields[0].options.dimensions.width: ${PIXELS}`],
  ],
  [
    'a width in hexadecimal',
    { id: 'a', type: 'image', value: URI, options: { dimensions: { width: '0x10' } } },
    [`fields[0].options.dimensions.width: ${PIXELS}`],
  ],
  [
    'a negative height',
    { id: 'a', type: 'image', value: URI, options: { dimensions: { height: -1 } } },
    [`fields[0].options.dimensions.height: ${PIXELS}`],
  ],
  [
    'a huge height',
    { id: 'a', type: 'image', value: URI, options: { dimensions: { height: 100_000 } } },
    [`fields[0].options.dimensions.height: ${PIXELS}`],
  ],
  [
    'a height that is true',
    { id: 'a', type: 'image', value: URI, options: { dimensions: { height: true } } },
    [`fields[0].options.dimensions.height: ${PIXELS}`],
  ],
  [
    'a width below one, and a height with an exponent',
    { id: 'a', type: 'image', value: URI, options: { dimensions: { width: '0.5', height: '1e3' } } },
    [`fields[0].options.dimensions.width: ${PIXELS}`, `fields[0].options.dimensions.height: ${PIXELS}`],
  ],
  ...[-1, 1.5, '2', null, 1e9].map((templateRow): [string, unknown, string[]] => [
    `the template row ${templateRow}`,
    { id: 'a', value: [['a']], options: { templateRow } },
    ['fields[0].options.templateRow: must be the number of a row, from 0'],
  ]),
  [
    'a depth',
    { id: 'a', type: 'image', value: URI, options: { dimensions: { depth: 1 } } },
    ['fields[0].options.dimensions.depth: is not a known property'],
  ],
  [
    'dimensions that are a string',
    { id: 'a', type: 'image', value: URI, options: { dimensions: '10x10' } },
    ['fields[0].options.dimensions: must be an object'],
  ],
  [
    'a color name',
    { id: 'a', type: 'signature', value: URI, options: { arcElement: { color: 'red' } } },
    [`fields[0].options.arcElement.color: ${COLOR}`],
  ],
  [
    'a color with CSS injected',
    { id: 'a', type: 'signature', value: URI, options: { topLabel: { color: '#fff"/><w:p>' } } },
    [`fields[0].options.topLabel.color: ${COLOR}`],
  ],
  [
    'a color of four digits',
    { id: 'a', type: 'signature', value: URI, options: { bottomLabel: { color: '#ffff' } } },
    [`fields[0].options.bottomLabel.color: ${COLOR}`],
  ],
  [
    'a text option of a signature on its top label',
    { id: 'a', type: 'signature', value: URI, options: { topLabel: { text: 'x' } } },
    ['fields[0].options.topLabel.text: is not a known property'],
  ],
  [
    'a control character in a label',
    { id: 'a', type: 'signature', value: URI, options: { bottomLabel: { text: '\u0001' } } },
    ['fields[0].options.bottomLabel.text: holds U+0001 at position 0, a character that XML cannot carry'],
  ],
  [
    'a very long label',
    { id: 'a', type: 'signature', value: URI, options: { bottomLabel: { text: 'x'.repeat(1_001) } } },
    ['fields[0].options.bottomLabel.text: may have at most 1000 characters'],
  ],
  [
    'a property named __proto__',
    parsed('{"id":"a","value":"b","__proto__":{"type":"image"}}'),
    ['fields[0].__proto__: is not a known property'],
  ],
  [
    'an option named __proto__',
    parsed('{"id":"a","value":"b","options":{"__proto__":{}}}'),
    ['fields[0].options.__proto__: is not an option of a field of type `text`'],
  ],
])('a field is rejected that has %s', (_name, field, expected) => {
  expect(issuesOf(field)).toEqual(expected);
});
