import { expect, test } from '@jest/globals';
import { queueSocket } from '../servers.ts';

test('the sockets are elsewhere if the path of their folder is too long', () => {
  expect(queueSocket('/srv/data')).toBe('/srv/data/queue.sock');
  const long = `/srv/${'deep/'.repeat(30)}data`;
  expect(queueSocket(long).length).toBeLessThan(100);
  expect(queueSocket(long)).toBe(queueSocket(long));
  expect(queueSocket(long)).not.toBe(queueSocket(`${long}2`));
});
