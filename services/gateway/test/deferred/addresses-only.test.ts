import { expect, test } from '@jest/globals';
import { addressesOnly } from '../../src/deferred/addresses-only.ts';

const url = 'https://example.com/a.docx';
const kept = (operation: string, sent: unknown) => addressesOnly(operation, sent, JSON.stringify(sent));

test.each<[operation: string, sent: unknown]>([
  ['convert', { document: { url }, options: { pdfa: '2b' } }],
  ['merge', { documents: [{ url }, { url }] }],
  ['createBatch', { document: { url }, rows: { url }, deliver: { parts: { urls: [url] } } }],
])('the request of %s %j may be kept beside the store', (operation, sent) => {
  expect(kept(operation, sent)).toBe(JSON.stringify(sent));
});

test.each<[operation: string, sent: unknown]>([
  ['convert', { document: { base64: 'UEs=' } }],
  ['convert', { document: { url: 'data:text/plain,Ada' } }],
  ['convert', { document: { url, name: 'Ada.docx' } }],
  ['merge', { documents: [{ url }, { base64: 'UEs=' }] }],
  ['generate', { document: { url }, data: { name: 'Ada' } }],
  ['sign', { document: { url }, signer: { name: 'Ada' } }],
  ['createBatch', { document: { url }, rows: [{ data: { name: 'Ada' } }] }],
  ['convert', { document: { url }, more: 'Ada' }],
  ['convert', { document: { url }, options: { watermark: 'x'.repeat(70_000) } }],
  ['convert', 'Ada'],
])('the request of %s %j is in the store alone', (operation, sent) => {
  expect(kept(operation, sent)).toBeUndefined();
});
