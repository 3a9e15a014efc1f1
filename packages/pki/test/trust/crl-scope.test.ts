import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bitString, implicit } from '@scriptorium/testing/pki/der';
import type { Identity, IssueRequest } from '@scriptorium/testing/pki/identity';
import { extension } from '@scriptorium/testing/pki/issue-certificate';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { judgeByLists } from './judge-by-lists.ts';
import {
  continuing,
  entry,
  flag,
  HOLD,
  KEY_COMPROMISE,
  type List,
  makeList,
  number,
  ofIssuer,
  REMOVE,
  scope,
  unknown,
} from './make-list.ts';

let pki: Pki;
let signer: Identity;
beforeAll(async () => {
  pki = await createPki();
  signer = await pki.issue({ name: 'Ada Lovelace' });
});
afterAll(() => pki.close());

/** A list of the intermediate authority, unless it is by another. */
const list = (made: Partial<List>): Buffer => makeList({ by: pki.intermediate, ...made });

const judge = (crls: Buffer[], subject = signer, keys: readonly Identity[] = []): Promise<string[]> =>
  judgeByLists(crls, subject, keys);

describe('a list', () => {
  test('by the issuer counts', async () => {
    expect(await judge([list({})])).toEqual([]);
    expect(await judge([list({ entries: [entry(signer.serialNumber, KEY_COMPROMISE)] })])).toEqual([
      'CERTIFICATE_REVOKED',
    ]);
  });

  test('that removes a certificate shows that it is good for its own reasons only', async () => {
    const entries = [entry(signer.serialNumber, REMOVE)];
    const some = scope(implicit(3, bitString(Buffer.of(0x7e))));
    expect(await judge([list({ entries })])).toEqual([]);
    expect(await judge([list({ entries, extensions: [some] })])).toEqual(['REVOCATION_UNUSABLE']);
  });

  test.each<[string, () => Partial<List>]>([
    ['that is not yet issued', () => ({ fromHours: 48 })],
    ['that is out of date', () => ({ fromHours: -48 })],
    ['for authorities only', () => ({ extensions: [scope(flag(2))] })],
    ['for attribute certificates only', () => ({ extensions: [scope(flag(5))] })],
    ['for users and authorities only', () => ({ extensions: [scope(flag(1), flag(2))] })],
    ['with an unknown critical extension', () => ({ extensions: [unknown] })],
    ['with an unknown critical extension in another entry', () => ({ entries: [entry('07', 1, unknown)] })],
    ['that is only a delta', () => ({ extensions: [number(8), continuing(7)] })],
    ['by the signer in the name of its issuer', () => ({ by: signer, named: pki.intermediate.subject })],
    ['by the root in the name of the issuer', () => ({ by: pki.root, named: pki.intermediate.subject })],
  ])('%s does not show that a certificate is good', async (_, made) => {
    expect(await judge([list(made())], signer, [pki.root])).toEqual([
      expect.stringMatching(/^REVOCATION_UN/),
    ]);
  });

  test('for users only does not cover an authority that signs no certificates', async () => {
    const issuer = pki.root;
    const key = await pki.issue({ name: 'List Key', issuer, ca: {}, keyUsage: ['cRLSign'] });
    expect(await judge([list({ by: issuer, extensions: [scope(flag(1))] })], key)).toEqual([
      expect.stringMatching(/^REVOCATION_UN/),
    ]);
    const entries = [entry(key.serialNumber, KEY_COMPROMISE)];
    expect(await judge([list({ by: issuer, extensions: [scope(flag(2))], entries })], key)).toEqual([
      'CERTIFICATE_REVOKED',
    ]);
  });

  test('of several issuers has the entries of the one that was named last', async () => {
    const issuer = await pki.issue({ name: 'Other Issuer', issuer: pki.root, ca: {} });
    const own = entry(signer.serialNumber, KEY_COMPROMISE);
    const lists = (...entries: Buffer[]) => [list({ entries, extensions: [scope(flag(4))] })];
    expect(await judge(lists(entry('07', 1, ofIssuer(issuer)), own))).toEqual([]);
    expect(
      await judge(lists(entry('07', 1, ofIssuer(issuer)), entry('08', 1, ofIssuer(pki.intermediate)), own)),
    ).toEqual(['CERTIFICATE_REVOKED']);
  });
});

describe('a delta list', () => {
  const onHold = () => entry(signer.serialNumber, HOLD);
  const removal = () => entry(signer.serialNumber, REMOVE);
  const base = (extensions = [number(7)]) => list({ entries: [onHold()], extensions, fromHours: -2 });

  test('ends a hold of the base that it continues', async () => {
    const delta = list({ entries: [removal()], extensions: [number(8), continuing(7)] });
    expect(await judge([base(), delta])).toEqual([]);
  });

  test.each<[string, () => Buffer[]]>([
    ['alone', () => [number(8), continuing(7)]],
    ['that continues a later base', () => [number(9), continuing(8)]],
    ['with the number of the base', () => [number(7), continuing(7)]],
    ['without a number', () => [continuing(7)]],
    ['of another scope', () => [number(8), continuing(7), scope(flag(1))]],
    ['for some reasons', () => [number(8), continuing(7), scope(implicit(3, bitString(Buffer.of(0x7e))))]],
  ])('%s does not show that a certificate is good', async (title, extensions) => {
    const delta = list({ entries: [removal()], extensions: extensions() });
    const crls = title === 'alone' ? [delta] : [base(), delta];
    expect(await judge(crls)).toEqual([expect.stringMatching(/^(REVOCATION_UN|CERTIFICATE_REVOKED)/)]);
  });

  test('does not end a revocation that is final', async () => {
    const entries = [entry(signer.serialNumber, KEY_COMPROMISE)];
    const crls = [
      list({ entries, extensions: [number(7)], fromHours: -2 }),
      list({ entries: [removal()], extensions: [number(8), continuing(7)] }),
    ];
    expect(await judge(crls)).toEqual(['CERTIFICATE_REVOKED']);
  });
});

describe('a certificate with the name of an authority', () => {
  const named = (request: Partial<IssueRequest>): Promise<Identity> =>
    pki.issue({ name: pki.intermediate.name, issuer: pki.root, ...request });

  test('signs lists of the authority only if its key usage says so', async () => {
    for (const [keyUsage, codes] of [
      [['cRLSign'], []],
      [[], ['REVOCATION_UNUSABLE']],
      [['digitalSignature'], ['REVOCATION_UNUSABLE']],
    ] as const) {
      const key = await named({ keyUsage: [...keyUsage] });
      expect(await judge([list({ by: key })], signer, [key])).toEqual(codes);
    }
  });
});

test('an authority whose certificate says that it is never revoked is still on its lists', async () => {
  const otherExtensions = [extension('2.5.29.56', Buffer.of(5, 0))];
  const authority = await pki.issue({ name: 'Never Revoked', issuer: pki.root, ca: {}, otherExtensions });
  const short = await pki.issue({ name: 'Short', otherExtensions });
  expect(await judge([], short)).toEqual([]);
  const entries = [entry(authority.serialNumber, KEY_COMPROMISE)];
  expect(await judge([list({ by: pki.root, entries })], authority)).toEqual(['CERTIFICATE_REVOKED']);
});
