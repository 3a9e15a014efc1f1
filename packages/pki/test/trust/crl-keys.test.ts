import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { judgeByLists } from './judge-by-lists.ts';

let pki: Pki;
let signer: Identity;
beforeAll(async () => {
  pki = await createPki();
  signer = await pki.issue({ name: 'Ada Lovelace' });
});
afterAll(() => pki.close());

/** A key with the name of the intermediate authority that signs CRLs only. */
const crlKey = (issuer: Identity): Promise<Identity> =>
  pki.issue({ name: pki.intermediate.name, issuer, ca: {}, keyUsage: ['cRLSign'] });

/** Judges the signer's own certificate by these lists. */
const judge = (crls: Buffer[], keys: readonly Identity[]): Promise<string[]> =>
  judgeByLists(crls, signer, keys);

describe('a separate CRL key', () => {
  test('counts below the same anchor, and not below another', async () => {
    const key = await crlKey(pki.root);
    expect(await judge([pki.crlOf(key)], [key])).toEqual([]);
    const other = await createPki();
    try {
      const strange = await other.issue({ name: pki.intermediate.name, issuer: other.root, ca: {} });
      expect(await judge([other.crlOf(strange)], [strange, other.root])).toEqual(['REVOCATION_UNUSABLE']);
    } finally {
      await other.close();
    }
  });

  test('counts for nothing without permission to sign CRLs', async () => {
    const key = await pki.issue({
      name: pki.intermediate.name,
      issuer: pki.root,
      ca: {},
      keyUsage: ['keyCertSign'],
    });
    expect(await judge([pki.crlOf(key)], [key])).toEqual(['REVOCATION_UNUSABLE']);
  });

  test('that is on a list by itself ends in no circle', async () => {
    const key = await crlKey(pki.intermediate);
    expect(await judge([pki.crlOf(key)], [key])).toEqual([]);
    pki.revoke({ ...key, issuer: key });
    expect(await judge([pki.crlOf(key)], [key])).toEqual(['REVOCATION_UNUSABLE']);
  });

  test('among many that vouch for each other is judged at once', async () => {
    const keys = await Promise.all(Array.from({ length: 12 }, () => crlKey(pki.intermediate)));
    const lists = Array.from({ length: 40 }, () => keys.map((key) => pki.crlOf(key))).flat();
    const startedAt = process.cpuUsage();
    expect(await judge(lists, keys)).toEqual([]);
    expect(cpuMsSince(startedAt)).toBeLessThan(5_000);
  });
});
