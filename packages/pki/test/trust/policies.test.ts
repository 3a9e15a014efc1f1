import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import type { Identity, IssueRequest } from '@scriptorium/testing/pki/identity';
import { extension } from '@scriptorium/testing/pki/issue-certificate';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { integer, oid, sequence } from '../../src/asn1/der.ts';
import { readCertificate } from '../../src/x509/certificate.ts';
import { validatePath } from '../../src/x509/validate-path.ts';

const ANY = '2.5.29.32.0';
let pki: Pki;
beforeAll(async () => {
  pki = await createPki();
});
afterAll(() => pki.close());

const policies = (...ids: string[]) =>
  extension('2.5.29.32', sequence(...ids.map((id) => sequence(oid(id)))));
const mappings = (...pairs: [string, string][]) =>
  extension('2.5.29.33', sequence(...pairs.map(([from, to]) => sequence(oid(from), oid(to)))), true);

/** A path of authorities below the root, with these extensions from the top down, and a signer. */
async function pathWith(...extensions: Buffer[][]): Promise<Identity> {
  let issuer = pki.root;
  for (const [index, otherExtensions] of extensions.entries()) {
    const isLast = index === extensions.length - 1;
    const request: IssueRequest = {
      name: `Level ${index}`,
      issuer,
      otherExtensions,
      ...(isLast ? {} : { ca: {} }),
    };
    issuer = await pki.issue(request);
  }
  return issuer;
}

function judge(signer: Identity, inputs?: { initial?: string[]; requireExplicit?: boolean }) {
  const [leaf, ...pool] = signer.chain.map(readCertificate);
  if (leaf === undefined) throw new Error('the chain is empty');
  const anchors = [readCertificate(pki.root.der)];
  return validatePath(leaf, { pool, anchors, time: new Date(), usage: 'signing', policies: inputs });
}

test('a path whose policies would make an exponential tree is judged at once', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => `1.2.3.${index}`);
  const all = ids.flatMap((from) => ids.slice(0, 15).map((to): [string, string] => [from, to]));
  const levels = Array.from({ length: 5 }, () => [policies(...ids), mappings(...all)]);
  const signer = await pathWith(...levels, [policies('1.2.3.1')]);
  const startedAt = process.cpuUsage();
  expect(judge(signer, { requireExplicit: true }).faults).toEqual([]);
  expect(judge(signer, { requireExplicit: true, initial: ['1.2.3.59'] }).faults).toEqual([]);
  expect(judge(signer, { requireExplicit: true, initial: ['1.2.4'] }).faults).toHaveLength(1);
  expect(cpuMsSince(startedAt)).toBeLessThan(4_000);
});

test('a certificate with thousands of policies, or an unreadable constraint, does not hold', async () => {
  const many = Array.from({ length: 1_001 }, (_, index) => `1.2.3.${index}`);
  for (const bad of [
    policies(...many),
    extension('2.5.29.54', integer(0).subarray(0, 2)),
    extension('2.5.29.54', Buffer.of(2, 1, 0x80)),
  ])
    expect(judge(await pathWith([bad], [])).faults.map(({ code }) => code)).toEqual(['CHAIN_INVALID']);
});

test('any policy of an authority covers a wanted one, and a policy that the signer lacks does not', async () => {
  const signer = await pathWith([policies(ANY)], [policies('1.2.3')]);
  expect(judge(signer, { requireExplicit: true, initial: ['1.2.3'] }).faults).toEqual([]);
  expect(judge(signer, { requireExplicit: true, initial: ['1.2.4'] }).faults).toMatchObject([
    { code: 'CHAIN_INVALID', message: expect.stringMatching(/without an acceptable policy/) },
  ]);
});
