import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type KeyKind, Openssl, TestAuthority } from '@scriptorium/testing/openssl-authority';
import { refusalOf } from '@scriptorium/testing/refusal';
import { signedAttributes } from '../src/cms/signed-attributes.ts';
import { cmsSizeMax, signedData } from '../src/cms/signed-data.ts';
import { readPem } from '../src/keys/pem.ts';
import { privateKeySigner } from '../src/keys/private-key-signer.ts';
import type { RawSigner } from '../src/keys/raw-signer.ts';
import type { RsaPadding } from '../src/keys/signature-scheme.ts';

const openssl = new Openssl();
const authority = new TestAuthority(openssl);
const content = Buffer.from('Twelve crates of oranges, against payment.\n');
const now = new Date();

async function signerOf(name: string, rsaPadding?: RsaPadding): Promise<RawSigner> {
  const pem = { privateKey: authority.text(`${name}.key`), certificates: authority.chain(name) };
  return privateKeySigner(await readPem(pem), { rsaPadding, now });
}

const digestBy = (hash: string) => createHash(hash).update(content).digest();

/** Verifies as a relying party that trusts only the root. */
function judge(cms: Buffer, signed: Buffer = content) {
  openssl.write('signature.der', cms);
  openssl.write('content.bin', signed);
  return openssl.try(
    ...['cms', '-verify', '-binary', '-inform', 'DER', '-cades', '-in', 'signature.der'],
    ...['-content', 'content.bin', '-CAfile', 'root.crt', '-purpose', 'any', '-out', 'verified.bin'],
  );
}

function shown(cms: Buffer): string {
  openssl.write('signature.der', cms);
  return openssl.run('cms', '-cmsout', '-print', '-inform', 'DER', '-in', 'signature.der').toString();
}

beforeAll(() => {
  for (const kind of ['rsa', 'rsaPss', 'boundPss', 'p256', 'p384', 'p521'] satisfies KeyKind[])
    authority.issue(kind, { kind, keyUsage: 'nonRepudiation' });
});
afterAll(() => openssl.remove());

describe.each<[string, KeyKind, RsaPadding | undefined, string, string]>([
  ['an RSA key', 'rsa', undefined, 'sha256', 'sha256WithRSAEncryption'],
  ['an RSA key used with PSS', 'rsa', 'pss', 'sha256', 'rsassaPss'],
  ['a key restricted to RSA-PSS', 'rsaPss', undefined, 'sha256', 'rsassaPss'],
  ['an RSA-PSS key bound to SHA-384', 'boundPss', undefined, 'sha384', 'rsassaPss'],
  ['a P-256 key', 'p256', undefined, 'sha256', 'ecdsa-with-SHA256'],
  ['a P-384 key', 'p384', undefined, 'sha384', 'ecdsa-with-SHA384'],
  ['a P-521 key', 'p521', undefined, 'sha512', 'ecdsa-with-SHA512'],
])('a signature by %s', (_, kind, padding, hash, algorithm) => {
  test('is a valid CAdES signature for OpenSSL, for this content only', async () => {
    const signer = await signerOf(kind, padding);
    const { cms } = await signedData({ digest: digestBy(hash), signer });
    const verdict = judge(cms);
    expect(verdict).toMatchObject({ isGood: true, stderr: 'CAdES Verification successful\n' });
    expect(openssl.read('verified.bin')).toEqual(content);
    expect(judge(cms, Buffer.from('Thirteen crates'))).toMatchObject({
      isGood: false,
      stderr: expect.stringContaining('content verify error'),
    });
  });

  test('names its algorithm and embeds the chain but not the content', async () => {
    const signer = await signerOf(kind, padding);
    const { cms, signatureValue } = await signedData({ digest: digestBy(hash), signer });
    const text = shown(cms);
    expect(text).toMatch(new RegExp(`signatureAlgorithm:\\s+algorithm: ${algorithm}`));
    expect(text).toContain('eContent: <ABSENT>');
    expect(text).toContain('id-smime-aa-signingCertificateV2');
    expect(text).not.toContain('signingTime');
    for (const name of ['Test root', 'Test authority', kind]) expect(text).toContain(`CN=${name}`);
    expect(cms.includes(signatureValue)).toBe(true);
    if (algorithm !== 'rsassaPss') return;
    const parameters = text.slice(text.lastIndexOf('algorithm: rsassaPss'), text.lastIndexOf('signature:'));
    const saltOctets = { sha256: '20', sha384: '30' }[hash];
    expect(
      parameters.match(/:(sha\d+|mgf1)$|INTEGER +:.*$/gm)?.map((line) => line.replace(/ +/, '')),
    ).toEqual([`:${hash}`, ':mgf1', `:${hash}`, `INTEGER:${saltOctets}`]);
  });

  test('fits tightly into the predicted size', async () => {
    const signer = await signerOf(kind, padding);
    for (let round = 0; round < 20; round++) {
      const { cms } = await signedData({ digest: digestBy(hash), signer });
      const room = cmsSizeMax(signer, false);
      expect(cms.length).toBeLessThanOrEqual(room);
      expect(room - cms.length).toBeLessThan(16);
    }
  });
});

