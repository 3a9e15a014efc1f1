import { expect, test } from '@jest/globals';
import { PdfString } from '../../src/read/values.ts';

const dateOf = (text: string): Date | undefined => new PdfString(Buffer.from(text), false).date;

test.each([
  ['D:20260304050607Z', '2026-03-04T05:06:07.000Z'],
  ["D:20260304050607Z00'00'", '2026-03-04T05:06:07.000Z'],
  ["D:20260304050607+02'30'", '2026-03-04T02:36:07.000Z'],
  ["D:20260304050607-08'00", '2026-03-04T13:06:07.000Z'],
  ['D:20260304050607+0100', '2026-03-04T04:06:07.000Z'],
  ["D:20260304050607+01'", '2026-03-04T04:06:07.000Z'],
  ['20260304050607', '2026-03-04T05:06:07.000Z'],
  ['D:2026', '2026-01-01T00:00:00.000Z'],
  ['D:20240229', '2024-02-29T00:00:00.000Z'],
])('%s is the time %s', (text, time) => {
  expect(dateOf(text)?.toISOString()).toBe(time);
});

test.each([
  '',
  'D:',
  'D:20260230',
  'D:20261304050607Z',
  'D:20260304250607Z',
  '2026-03-04T05:06:07Z',
  'D:0000',
])('%j is not a time', (text) => {
  expect(dateOf(text)).toBeUndefined();
});
