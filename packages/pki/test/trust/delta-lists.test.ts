import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { explicit, ia5String, implicit, sequence } from '@scriptorium/testing/pki/der';
import { never } from '@scriptorium/testing/pki/fetching';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { extension } from '@scriptorium/testing/pki/issue-certificate';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { findStatus } from '../../src/revocation/certificate-status.ts';
import { CrlSigners } from '../../src/revocation/crl-signers.ts';
import { readCertificate } from '../../src/x509/certificate.ts';
import { PathEffort } from '../../src/x509/validate-path.ts';
import { continuing, entry, HOLD, KEY_COMPROMISE, makeList, number, REMOVE } from './make-list.ts';

const [BASE, DELTA] = ['http://lists.test/base', 'http://lists.test/delta'];
const freshest = extension(
  '2.5.29.46',
  sequence(sequence(explicit(0, explicit(0, implicit(6, ia5String(DELTA)))))),
);

let pki: Pki;
beforeAll(async () => {
  pki = await createPki();
});
afterAll(() => pki.close());

const issue = (otherExtensions: Buffer[] = []): Promise<Identity> =>
  pki.issue({ name: 'Ada', places: { ocsp: [], crl: [BASE] }, otherExtensions });

/** Asks for the status of a certificate where these lists are published. */
async function statusOf(signer: Identity, lists: Record<string, Buffer>, isVerifying = true) {
  const [certificate, issuer, anchor] = signer.chain.map(readCertificate);
  if (certificate === undefined || issuer === undefined) throw new Error('the chain is too short');
  const fetched: string[] = [];
  const fetcher = {
    async fetch(url: string) {
      fetched.push(url);
      const list = lists[url];
      if (list === undefined)
        throw Object.assign(new Error('no list'), { name: 'FetchError', failure: 'down' });
      return list;
    },
  };
  const signers = isVerifying ? new CrlSigners({ pool: [issuer], effort: new PathEffort() }) : undefined;
  const request = { fetcher, signal: never(), lists: new Map() };
  const { answer } = await findStatus({ certificate, issuer, anchor }, request, signers);
  return { ...answer, fetched };
}

const base = (entries: Buffer[] = [], extensions: Buffer[] = []) =>
  makeList({ by: pki.intermediate, entries, extensions: [number(7), ...extensions], fromHours: -2 });
const delta = (entries: Buffer[], continued = 7) =>
  makeList({ by: pki.intermediate, entries, extensions: [number(8), continuing(continued)] });

test.each(['the certificate', 'the list'])('a delta list that %s names adds a revocation', async (place) => {
  const isNamedByList = place === 'the list';
  const signer = await issue(isNamedByList ? [] : [freshest]);
  const lists = {
    [BASE]: base([], isNamedByList ? [freshest] : []),
    [DELTA]: delta([entry(signer.serialNumber, KEY_COMPROMISE)]),
  };
  expect(await statusOf(signer, lists)).toMatchObject({ status: 'revoked', fetched: [BASE, DELTA] });
});

test('a delta list ends a hold of its base only', async () => {
  const signer = await issue([freshest]);
  const lists = (continued: number) => ({
    [BASE]: base([entry(signer.serialNumber, HOLD)]),
    [DELTA]: delta([entry(signer.serialNumber, REMOVE)], continued),
  });
  expect(await statusOf(signer, lists(7))).toMatchObject({ status: 'good' });
  expect(await statusOf(signer, lists(8))).toMatchObject({ status: 'revoked', reason: HOLD });
});

test('a delta list that cannot be had or read leaves what the base says', async () => {
  const signer = await issue([freshest]);
  expect(await statusOf(signer, { [BASE]: base() })).toMatchObject({
    status: 'good',
    fetched: [BASE, DELTA],
  });
  const lists = { [BASE]: base(), [DELTA]: Buffer.from('<html>') };
  expect(await statusOf(signer, lists)).toMatchObject({ status: 'good' });
});

test('a delta list is not fetched for evidence to embed', async () => {
  const signer = await issue([freshest]);
  const lists = { [BASE]: base(), [DELTA]: delta([]) };
  expect(await statusOf(signer, lists, false)).toMatchObject({ status: 'good', fetched: [BASE] });
});
