import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openssl } from '../src/openssl.ts';
import type { Identity } from '../src/pki/identity.ts';
import type { KeyType } from '../src/pki/keys.ts';
import { createPki, type Pki } from '../src/pki/pki.ts';
import { TSA_POLICY } from '../src/pki/time-stamp.ts';

let pki: Pki;
let signer: Identity;
beforeAll(async () => {
  pki = await createPki();
  signer = await pki.issue({ name: 'Ada Lovelace' });
});
afterAll(() => pki.close());

const chainFiles = (leaf: Identity) => ({
  'root.pem': pki.root.pem,
  'issuer.pem': pki.intermediate.pem,
  'leaf.pem': leaf.pem,
});
const VERIFY = ['verify', '-x509_strict', '-CAfile', 'root.pem', '-untrusted', 'issuer.pem'];
const pemList = (der: Buffer): string =>
  `-----BEGIN X509 CRL-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END X509 CRL-----\n`;

const ocspQuery = (leaf: Identity, ...options: string[]) =>
  openssl(
    [
      'ocsp',
      ...['-issuer', 'issuer.pem', '-cert', 'leaf.pem', '-CAfile', 'root.pem', '-verify_other', 'issuer.pem'],
      ...['-url', `${new URL(pki.tsaUrl).origin}/${pki.intermediate.serialNumber}/ocsp`, ...options],
    ],
    chainFiles(leaf),
  );

describe('openssl', () => {
  test.each<KeyType>(['rsa-2048', 'rsa-3072', 'rsa-pss', 'p-256', 'p-384', 'p-521', 'ed25519'])(
    'trusts a certificate for a key of %s',
    async (keyType) => {
      const leaf = await pki.issue({ name: 'Ada Lovelace', keyType });
      const { output } = await openssl([...VERIFY, 'leaf.pem'], chainFiles(leaf));
      expect(output).toBe('leaf.pem: OK\n');
    },
  );

  test.each<KeyType>(['rsa-2048', 'rsa-pss', 'p-384', 'ed25519'])(
    'trusts authorities with keys of %s, and their responses',
    async (authorityKeyType) => {
      const other = await createPki({ authorityKeyType, tsaKeyType: 'p-256', responders: 'none' });
      try {
        const leaf = await other.issue({ name: 'Ada Lovelace' });
        const files = {
          'root.pem': other.root.pem,
          'issuer.pem': other.intermediate.pem,
          'leaf.pem': leaf.pem,
          'crls.pem': pemList(other.crlOf(other.intermediate)) + pemList(other.crlOf(other.root)),
        };
        const chain = await openssl([...VERIFY, '-crl_check_all', '-CRLfile', 'crls.pem', 'leaf.pem'], files);
        expect(chain.output).toBe('leaf.pem: OK\n');
        const url = leaf.certificate.infoAccess?.match(/OCSP - URI:(\S+)/)?.[1] ?? '';
        const ocsp = await openssl(
          ['ocsp', '-issuer', 'issuer.pem', '-cert', 'leaf.pem', '-CAfile', 'root.pem', '-url', url],
          files,
        );
        expect(ocsp.output).toMatch(/^Response verify OK\nleaf\.pem: good/);
      } finally {
        await other.close();
      }
    },
  );

  test('does not trust an expired certificate, or one of a strange authority', async () => {
    const notAfter = new Date(Date.now() - 1000);
    const over = await openssl(
      [...VERIFY, 'leaf.pem'],
      chainFiles(await pki.issue({ name: 'Ada', notAfter })),
    );
    expect(over.output).toMatch(/certificate has expired/);
    const other = await createPki();
    await other.close();
    const strange = await openssl(
      [...VERIFY, 'leaf.pem'],
      chainFiles(await other.issue({ name: 'Ada', issuer: other.intermediate })),
    );
    expect(strange.output).toMatch(/unable to get local issuer/);
  });

  test('reads the PKCS #12 file with its key and its chain', async () => {
    for (const isLegacy of [false, true]) {
      const p12 = await signer.p12('geheim', { isLegacy });
      const { output, code } = await openssl(
        ['pkcs12', '-in', 'a.p12', '-passin', 'pass:geheim', '-nodes', ...(isLegacy ? ['-legacy'] : [])],
        { 'a.p12': p12 },
      );
      expect(code).toBe(0);
      expect(output.match(/BEGIN CERTIFICATE/g)).toHaveLength(3);
      expect(output).toMatch(/BEGIN PRIVATE KEY/);
    }
  });

  test('gets the status good over OCSP, and revoked after the revocation', async () => {
    const leaf = await pki.issue({ name: 'Charles Babbage' });
    expect((await ocspQuery(leaf)).output).toMatch(/^Response verify OK\nleaf\.pem: good/);
    pki.revoke(leaf);
    expect((await ocspQuery(leaf)).output).toMatch(/leaf\.pem: revoked[\s\S]*Reason: keyCompromise/);
  });

  test.each([
    ['unknown', /leaf\.pem: unknown/],
    ['revoked', /leaf\.pem: revoked/],
    ['tryLater', /Responder Error: trylater \(3\)/],
    ['stale', /Status times invalid|status expired/],
    ['future', /Status times invalid|status not yet valid/],
    ['wrongSignature', /Response Verify Failure/],
    ['strangeSigner', /Response Verify Failure/],
    ['wrongUsage', /Response Verify Failure[\s\S]*missing ocspsigning usage/],
    ['otherCertificate', /No Status found/],
    ['wrongNonce', /Nonce Verify error/],
    ['garbage', /Error/],
  ] as const)('notices an OCSP answer with the fault %s', async (fault, complaint) => {
    pki.faults.ocsp = fault;
    try {
      expect((await ocspQuery(signer)).output).toMatch(complaint);
    } finally {
      pki.faults.ocsp = undefined;
    }
  });

  test('finds a revoked certificate on its revocation list', async () => {
    const leaf = await pki.issue({ name: 'Charles Babbage' });
    pki.revoke(leaf, { reason: 4 });
    const url = `${new URL(pki.tsaUrl).origin}/${pki.intermediate.serialNumber}/crl`;
    const crl = Buffer.from(await (await fetch(url)).arrayBuffer());
    const read = await openssl(
      ['crl', '-inform', 'DER', '-in', 'a.crl', '-noout', '-text', '-CAfile', 'issuer.pem'],
      {
        'a.crl': crl,
        ...chainFiles(leaf),
      },
    );
    expect(read.output).toMatch(/verify OK/);
    expect(read.output).toMatch(/Superseded/);
    const { output } = await openssl([...VERIFY, '-crl_check', '-CRLfile', 'crl.pem', 'leaf.pem'], {
      ...chainFiles(leaf),
      'crl.pem': pemList(crl),
    });
    expect(output).toMatch(/certificate revoked/);
  });
});

