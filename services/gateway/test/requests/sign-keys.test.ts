import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  cert,
  der,
  document,
  external,
  issuesOf,
  keyed,
  p12,
  pem,
  plain,
  privateKey,
  signer,
  signingFor,
} from '../rigs/sign-requests.ts';

const ONE_KEY = 'must have exactly one of `profile`, `p12`, `pem` and `external`';
const CERTIFICATE = 'must be a certificate in PEM, or as DER in base64';
const BASE64 = 'is not base64 (RFC 4648 §4, padded, without line breaks)';

describe('an invalid key in a request is rejected with every invalid path:', () => {
  test.each<[string, unknown, string[]]>([
    ['no key in `key`', keyed({}), [`key: ${ONE_KEY}`]],
    ['two keys', keyed({ profile: 'a', p12 }), [`key: ${ONE_KEY}`]],
    ['a key that is a string', keyed('Trustno1'), ['key: must be an object']],
    [
      'a key instead of a profile name',
      keyed({ pem: { ...pem, [privateKey]: 1 } }),
      ['key.pem.-----BEGIN PRIVATE K…: is not a known property'],
    ],
    ['an empty profile', keyed({ profile: '' }), ['key.profile: must not be empty']],
    [
      'a profile of 101 letters',
      keyed({ profile: 'x'.repeat(101) }),
      ['key.profile: must have at most 100 characters'],
    ],
    ['a P12 without a password', keyed({ p12: { base64: p12.base64 } }), ['key.p12.password: is required']],
    [
      'a P12 with a password that is a list',
      keyed({ p12: { ...p12, password: ['Trustno1'] } }),
      ['key.p12.password: must be a string'],
    ],
    [
      'a password that is too long',
      keyed({ p12: { ...p12, password: 'Trustno1'.repeat(200) } }),
      ['key.p12.password: must have at most 1024 characters'],
    ],
    [
      'a P12 with invalid base64',
      keyed({ p12: { ...p12, base64: 'Trustno1!' } }),
      [`key.p12.base64: ${BASE64}`],
    ],
    ['an empty P12', keyed({ p12: { ...p12, base64: '' } }), [`key.p12.base64: ${BASE64}`]],
    [
      'a P12 of more than a mebibyte',
      keyed({ p12: { ...p12, base64: 'A'.repeat(1_398_108) } }),
      ['key.p12.base64: must have at most 1048576 bytes'],
    ],
    [
      'a P12 in a data URI without base64',
      keyed({ p12: { ...p12, base64: 'data:application/x-pkcs12,Trustno1' } }),
      ['key.p12.base64: is a data URI without `;base64`'],
    ],
    [
      'a P12 with an unknown property',
      keyed({ p12: { ...p12, alias: 'a' } }),
      ['key.p12.alias: is not a known property'],
    ],
    [
      'a PEM without its parts',
      keyed({ pem: {} }),
      ['key.pem.privateKey: is required', 'key.pem.certificates: is required'],
    ],
    [
      'texts that are not PEM',
      keyed({ pem: { privateKey: 'Trustno1', certificates: 'Trustno1' } }),
      [
        'key.pem.privateKey: must contain a private key in PEM',
        'key.pem.certificates: must contain a certificate in PEM',
      ],
    ],
    [
      'a private key that is too long',
      keyed({ pem: { ...pem, privateKey: 'x'.repeat(262_145) } }),
      ['key.pem.privateKey: must have at most 262144 characters'],
    ],
    [
      'an external key without properties',
      keyed({ external: {} }),
      [
        'key.external.certificates: is required',
        'key.external.algorithm: is required',
        'key.external.hash: is required',
      ],
    ],
    [
      'an external key without a certificate',
      keyed({ external: { ...external, certificates: [] } }),
      ['key.external.certificates: must have at least one entry'],
    ],
    [
      'invalid external certificates',
      keyed({
        external: { ...external, certificates: [cert, 'AAAA', '', `${cert}Trustno1-----`, der.slice(4)] },
      }),
      [1, 2, 3, 4].map((at) => `key.external.certificates[${at}]: ${CERTIFICATE}`),
    ],
    [
      'a private key instead of a certificate, in either form',
      keyed({
        external: {
          ...external,
          certificates: [
            privateKey,
            privateKey.replace(/-----[^-]+-----|\s/g, ''),
            cert + privateKey,
            privateKey + cert,
          ],
        },
      }),
      [0, 1, 2, 3].map((at) => `key.external.certificates[${at}]: ${CERTIFICATE}`),
    ],
    [
      'an external key with an unknown algorithm',
      keyed({ external: { ...external, algorithm: 'dsa', hash: 'sha1' } }),
      [
        'key.external.algorithm: must be one of `rsa`, `rsa-pss` and `ecdsa`',
        'key.external.hash: must be one of `sha256`, `sha384` and `sha512`',
      ],
    ],
    [
      'a signature with invalid base64',
      keyed({ external: { ...external, signature: '?' } }),
      [`key.external.signature: ${BASE64}`],
    ],
  ])('%s', (_name, body, expected) => {
    expect(issuesOf(body)).toEqual(expected);
  });
});

describe('a key in a request is accepted', () => {
  test.each([
    ['p12', { p12 }],
    ['pem', { pem }],
    ['external', { external }],
  ])(
    'without a signer and an audit trail if it belongs to the caller (%s), and adds no audit pages',
    (_name, key) => {
      expect(signingFor({ document, key })).toMatchObject({ hasAuditPages: false });
      expect(signingFor({ ...plain, key })).toMatchObject({ hasAuditPages: true, signer });
    },
  );

  test('as a P12 in bare base64 or as a data URI', () => {
    const box = JSON.stringify({ kind: 'p12', ...p12 });
    const uri = `data:application/x-pkcs12;base64,${p12.base64}`;
    for (const base64 of [p12.base64, uri])
      expect(signingFor({ document, key: { p12: { ...p12, base64 } } }).key).toEqual({ kind: 'sealed', box });
  });

  test('with an empty password, and with unchanged PEM texts', () => {
    expect(signingFor({ document, key: { p12: { ...p12, password: '' } } }).key).toMatchObject({
      kind: 'sealed',
    });
    const encrypted = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'Trustno1',
    }) as string;
    const key = { pem: { privateKey: encrypted, certificates: cert + cert, password: 'Trustno1' } };
    expect(signingFor({ document, key }).key).toEqual({
      kind: 'sealed',
      box: JSON.stringify({ kind: 'pem', ...key.pem }),
    });
  });

  test('with the certificates of an external key in any form, and its signature', () => {
    const certificates = [
      `Ada's own\n${cert}and again\r\n${cert}`,
      der,
      `${der.slice(0, 64)}\n${der.slice(64)}\n`,
    ];
    const key = { external: { ...external, certificates, signature: 'AAAA' } };
    expect(signingFor({ document, key }).key).toEqual({
      kind: 'external',
      algorithm: 'ecdsa',
      hash: 'sha256',
      certificates: [der, der, der, der],
      signature: 'AAAA',
    });
  });
});
