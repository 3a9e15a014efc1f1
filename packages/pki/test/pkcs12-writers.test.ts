import { spawnSync } from 'node:child_process';
import { afterAll, expect, test } from '@jest/globals';
import { Openssl, TestAuthority } from '@scriptorium/testing/openssl-authority';
import { readPkcs12 } from '../src/keys/pkcs12.ts';
import { privateKeySigner } from '../src/keys/private-key-signer.ts';
import type { RawSigner } from '../src/keys/raw-signer.ts';
import { signsDocuments } from './judge.ts';
import { streamed } from './streamed-ber.ts';

const openssl = new Openssl();
afterAll(() => openssl.remove());

async function signerOf(file: Buffer): Promise<RawSigner> {
  return privateKeySigner(await readPkcs12(file, 'secret'), { now: new Date() });
}

test.each([
  ['with current ciphers', []],
  ['with legacy ciphers', ['-legacy', '-certpbe', 'PBE-SHA1-RC2-40', '-keypbe', 'PBE-SHA1-3DES']],
])('a file %s in streamed BER is read', async (_, options) => {
  const authority = new TestAuthority(openssl);
  authority.issue('rsa', { kind: 'rsa' });
  openssl.run(
    ...['pkcs12', '-export', '-inkey', 'rsa.key', '-in', 'rsa.crt', '-certfile', 'chain.crt'],
    ...['-out', 'made.p12', '-passout', 'pass:secret', ...options],
  );
  const file = streamed(openssl.read('made.p12'));
  expect(file.includes(Buffer.of(0x30, 0x80))).toBe(true);
  openssl.write('streamed.p12', file);
  const legacy = options.length > 0 ? ['-legacy'] : [];
  expect(
    openssl.try('pkcs12', '-in', 'streamed.p12', '-passin', 'pass:secret', '-noout', ...legacy).isGood,
  ).toBe(true);
  const signer = await signerOf(file);
  expect(signer.certificates).toHaveLength(3);
  expect(await signsDocuments(signer, openssl)).toBe(true);
});

test.each([
  ['today', []],
  ['before 2020', ['-J-Dkeystore.pkcs12.legacy']],
])('a file written by Java is read: %s', async (_, options) => {
  const { status, stderr } = spawnSync('keytool', [
    ...['-genkeypair', '-alias', 'java', '-keyalg', 'RSA', '-keysize', '2048', '-dname', 'CN=Java'],
    ...[
      '-storetype',
      'PKCS12',
      '-storepass',
      'secret',
      '-keystore',
      openssl.path(`java${options.length}.p12`),
    ],
    ...options,
  ]);
  expect({ status, stderr: stderr.toString() }).toMatchObject({ status: 0 });
  const signer = await signerOf(openssl.read(`java${options.length}.p12`));
  openssl.write('java.crt', signer.certificates[0].toString());
  expect(await signsDocuments(signer, openssl, 'java.crt')).toBe(true);
});
