import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { BlobStore } from '../../src/blob/store.ts';

const TTL_MS = 30_000;

/** Tests for every implementation of a blob store. */
export function blobStoreSuite(name: string, open: () => BlobStore): void {
  describe(`${name} blob store`, () => {
    test.each([0, 1, 262_143, 262_144, 262_145, 3_000_000])('returns %i bytes unchanged', async (size) => {
      const store = open();
      const bytes = randomBytes(size);
      await store.put(`suite.${size}`, bytes, TTL_MS);
      expect((await store.get(`suite.${size}`))?.equals(bytes)).toBe(true);
      await store.remove([`suite.${size}`]);
    });

    test('keeps a blob after a read, so that a second attempt finds it', async () => {
      const store = open();
      await store.put('suite.twice', Buffer.from('again'), TTL_MS);
      await store.get('suite.twice');
      expect((await store.get('suite.twice'))?.toString()).toBe('again');
      await store.remove(['suite.twice']);
    });

    test.each([0, 1, 65_536, 65_537, 1_048_576, 3_000_000])(
      'returns %i bytes once to the caller that takes them',
      async (size) => {
        const store = open();
        const bytes = randomBytes(size);
        for (const key of [`suite.taken.${size}`, `suite.taken.${size}.near`]) {
          await store.put(key, bytes, TTL_MS);
          expect((await store.take(key, size))?.equals(bytes)).toBe(true);
          expect(await store.take(key, size)).toBeNull();
        }
      },
    );

    test('replaces a blob put under the same key', async () => {
      const store = open();
      await store.put('suite.replaced', randomBytes(600_000), TTL_MS);
      await store.put('suite.replaced', Buffer.from('short'), TTL_MS);
      expect((await store.get('suite.replaced'))?.toString()).toBe('short');
      await store.remove(['suite.replaced']);
    });

    test('returns null for a removed or unknown blob', async () => {
      const store = open();
      await store.put('suite.removed', Buffer.from('x'), TTL_MS);
      await store.remove(['suite.removed', 'suite.never']);
      expect(await store.get('suite.removed')).toBeNull();
      expect(await store.get('suite.never')).toBeNull();
    });

    test('keeps a blob for the time to live that it was renewed with', async () => {
      const store = open();
      const bytes = randomBytes(300_000);
      await store.put('suite.renewed', bytes, 2_000);
      expect(await store.renew('suite.renewed', TTL_MS)).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 2_100));
      expect((await store.get('suite.renewed'))?.equals(bytes)).toBe(true);
      await store.remove(['suite.renewed']);
      expect(await store.renew('suite.renewed', TTL_MS)).toBe(false);
    });

    test('removes a blob when its time to live ends', async () => {
      const store = open();
      await store.put('suite.expiring', randomBytes(300_000), 60);
      await new Promise((resolve) => setTimeout(resolve, 150));
      expect(await store.get('suite.expiring')).toBeNull();
    });

    test('keeps a blob unchanged when the caller reuses its buffer', async () => {
      const store = open();
      const bytes = Buffer.from('first');
      await store.put('suite.reused', bytes, TTL_MS);
      bytes.write('later');
      expect((await store.get('suite.reused'))?.toString()).toBe('first');
      await store.remove(['suite.reused']);
    });
  });
}
