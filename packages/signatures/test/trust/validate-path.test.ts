import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type PathOptions, readCertificate } from '@scriptorium/pki/certificates';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { sequence } from '@scriptorium/testing/pki/der';
import type { Identity, IssueRequest } from '@scriptorium/testing/pki/identity';
import { extension } from '@scriptorium/testing/pki/issue-certificate';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { judgePath, read, signerBelow } from './paths.ts';
import { inDays, minutesAgo } from './trials.ts';

let pki: Pki;
let ada: Identity;
beforeAll(async () => {
  pki = await createPki();
  ada = await pki.issue({ name: 'Ada Lovelace' });
});
afterAll(() => pki.close());

const judge = (leaf: Identity, change: Partial<PathOptions> = {}) => judgePath(pki, leaf, change);
const below = (authority: Partial<IssueRequest>) => signerBelow(pki, authority);

describe('a path', () => {
  test('to a trusted root has no faults', () => {
    const { isAnchored, faults, names } = judge(ada);
    expect({ isAnchored, faults }).toEqual({ isAnchored: true, faults: [] });
    expect(names).toEqual(['Ada Lovelace', 'Test Issuer', 'Test Root']);
  });

  test('may end at a trusted intermediate or at the signer’s own certificate', () => {
    expect(judge(ada, { anchors: read(pki.intermediate) })).toMatchObject({
      isAnchored: true,
      faults: [],
      names: ['Ada Lovelace', 'Test Issuer'],
    });
    expect(judge(ada, { anchors: read(ada), pool: [] })).toMatchObject({
      isAnchored: true,
      faults: [],
      names: ['Ada Lovelace'],
    });
  });

  test('is untrusted without anchors, regardless of the roots in the document', () => {
    const { codes, isAnchored, names } = judge(ada, { anchors: [], pool: read(pki.intermediate, pki.root) });
    expect({ codes, isAnchored }).toEqual({ codes: ['CHAIN_UNTRUSTED'], isAnchored: false });
    expect(names).toEqual(['Ada Lovelace', 'Test Issuer', 'Test Root']);
  });

  test('ends early if an issuer is missing', () => {
    expect(judge(ada, { pool: [] }).codes).toEqual(['CHAIN_UNTRUSTED']);
  });

  test('to an attacker’s root with the same names does not reach the trusted root', async () => {
    const attacker = await createPki();
    try {
      const mallory = await attacker.issue({ name: 'Ada Lovelace' });
      expect(attacker.root.subject).toEqual(pki.root.subject);
      const pool = mallory.chain.slice(1).map(readCertificate);
      expect(judge(mallory, { pool: [...pool, ...read(pki.intermediate)] }).codes).toEqual([
        'CHAIN_UNTRUSTED',
      ]);
      // The attacker's certificates beside the good ones do not prevent finding a good path.
      expect(judge(ada, { pool: [...pool, ...read(pki.intermediate)] }).faults).toEqual([]);
    } finally {
      await attacker.close();
    }
  });

  test('is found through a cross-certificate, preferring the better of two', async () => {
    const { name, privateKey, publicKey } = pki.intermediate;
    const other = await createPki();
    try {
      const request = { name, keyPair: { privateKey, publicKey }, ca: {} };
      const crossed = await other.issue({ ...request, issuer: other.root });
      const expired = await other.issue({ ...request, issuer: other.root, notAfter: minutesAgo(1) });
      const anchors = read(other.root);
      expect(judge(ada, { anchors, pool: read(pki.intermediate, crossed) })).toMatchObject({
        isAnchored: true,
        faults: [],
      });
      expect(judge(ada, { anchors, pool: read(expired, pki.intermediate, crossed) }).faults).toEqual([]);
      expect(judge(ada, { anchors, pool: read(expired, pki.intermediate) }).codes).toEqual([
        'CERTIFICATE_EXPIRED',
      ]);
    } finally {
      await other.close();
    }
  });

  test('among authorities that all certify each other is searched for a limited time', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `Ring ${index}`);
    const ring = await Promise.all(names.map((name) => pki.issue({ name, issuer: pki.root, ca: {} })));
    const crossed = await Promise.all(
      ring.flatMap((keyPair) =>
        ring.map((issuer) => pki.issue({ name: keyPair.name, issuer, ca: {}, keyPair })),
      ),
    );
    const eve = await pki.issue({ name: 'Eve', issuer: ring[0] ?? pki.root });
    const startedAt = process.cpuUsage();
    expect(judge(eve, { anchors: [], pool: read(...crossed) }).codes).toEqual(['CHAIN_UNTRUSTED']);
    expect(cpuMsSince(startedAt)).toBeLessThan(10_000);
    expect(judge(eve, { pool: read(...ring, ...crossed) }).faults).toEqual([]);
  });

  test('of more than eight certificates is not followed', async () => {
    let issuer = await pki.issue({ name: 'Step 0', issuer: pki.root, ca: {} });
    for (let index = 1; index < 8; index++)
      issuer = await pki.issue({ name: `Step ${index}`, issuer, ca: {} });
    const leaf = await pki.issue({ name: 'Far Away', issuer });
    expect(judge(leaf).codes).toEqual(['CHAIN_UNTRUSTED']);
  });
});

