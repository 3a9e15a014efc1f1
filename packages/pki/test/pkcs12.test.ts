import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isNightly, testInWhole } from '@scriptorium/testing/extent';
import { type KeyKind, Openssl, TestAuthority } from '@scriptorium/testing/openssl-authority';
import { refusalOf } from '@scriptorium/testing/refusal';
import { checkValidity } from '../src/keys/check-signer.ts';
import { readPkcs12 } from '../src/keys/pkcs12.ts';
import { privateKeySigner } from '../src/keys/private-key-signer.ts';
import type { RawSigner } from '../src/keys/raw-signer.ts';

const openssl = new Openssl();
const authority = new TestAuthority(openssl);
const LEGACY = ['-legacy', '-certpbe', 'PBE-SHA1-RC2-40', '-keypbe', 'PBE-SHA1-3DES', '-macalg', 'sha1'];
/** These ciphers do not require the legacy provider. */
const LEGACY_MAC = ['-certpbe', 'PBE-SHA1-3DES', '-keypbe', 'PBE-SHA1-3DES'];

/** More than the MacData of OpenSSL, which ends the file. */
const MAC_DATA_BYTES = 90;

beforeAll(() => {
  for (const kind of ['rsa', 'rsaPss', 'p256', 'p384'] satisfies KeyKind[]) authority.issue(kind, { kind });
});
afterAll(() => openssl.remove());

/** Returns a PKCS #12 file from `openssl pkcs12 -export`. */
function exported(name: string, ...options: string[]): Buffer {
  openssl.run(
    ...['pkcs12', '-export', '-inkey', `${name}.key`, '-in', `${name}.crt`, '-certfile', 'chain.crt'],
    ...['-out', 'made.p12', ...(options.includes('-passout') ? [] : ['-passout', 'pass:secret']), ...options],
  );
  return openssl.read('made.p12');
}

async function signerOf(file: Buffer, password = 'secret'): Promise<RawSigner> {
  return privateKeySigner(await readPkcs12(file, password), { now: new Date() });
}

/** Whether OpenSSL accepts a signature as made by the certificate of `name`. */
async function signsAs(signer: RawSigner, name: string): Promise<boolean> {
  openssl.write('tbs.bin', 'signed');
  openssl.write('value.bin', await signer.sign(Buffer.from('signed')));
  openssl.write('public.pem', openssl.run('x509', '-in', `${name}.crt`, '-noout', '-pubkey'));
  const padding = signer.algorithm === 'rsa-pss' ? ['-sigopt', 'rsa_padding_mode:pss'] : [];
  return openssl.try(
    ...['dgst', `-${signer.hash}`, '-verify', 'public.pem', ...padding, '-signature', 'value.bin', 'tbs.bin'],
  ).isGood;
}

const names = ({ certificates }: RawSigner): (string | undefined)[] =>
  certificates.map(({ subject }) => /CN=(.*)/.exec(subject)?.[1]);

describe.each<[string, KeyKind, string[]]>([
  ['with OpenSSL defaults', 'rsa', []],
  ['with an ECDSA key', 'p384', []],
  ['with a key restricted to RSA-PSS', 'rsaPss', []],
  [
    'with AES-128 and SHA-512',
    'p256',
    ['-keypbe', 'AES-128-CBC', '-certpbe', 'AES-192-CBC', '-macalg', 'sha512'],
  ],
  ['with PBES2 and Triple DES', 'p256', ['-keypbe', 'DES-EDE3-CBC', '-certpbe', 'DES-EDE3-CBC']],
  ['with 40-bit RC2, as in old Windows and OpenSSL versions', 'rsa', LEGACY],
  ['with Triple DES only', 'rsa', ['-legacy', ...LEGACY_MAC, '-macalg', 'sha1']],
  [
    'with 128-bit RC2 and two-key Triple DES',
    'rsa',
    ['-legacy', '-certpbe', 'PBE-SHA1-RC2-128', '-keypbe', 'PBE-SHA1-2DES'],
  ],
  ['with unencrypted certificates', 'p256', ['-certpbe', 'NONE']],
  ['without a MAC', 'p256', ['-nomac']],
  ['with many iterations', 'p256', ['-iter', '100000']],
])('a PKCS #12 file %s', (_, kind, options) => {
  test('yields a key that signs, with its chain in order', async () => {
    const signer = await signerOf(exported(kind, ...options));
    expect(names(signer)).toEqual([kind, 'Test authority', 'Test root']);
    expect(await signsAs(signer, kind)).toBe(true);
  });

  test('is rejected with another password', async () => {
    const file = exported(kind, ...options);
    expect(await refusalOf(() => signerOf(file, 'Secret'))).toBe(
      'SIGNING_KEY_INVALID: The password of the PKCS #12 file is wrong.',
    );
  });
});