test('the bytes to sign equal those in the signature', async () => {
  const signer = await signerOf('p256');
  const seen: Uint8Array[] = [];
  const watching: RawSigner = {
    ...signer,
    sign: (tbs) => {
      seen.push(tbs);
      return signer.sign(tbs);
    },
  };
  const digest = digestBy('sha256');
  const { cms } = await signedData({ digest, signer: watching });
  const attributes = signedAttributes({ digest }, signer);
  expect(seen).toEqual([attributes]);
  expect(cms.includes(attributes.subarray(2))).toBe(true);
});

test('attributes are always in the DER order of sets', async () => {
  const signer = await signerOf('p384');
  const { cms } = await signedData({ digest: digestBy('sha384'), signer, signingTime: now });
  expect(judge(cms).isGood).toBe(true);
  // OpenSSL re-encodes the attributes in sorted order and then compares digests.
  const written = openssl.run('cms', '-cmsout', '-inform', 'DER', '-in', 'signature.der', '-outform', 'DER');
  expect(written).toEqual(cms);
});

test('a claimed signing time is signed, also after 2049', async () => {
  const signer = await signerOf('rsa');
  for (const [year, text] of [
    [2031, 'Mar  4 05:06:07 2031 GMT'],
    [2051, 'Mar  4 05:06:07 2051 GMT'],
  ] as const) {
    const signingTime = new Date(Date.UTC(year, 2, 4, 5, 6, 7, 890));
    const { cms } = await signedData({ digest: digestBy('sha256'), signer, signingTime });
    expect(shown(cms)).toContain(text);
    expect(judge(cms).isGood).toBe(true);
  }
});

test('a time-stamp over the signature value becomes an unsigned attribute within the predicted size', async () => {
  const signer = await signerOf('p256');
  authority.issue('clock', { kind: 'p256' });
  openssl.write(
    'clock.cnf',
    [
      'oid_section=oids\n[oids]\n[tsa]\ndefault_tsa=own\n[own]\nserial=clock.srl\ncrypto_device=builtin',
      'signer_digest=sha256\ndefault_policy=1.2.3.4\ndigests=sha256\nordering=yes\ntsa_name=yes\n',
    ].join('\n'),
  );
  openssl.write('clock.ext', 'keyUsage=critical,digitalSignature\nextendedKeyUsage=critical,timeStamping\n');
  openssl.run(
    ...['x509', '-req', '-in', 'clock.csr', '-CA', 'ca.crt', '-CAkey', 'ca.key', '-set_serial', '77'],
    ...['-days', '20', '-extfile', 'clock.ext', '-out', 'clock.crt'],
  );
  const time = new Date('2031-02-03T04:05:06Z');
  const stamped: Uint8Array[] = [];
  const timestamper = {
    timestamp: async (data: Uint8Array) => {
      stamped.push(data);
      openssl.write('value.bin', data);
      openssl.run('ts', '-query', '-data', 'value.bin', '-sha256', '-cert', '-out', 'value.tsq');
      openssl.run(
        ...['ts', '-reply', '-config', 'clock.cnf', '-section', 'own', '-queryfile', 'value.tsq'],
        ...[
          '-signer',
          'clock.crt',
          '-inkey',
          'clock.key',
          '-chain',
          'chain.crt',
          '-token_out',
          '-out',
          'value.tst',
        ],
      );
      return { token: openssl.read('value.tst'), time };
    },
  };
  const made = await signedData({ digest: digestBy('sha256'), signer, timestamper });
  expect(stamped).toEqual([made.signatureValue]);
  expect(made.timestampTime).toEqual(time);
  expect(made.cms.length).toBeLessThan(cmsSizeMax(signer, true));
  expect(judge(made.cms).isGood).toBe(true);
  const text = shown(made.cms);
  expect(text.slice(text.indexOf('unsignedAttrs'))).toContain('id-smime-aa-timeStampToken');
  expect(
    openssl
      .run(
        ...['ts', '-verify', '-data', 'value.bin', '-in', 'value.tst', '-token_in', '-CAfile', 'root.crt'],
        ...['-untrusted', 'chain.crt'],
      )
      .toString(),
  ).toContain('Verification: OK');
});

test('a token that is too large is rejected, not truncated', async () => {
  const timestamper = { timestamp: async () => ({ token: Buffer.alloc(16_385), time: now }) };
  const signer = await signerOf('p256');
  expect(await refusalOf(() => signedData({ digest: digestBy('sha256'), signer, timestamper }))).toBe(
    'TIMESTAMP_UNAVAILABLE: The time-stamp exceeds the limit of 16384 bytes.',
  );
  const largest = { timestamp: async () => ({ token: Buffer.alloc(16_384), time: now }) };
  const { cms } = await signedData({ digest: digestBy('sha256'), signer, timestamper: largest });
  expect(cms.length).toBeLessThanOrEqual(cmsSizeMax(signer, true));
});

test('a digest with a wrong length throws an internal error', async () => {
  const signer = await signerOf('p384');
  await expect(signedData({ digest: digestBy('sha256'), signer })).rejects.toThrow(RangeError);
});