describe('an authority', () => {
  test('needs the CA flag: a signer’s certificate cannot certify others', async () => {
    const { name, privateKey, publicKey } = ada;
    const registered = await pki.issue({ name, keyPair: { privateKey, publicKey }, ca: {} });
    const mallory = await pki.issue({ name: 'The President', issuer: registered });
    const { codes, messages } = judge(mallory, { pool: read(ada, pki.intermediate) });
    expect(codes).toEqual(expect.arrayContaining(['CHAIN_INVALID']));
    expect(messages).toContain('“Ada Lovelace” is not a CA certificate, and signed another');
    expect(judge(mallory, { pool: [], anchors: read(ada) }).codes).toContain('CHAIN_INVALID');
  });

  test('must be permitted to sign certificates', async () => {
    const leaf = await below({ keyUsage: ['cRLSign', 'digitalSignature'] });
    expect(judge(leaf)).toMatchObject({
      codes: ['CHAIN_INVALID'],
      messages: expect.stringContaining('does not permit signing certificates'),
    });
  });

  test.each<[string, Partial<IssueRequest>, string[]]>([
    ['servers', { extendedKeyUsage: ['serverAuth', 'clientAuth', 'ocspSigning'] }, ['CHAIN_INVALID']],
    ['time-stamps', { extendedKeyUsage: ['timeStamping'] }, ['CHAIN_INVALID']],
    ['persons', { extendedKeyUsage: ['clientAuth', 'emailProtection'] }, []],
  ])('for %s certifies a signer only if its purposes permit it', async (_, authority, codes) => {
    expect(judge(await below(authority)).codes).toEqual(codes);
    expect(judge(await below(authority), { usage: 'crl' }).messages).not.toContain('other purposes');
  });

  test('for time-stamps certifies a time-stamping authority', async () => {
    const purpose = { extendedKeyUsage: ['timeStamping' as const], isExtendedKeyUsageCritical: true };
    const clock = (authority: Partial<IssueRequest>) => signerBelow(pki, authority, purpose);
    const usage = 'timestamping';
    expect(judge(await clock(purpose), { usage }).codes).toEqual([]);
    expect(judge(await clock({ extendedKeyUsage: ['serverAuth'] }), { usage }).codes).toEqual([
      'CHAIN_INVALID',
    ]);
  });

  test('must not have more authorities below it than permitted', async () => {
    const none = await pki.issue({ name: 'Last Issuer', issuer: pki.root, ca: { pathLength: 0 } });
    const direct = await pki.issue({ name: 'Grace Hopper', issuer: none });
    expect(judge(direct).faults).toEqual([]);
    const sub = await pki.issue({ name: 'Sub Issuer', issuer: none, ca: {} });
    const leaf = await pki.issue({ name: 'Grace Hopper', issuer: sub });
    expect(judge(leaf)).toMatchObject({
      codes: ['CHAIN_INVALID'],
      messages: expect.stringContaining('permits 0 authorities below it, and has 1'),
    });
    // The same applies if it is itself the trust anchor.
    expect(judge(leaf, { anchors: read(none) }).codes).toEqual(['CHAIN_INVALID']);
  });

  test('that renewed its own certificate counts once', async () => {
    const last = await pki.issue({ name: 'Renewed Issuer', issuer: pki.root, ca: { pathLength: 0 } });
    const renewed = await pki.issue({ name: 'Renewed Issuer', issuer: last, ca: { pathLength: 0 } });
    expect(judge(await pki.issue({ name: 'Grace Hopper', issuer: renewed })).faults).toEqual([]);
  });

  test('that has expired is valid at earlier times', async () => {
    const leaf = await below({ notAfter: inDays(1) });
    expect(judge(leaf).faults).toEqual([]);
    expect(judge(leaf, { time: inDays(2) }).codes).toEqual(['CERTIFICATE_EXPIRED']);
  });

  test('that is an anchor stays trusted after expiry, unlike a signer’s own certificate', () => {
    const time = inDays(400);
    const [root] = read(pki.root);
    expect(root?.x509.validToDate.getTime()).toBeLessThan(time.getTime());
    const { codes } = judge(ada, { time, anchors: read(pki.intermediate) });
    expect(codes).toEqual(['CERTIFICATE_EXPIRED']);
    expect(judge(ada, { time, anchors: read(ada) }).codes).toEqual(['CERTIFICATE_EXPIRED']);
  });

  test.each<[string, Partial<IssueRequest>]>([
    ['signs with SHA-1', { hash: 'sha1' }],
    ['has a short key', { keyType: 'rsa-1024' }],
  ])('that %s leaves the signer in doubt', async (_what, authority) => {
    expect(judge(await below(authority)).codes).toContain('WEAK_ALGORITHM');
  });

  test('with a weak self-signature is still trusted', async () => {
    const leaf = await below({ hash: 'sha1' });
    const { issuer = pki.root } = leaf;
    expect(judge(leaf, { anchors: read(issuer) }).faults).toEqual([]);
  });
});