test('a file with a MAC and no encryption is read only with its password', async () => {
  const file = exported('p256', '-keypbe', 'NONE', '-certpbe', 'NONE');
  expect(await signsAs(await signerOf(file), 'p256')).toBe(true);
  expect(await refusalOf(() => signerOf(file, 'Secret'))).toBe(
    'SIGNING_KEY_INVALID: The password of the PKCS #12 file is wrong, or the file is damaged.',
  );
});

describe('passwords', () => {
  test.each(['', 'pässwörd €', 'p𝄞', ' with spaces ', 'x'.repeat(300)])(
    '`%s` opens a file that it encrypted',
    async (password) => {
      for (const options of [[], ['-legacy', ...LEGACY_MAC]]) {
        openssl.write('password.txt', `${password}\n`);
        const file = exported('p256', '-passout', 'file:password.txt', ...options);
        expect(names(await signerOf(file, password))).toContain('p256');
        expect(await refusalOf(() => signerOf(file, `${password}x`))).toContain(
          'password of the PKCS #12 file is wrong',
        );
      }
    },
  );
});

describe('a damaged file', () => {
  test('is reported as damaged if truncated anywhere, with any password', async () => {
    const file = exported('p256');
    for (let length = 0; length < file.length; length += 13)
      expect(await refusalOf(() => signerOf(file.subarray(0, length)))).toBe(
        'SIGNING_KEY_INVALID: The PKCS #12 file is damaged or not a PKCS #12 file.',
      );
  });

  test('is reported as damaged, not as a wrong password, if a bit is flipped', async () => {
    const file = exported('p256', '-certpbe', 'NONE');
    const at = file.indexOf('Test authority');
    file[at] = (file[at] ?? 0) ^ 0x20;
    expect(await refusalOf(() => signerOf(file))).toBe(
      'SIGNING_KEY_INVALID: The PKCS #12 file is damaged: the password is right, but its MAC does not match.',
    );
    expect(await refusalOf(() => signerOf(file, 'other'))).toContain(
      'password of the PKCS #12 file is wrong',
    );
  });

  testInWhole('is rejected with any bit flipped', async () => {
    const file = exported('p256', '-keypbe', 'NONE', '-certpbe', 'NONE');
    const accepted: string[] = [];
    const flip = async (at: number, bit: number): Promise<void> => {
      const bad = Buffer.from(file);
      bad[at] = (bad[at] ?? 0) ^ (1 << bit);
      const refusal = await refusalOf(() => signerOf(bad));
      if (!refusal.startsWith('SIGNING_KEY_INVALID: ')) accepted.push(`bit ${bit} of byte ${at}: ${refusal}`);
    };
    for (let at = 0; at < file.length; at += isNightly ? 7 : 41) await flip(at, at % 8);
    // The MAC covers what is before it, but not itself.
    for (let at = file.length - MAC_DATA_BYTES; at < file.length; at++)
      for (const bit of isNightly ? [0, 1, 2, 3, 4, 5, 6, 7] : [at % 8]) await flip(at, bit);
    expect(accepted).toEqual([]);
  });

  test.each([
    ['a text', Buffer.from('not a keystore')],
    ['a certificate', () => new X509Certificate(authority.text('p256.crt')).raw],
    ['endlessly nested values', Buffer.alloc(100_000, Buffer.of(0x30, 0x80))],
    ['a length of 4 GiB', Buffer.from('3084ffffffff', 'hex')],
    ['a Java keystore', Buffer.from('feedfeed00000002', 'hex')],
  ])('is reported for %s', async (_, bytes) => {
    const file = typeof bytes === 'function' ? bytes() : bytes;
    expect(await refusalOf(() => signerOf(file))).toBe(
      'SIGNING_KEY_INVALID: The PKCS #12 file is damaged or not a PKCS #12 file.',
    );
  });

  test('is not read if it is larger than 1 MiB', async () => {
    expect(await refusalOf(() => signerOf(Buffer.alloc(1_048_577)))).toBe(
      'SIGNING_KEY_INVALID: The PKCS #12 file exceeds the limit of 1024 KiB.',
    );
  });
});

