import { expect, test } from '@jest/globals';
import { Secret } from '@scriptorium/shared/config';
import { jobSecrets } from '../../src/deferred/job-secrets.ts';

const [old, current] = ['a'.repeat(40), 'b'.repeat(40)];

test('an idempotency key finds what it stood for before the secret was rotated', () => {
  const before = jobSecrets(new Secret(old)).hashes('idempotency', 'order 1');
  const after = jobSecrets(new Secret(`${current},${old}`)).hashes('idempotency', 'order 1');
  expect(before).toHaveLength(1);
  expect(after).toContainEqual(before[0]);
  expect(after[0]).not.toEqual(before[0]);
  expect(jobSecrets(new Secret(current)).hashes('idempotency', 'order 1')).toEqual([after[0]]);
});

test('texts are hashed with their lengths, so that none is a part of another', () => {
  const { hashes } = jobSecrets(new Secret(old));
  expect(hashes('request', 'ab', 'c')).not.toEqual(hashes('request', 'a', 'bc'));
  expect(hashes('request', 'ä')).toEqual(hashes('request', Buffer.from('ä')));
  expect(hashes('request', 'a')).not.toEqual(hashes('idempotency', 'a'));
});