describe('a signer', () => {
  test('whose certificate was not yet valid cannot have signed', () => {
    expect(judge(ada, { time: minutesAgo(600) }).codes).toContain('CERTIFICATE_NOT_YET_VALID');
  });

  test('that signed over a time-stamp after the certificate expiry signed too late', async () => {
    const late = await pki.issue({ name: 'Late', notAfter: minutesAgo(30) });
    expect(judge(late, { madeAfter: minutesAgo(40) }).codes).toEqual(['CERTIFICATE_EXPIRED']);
    expect(judge(late, { madeAfter: minutesAgo(20) }).codes).toEqual(['SIGNED_AFTER_EXPIRY']);
    expect(judge(late, { madeAfter: minutesAgo(20), time: minutesAgo(35) }).codes).toEqual([]);
  });

  test.each<[string, Partial<IssueRequest>, string[]]>([
    ['for encryption only', { keyUsage: ['keyEncipherment'] }, ['CHAIN_INVALID']],
    ['for non-repudiation only', { keyUsage: ['nonRepudiation'] }, []],
    ['without key usage', { keyUsage: [] }, []],
    ['of a web server', { extendedKeyUsage: ['serverAuth'] }, ['CHAIN_INVALID']],
    ['of a machine', { extendedKeyUsage: ['serverAuth', 'clientAuth'] }, ['CHAIN_INVALID']],
    ['of a login card', { extendedKeyUsage: ['clientAuth'] }, []],
    [
      'of a time-stamping authority',
      { extendedKeyUsage: ['timeStamping'], isExtendedKeyUsageCritical: true },
      ['CHAIN_INVALID'],
    ],
    ['for mail', { extendedKeyUsage: ['emailProtection'] }, []],
    ['for nothing', { otherExtensions: [extension('2.5.29.37', sequence())] }, ['CHAIN_INVALID']],
    ['for a server and documents', { extendedKeyUsage: ['serverAuth', 'documentSigning'] }, []],
    [
      'with an unknown critical extension',
      { otherExtensions: [extension('1.2.3.4', sequence(), true)] },
      ['CHAIN_INVALID'],
    ],
    ['with an unknown extension', { otherExtensions: [extension('1.2.3.4', sequence())] }, []],
  ])('with a certificate %s', async (_what, request, codes) => {
    expect(judge(await pki.issue({ name: 'Charles Babbage', ...request })).codes).toEqual(codes);
  });

  test('without a chain is judged by the signer’s own certificate', async () => {
    const root = await pki.issue({
      name: 'Self',
      issuer: pki.root,
      notAfter: minutesAgo(1),
      keyUsage: ['keyEncipherment'],
    });
    expect(judge(root, { anchors: [], pool: [] }).codes).toEqual([
      'CHAIN_UNTRUSTED',
      'CERTIFICATE_EXPIRED',
      'CHAIN_INVALID',
    ]);
  });

  test('with a signing certificate cannot time-stamp, and a time-stamping one cannot sign', async () => {
    expect(judge(ada, { usage: 'timestamping' }).codes).toEqual(['CHAIN_INVALID']);
    expect(judge(pki.tsa, { usage: 'timestamping' }).faults).toEqual([]);
  });

  test('with any characters in the name is named in one short line', async () => {
    const name = `Eve\n\u202e\u0000${'x'.repeat(300)}`;
    const { messages } = judge(await pki.issue({ name, notAfter: minutesAgo(1) }));
    expect(messages).toContain('expired');
    expect(messages).not.toMatch(/[\p{C}]/u);
    expect(messages.length).toBeLessThan(300);
  });
});