describe('an unsupported file', () => {
  test('is rejected with the name of the cipher RC4', async () => {
    const file = exported('p256', '-legacy', '-certpbe', 'PBE-SHA1-RC4-128', '-keypbe', 'PBE-SHA1-3DES');
    expect(await refusalOf(() => signerOf(file))).toMatch(
      /^SIGNING_KEY_INVALID: The key is encrypted with RC4, /,
    );
  });

  test('is rejected with the name of its MAC algorithm', async () => {
    const file = exported('p256', '-macalg', 'ripemd160', '-legacy');
    expect(await refusalOf(() => signerOf(file))).toMatch(
      /MAC of the PKCS #12 file uses 1\.3\.36\.3\.2\.1, which is not supported/,
    );
  });

  testInWhole(
    'is rejected for too many iterations before they start',
    async () => {
      const sealed = exported('p256', '-iter', '2048');
      const iterations = sealed.lastIndexOf(Buffer.from('02020800', 'hex'));
      expect(sealed.length - iterations).toBe(4);
      const mac = Buffer.concat([sealed.subarray(0, iterations), Buffer.from('02047fffffff', 'hex')]);
      const grown = growLast(mac, 2);
      expect(await refusalOf(() => signerOf(grown))).toMatch(
        /^SIGNING_KEY_INVALID: The key specifies 2147483647 password iterations/,
      );
      const bags = exported('p256', '-iter', '6000000', '-certpbe', 'NONE', '-nomac');
      expect(await refusalOf(() => signerOf(bags))).toMatch(
        /specifies 6000000 password iterations, .* 5000000 over all parts/,
      );
    },
    120_000,
  );
});

/** Increases the lengths of the last values of a file, including the file itself and its MacData, by some octets. */
function growLast(file: Buffer, octets: number): Buffer {
  const grown = Buffer.from(file);
  grown.writeUInt16BE(grown.readUInt16BE(2) + octets, 2);
  const version = grown.indexOf(Buffer.from('020103', 'hex'));
  const authSafeLength = grown.readUInt16BE(version + 5);
  const macData = version + 3 + 4 + authSafeLength;
  grown[macData + 1] = (grown[macData + 1] ?? 0) + octets;
  return grown;
}

describe('a file with several keys and certificates', () => {
  test('yields the key with a certificate and skips the others', async () => {
    openssl.write('mixed.pem', authority.chain('rsa') + authority.text('p384.crt'));
    openssl.run(
      ...['pkcs12', '-export', '-inkey', 'p384.key', '-in', 'mixed.pem', '-passout', 'pass:secret'],
      ...['-out', 'mixed.p12'],
    );
    const signer = await signerOf(openssl.read('mixed.p12'));
    expect(names(signer)).toEqual(['p384', 'Test authority', 'Test root']);
    expect(await signsAs(signer, 'p384')).toBe(true);
  });

  test('yields the valid one of two certificates for a key', async () => {
    authority.issue('renewed', { kind: 'p256', validity: ['20200101000000Z', '20210101000000Z'] });
    const expired = authority.text('renewed.crt');
    openssl.run(
      ...['x509', '-req', '-in', 'renewed.csr', '-CA', 'ca.crt', '-CAkey', 'ca.key', '-set_serial', '99'],
      ...['-days', '9', '-out', 'renewed.crt'],
    );
    openssl.write('both.pem', expired + authority.text('renewed.crt'));
    openssl.run(
      ...['pkcs12', '-export', '-inkey', 'renewed.key', '-in', 'both.pem', '-passout', 'pass:secret'],
      ...['-out', 'both.p12'],
    );
    const signer = await signerOf(openssl.read('both.p12'));
    expect(signer.certificates[0].serialNumber).toBe('63');
    expect(await refusalOf(() => checkValidity(signer, new Date()))).toBe('not refused');
  });

  test('is rejected with different reasons for a missing certificate and a missing key', async () => {
    openssl.run(
      'pkcs12',
      '-export',
      '-nocerts',
      '-inkey',
      'p256.key',
      '-passout',
      'pass:secret',
      '-out',
      'k.p12',
    );
    expect(await refusalOf(() => signerOf(openssl.read('k.p12')))).toBe(
      'SIGNING_KEY_INVALID: The private key has no certificate.',
    );
    openssl.run(
      'pkcs12',
      '-export',
      '-nokeys',
      '-in',
      'p256.crt',
      '-passout',
      'pass:secret',
      '-out',
      'c.p12',
    );
    expect(await refusalOf(() => signerOf(openssl.read('c.p12')))).toBe(
      'SIGNING_KEY_INVALID: The private key is missing.',
    );
  });
});

test('errors do not contain the password or the key', async () => {
  const file = exported('p256', '-passout', 'pass:hush-hush');
  const damaged = Buffer.from(file).fill(0, 400, 420);
  for (const [bytes, password] of [
    [file, 'hush-hush!'],
    [damaged, 'hush-hush'],
    [file.subarray(0, 300), 'hush-hush'],
  ] as const) {
    const error = await signerOf(bytes, password).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(
      `${JSON.stringify(error)} ${(error as Error).stack} ${String((error as Error).cause)}`,
    ).not.toContain('hush');
  }
});
