import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openssl } from '@scriptorium/testing/openssl';
import { fetcherTo, pathsSince, withFault } from '@scriptorium/testing/pki/fetching';
import type { Identity } from '@scriptorium/testing/pki/identity';
import type { KeyType } from '@scriptorium/testing/pki/keys';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { causeOf, failureOf } from '@scriptorium/testing/refusal';
import type { ValidationData } from '../../src/keys/raw-signer.ts';
import { openTimestampToken } from '../../src/tsp/time-stamp-token.ts';
import { createTimestamper } from '../../src/tsp/timestamper.ts';
import { collectFrom } from './collecting.ts';

let pki: Pki;
let signer: Identity;
beforeAll(async () => {
  pki = await createPki();
  signer = await pki.issue({ name: 'Ada Lovelace', keyType: 'p-256' });
});
afterAll(() => pki.close());

const collect = (certificates: Buffer[], authorities = pki) => collectFrom(authorities, certificates);
const has = (list: Buffer[], bytes: Buffer): boolean => list.some((each) => each.equals(bytes));
const pemOf = (kind: string, der: Buffer): string =>
  `-----BEGIN ${kind}-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${kind}-----\n`;

/** Returns the verdict of openssl on each OCSP response for each of these certificates. */
async function ocspVerdicts(data: ValidationData, subject: Identity, authorities: Pki): Promise<string> {
  const { issuer = authorities.root } = subject;
  const runs = data.ocsps.map((answer) =>
    openssl(
      [
        ...['ocsp', '-respin', 'answer.der', '-issuer', 'issuer.pem', '-cert', 'cert.pem'],
        ...['-CAfile', 'root.pem', '-verify_other', 'issuer.pem'],
      ],
      {
        'answer.der': answer,
        'issuer.pem': issuer.pem,
        'cert.pem': subject.pem,
        'root.pem': authorities.root.pem,
      },
    ),
  );
  return (await Promise.all(runs)).map(({ output }) => output).join('');
}

const GOOD = /Response verify OK\ncert\.pem: good/;

describe('validation data', () => {
  test.each<[string, KeyType, boolean]>([
    ['responders that ECDSA authorities certified', 'p-256', false],
    ['RSA authorities themselves', 'rsa-2048', true],
    ['RSA-PSS authorities themselves', 'rsa-pss', true],
    ['P-384 authorities themselves', 'p-384', true],
    ['Ed25519 authorities themselves', 'ed25519', true],
  ])(
    'have an OCSP response for each certificate below the root, by %s',
    async (_what, keyType, byAuthority) => {
      const authorities = await createPki({
        authorityKeyType: keyType,
        responders: byAuthority ? 'none' : 'unchecked',
      });
      try {
        const leaf = await authorities.issue({ name: 'Ada Lovelace' });
        const data = await collect(leaf.chain, authorities);
        expect(data.ocsps).toHaveLength(2);
        expect(data.crls).toHaveLength(0);
        expect(await ocspVerdicts(data, leaf, authorities)).toMatch(GOOD);
        expect(await ocspVerdicts(data, authorities.intermediate, authorities)).toMatch(GOOD);
        for (const der of leaf.chain) expect(has(data.certificates, der)).toBe(true);
        expect(data.certificates).toHaveLength(byAuthority ? 3 : 5);
      } finally {
        await authorities.close();
      }
    },
  );

  test('include fetched issuers that are not given', async () => {
    const data = await collect([signer.der]);
    for (const der of signer.chain) expect(has(data.certificates, der)).toBe(true);
    expect(data.ocsps).toHaveLength(2);
  });

  test('cover the chain of a time-stamp as well, and each certificate once', async () => {
    const profile = { url: pki.tsaUrl, hash: 'sha256' } as const;
    const { token } = await createTimestamper(profile, fetcherTo(pki)).timestamp(Buffer.from('signature'));
    const { certificates } = openTimestampToken(token);
    const data = await collect([...signer.chain, ...certificates.map(({ der }) => der), ...signer.chain]);
    expect(data.ocsps).toHaveLength(3);
    expect(await ocspVerdicts(data, pki.tsa, pki)).toMatch(GOOD);
    expect(await ocspVerdicts(data, signer, pki)).toMatch(GOOD);
    expect(new Set(data.certificates.map((der) => der.toString('hex'))).size).toBe(data.certificates.length);
    expect(data.certificates).toHaveLength(6);
  });

  test('contain a CRL if a certificate names no responder', async () => {
    const leaf = await pki.issue({ name: 'Charles Babbage', places: { ocsp: [] } });
    const data = await collect(leaf.chain);
    expect(data.crls).toHaveLength(1);
    const { output } = await openssl(
      [
        'verify',
        '-crl_check',
        '-CAfile',
        'root.pem',
        '-untrusted',
        'issuer.pem',
        '-CRLfile',
        'crl.pem',
        'leaf.pem',
      ],
      {
        'root.pem': pki.root.pem,
        'issuer.pem': pki.intermediate.pem,
        'leaf.pem': leaf.pem,
        'crl.pem': pemOf('X509 CRL', data.crls[0] ?? Buffer.of()),
      },
    );
    expect(output).toBe('leaf.pem: OK\n');
  });

  test('contain a CRL for two certificates once, after one fetch', async () => {
    const other = await pki.issue({ name: 'Charles Babbage', places: { ocsp: [] } });
    const leaf = await pki.issue({ name: 'Grace Hopper', places: { ocsp: [] } });
    const since = pki.visits.length;
    const data = await collect([...leaf.chain, other.der]);
    expect(data.crls).toHaveLength(1);
    expect(pathsSince(pki, since).filter((path) => path === 'crl')).toHaveLength(1);
  });

  test('of a self-signed certificate consist of that certificate', async () => {
    const data = await collect([pki.root.der]);
    expect(data).toEqual({ certificates: [pki.root.der], ocsps: [], crls: [] });
  });

  test('do not include certificates outside of every path', async () => {
    const twin = await pki.issue({ name: pki.root.name, keyPair: pki.root, ca: {} });
    const data = await collect([...signer.chain, twin.der]);
    expect(has(data.certificates, twin.der)).toBe(false);
    expect(data.ocsps).toHaveLength(2);
  });
});

