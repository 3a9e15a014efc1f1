import { lookup } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { resolveHost } from '@scriptorium/fetching/resolver';
import { testInWhole } from '@scriptorium/testing/extent';
import { type NameServer, startNameServer } from './name-server.ts';

let server: NameServer;
beforeAll(async () => {
  server = await startNameServer({
    'both.test': ['2001:db8::1', '192.0.2.1', '192.0.2.2'],
    'old.test': ['192.0.2.3'],
    'new.test': ['2001:db8::3'],
    'empty.test': [],
    'silent.test': 'silent',
  });
});
afterAll(() => server.close());

const resolve = (host: string): Promise<string[]> => resolveHost(host, [server.address]);

describe('the resolver', () => {
  test.each([
    ['both.test', ['192.0.2.1', '192.0.2.2', '2001:db8::1']],
    ['old.test', ['192.0.2.3']],
    ['new.test', ['2001:db8::3']],
  ])('returns all addresses of %s', async (host, addresses) => {
    expect(await resolve(host)).toEqual(addresses);
  });

  test.each(['unknown.test', 'empty.test', 'a..test', `${'a'.repeat(64)}.test`, `${'a.'.repeat(200)}test`])(
    'rejects %s',
    async (host) => {
      await expect(resolve(host)).rejects.toThrow();
    },
  );

  test('resolves a name without a dot on this machine', async () => {
    expect(await resolve('localhost')).toContain('127.0.0.1');
    expect(server.asked.has('localhost')).toBe(false);
  });

  testInWhole('gives up on a silent name server without blocking other lookups', async () => {
    let isOver = false;
    const silent = Promise.allSettled(Array.from({ length: 50 }, () => resolve('silent.test')));
    void silent.then(() => {
      isOver = true;
    });
    expect(await resolve('old.test')).toEqual(['192.0.2.3']);
    await lookup('localhost');
    expect(isOver).toBe(false);
    for (const { status } of await silent) expect(status).toBe('rejected');
  });
});
