import { expect, test } from '@jest/globals';
import { validate } from '@scriptorium/shared/http/validation';
import { annotateRequest } from '../../src/requests/annotate-request.ts';

const URI = 'data:image/png;base64,iVBO';

/** Returns the parsed field of a request. */
function parsed(field: object) {
  const request = { document: { base64: 'UEs=' }, fields: [{ id: 'a', ...field }] };
  return validate(annotateRequest, request).fields[0];
}

test.each<[unknown, string]>([
  [null, ''],
  [true, 'true'],
  [12.5, '12.5'],
  ['12.5', '12.5'],
  [0.1 + 0.2, '0.3'],
  [-0, '0'],
  [1e21, '1000000000000000000000'],
  [-1.5e-7, '-0.00000015'],
  [1234567890123456, '1234567890123460'],
])('the value %j is the text %j, in a field and in a cell', (value, shown) => {
  expect(parsed({ value })?.value).toBe(shown);
  expect(parsed({ value: [[value]] })?.value).toEqual([[shown]]);
});

test.each([null, ''])('an image and a signature may be %j', (value) => {
  for (const type of ['image', 'signature']) expect(parsed({ type, value })?.value).toBe('');
});

test.each(['12.5', 12.5, '012.50'])('a width may be %j', (width) => {
  expect(parsed({ type: 'image', value: URI, options: { dimensions: { width } } })?.options).toEqual({
    dimensions: { width: 12.5 },
  });
});