describe('a revoked certificate', () => {
  test('of the signer is named in the error', async () => {
    const leaf = await pki.issue({ name: 'Charles Babbage' });
    pki.revoke(leaf, { at: new Date('2026-01-02T03:04:05Z'), reason: 1 });
    const failure = await failureOf(collect(leaf.chain));
    expect(failure.code).toBe('SIGNING_KEY_INVALID');
    expect(failure.message).toBe('The certificate of “Charles Babbage” was revoked on 2026-01-02.');
    expect(causeOf(failure)).toMatch(/reason 1/);
  });

  test('is found in a CRL of thousands of entries', async () => {
    const authorities = await createPki();
    try {
      const leaf = await authorities.issue({ name: 'Charles Babbage', places: { ocsp: [] } });
      const good = await authorities.issue({ name: 'Grace Hopper', places: { ocsp: [] } });
      for (let index = 0; index < 20_000; index++)
        authorities.revoke({ ...leaf, serialNumber: (2 ** 40 + index).toString(16) });
      authorities.revoke(leaf, { reason: 6 });
      const failure = await failureOf(collect(leaf.chain, authorities));
      expect(failure.code).toBe('SIGNING_KEY_INVALID');
      expect(failure.message).toMatch(/“Charles Babbage” was revoked/);
      expect((await collect(good.chain, authorities)).crls).toHaveLength(1);
    } finally {
      await authorities.close();
    }
  });

  test('is named in one line, regardless of its name', async () => {
    const leaf = await pki.issue({ name: `Zoë\n\u202eCN=Nobody ${'a'.repeat(5000)}` });
    pki.revoke(leaf);
    const { message } = await failureOf(collect(leaf.chain));
    expect(message).toMatch(/^The certificate of “Zoë[^\n\u202e]{1,130}” was revoked on [-\d]{10}\.$/u);
  });

  test('of an authority is named in the error', async () => {
    const authorities = await createPki();
    try {
      const leaf = await authorities.issue({ name: 'Ada Lovelace' });
      authorities.revoke(authorities.intermediate);
      const failure = await failureOf(collect(leaf.chain, authorities));
      expect(failure.code).toBe('SIGNING_KEY_INVALID');
      expect(failure.message).toMatch(/“Test Issuer” was revoked/);
    } finally {
      await authorities.close();
    }
  });

  test('is reported even if the CRL does not list it', async () => {
    const failure = await withFault(pki, { ocsp: 'revoked' }, () => failureOf(collect(signer.chain)));
    expect(failure.code).toBe('SIGNING_KEY_INVALID');
  });
});