describe('a time-stamp', () => {
  const DATA = Buffer.from('to be stamped');
  const query = async (...options: string[]): Promise<Buffer> => {
    const args = ['ts', '-query', '-data', 'data.txt', '-cert', ...options];
    return (await openssl(args, { 'data.txt': DATA })).stdout;
  };
  const judge = async (authorities: Pki, request: Buffer): Promise<string> => {
    const answer = await fetch(authorities.tsaUrl, { method: 'POST', body: new Uint8Array(request) });
    const { output } = await openssl(
      ['ts', '-verify', '-queryfile', 'a.tsq', '-in', 'a.tsr', '-CAfile', 'root.pem'],
      {
        'root.pem': authorities.root.pem,
        'a.tsq': request,
        'a.tsr': Buffer.from(await answer.arrayBuffer()),
      },
    );
    return output;
  };

  test.each<KeyType>(['rsa-2048', 'rsa-pss', 'p-256', 'p-384'])(
    'with a key of %s is valid',
    async (tsaKeyType) => {
      const other = await createPki({ tsaKeyType });
      try {
        expect(await judge(other, await query('-sha256'))).toMatch(/Verification: OK/);
        expect(await judge(other, await query('-sha512', '-no_nonce'))).toMatch(/Verification: OK/);
        other.tsaOptions.isBer = true;
        expect(await judge(other, await query('-sha256'))).toMatch(/Verification: OK/);
        other.tsaOptions.hasOldEss = true;
        expect(await judge(other, await query('-sha256'))).toMatch(/Verification: OK/);
      } finally {
        await other.close();
      }
    },
  );

  test.each([
    ['refusal', /no more stamps today/],
    ['wrongImprint', /message imprint mismatch/],
    ['wrongNonce', /nonce mismatch/],
    ['noNonce', /nonce not returned/],
    ['wrongPolicy', /policy mismatch/],
    ['wrongUsage', /unsuitable certificate purpose|unsupported certificate purpose/],
    ['notCriticalUsage', /unsuitable certificate purpose|unsupported certificate purpose/],
    ['manyUsages', /unsuitable certificate purpose|unsupported certificate purpose/],
    ['expired', /certificate has expired/],
    ['wrongSignature', /signature failure|bad signature/],
    ['wrongDigest', /digest failure|signature failure/],
    ['otherEss', /ess signing certificate error|ess cert id/i],
    ['noEss', /missing signing certificate attribute/],
    ['noCertificate', /signer certificate not found|Verification: FAILED/],
    ['wrongContent', /wrong content type|Verification: FAILED|content type/],
    ['garbage', /wrong tag|error/i],
  ] as const)('with the fault %s does not', async (fault, complaint) => {
    pki.faults.tsa = fault;
    try {
      const output = await judge(pki, await query('-sha256', '-tspolicy', TSA_POLICY));
      expect(output).toMatch(complaint);
      expect(output).not.toMatch(/Verification: OK/);
    } finally {
      pki.faults.tsa = undefined;
    }
  });
});
