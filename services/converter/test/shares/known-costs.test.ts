import { expect, test } from '@jest/globals';
import { conversion, convertOptions } from '@scriptorium/contracts/jobs/convert';
import { KnownCosts } from '../../src/shares/known-costs.ts';

const options = conversion.parse(convertOptions.parse({ from: 'docx' }));
const document = Buffer.from('a document');

test('a costly document is known by its bytes and options, for a while', async () => {
  const costs = new KnownCosts(1_000);
  expect(costs.check(document, options)).toBe(false);
  costs.add(document, options, 'It takes too long.');
  expect(() => costs.check(Buffer.from(document), { ...options })).toThrow('It takes too long.');
  expect(costs.check(Buffer.from('another'), options)).toBe(false);
  expect(costs.check(document, { ...options, pages: '1' })).toBe(false);
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  expect(costs.check(document, options)).toBe(false);
});

test('a slow document is known as slow, and a later refusal replaces that', () => {
  const costs = new KnownCosts();
  costs.add(document, options);
  expect(costs.check(document, options)).toBe(true);
  costs.add(document, options, 'no');
  expect(() => costs.check(document, options)).toThrow('no');
});

test('no more than ten thousand documents are known; the oldest is forgotten', () => {
  const costs = new KnownCosts();
  for (let i = 0; i <= 10_000; i++) costs.add(Buffer.from(`${i}`), options);
  expect(costs.check(Buffer.from('0'), options)).toBe(false);
  expect(costs.check(Buffer.from('1'), options)).toBe(true);
  expect(costs.check(Buffer.from('10000'), options)).toBe(true);
});
