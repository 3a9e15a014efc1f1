import { constants, createPrivateKey, type KeyObject, sign as signWith } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type RawSigner, readPemCertificates } from '@scriptorium/pki/keys';
import { testInWhole } from '@scriptorium/testing/extent';
import { type KeyKind, Openssl, TestAuthority } from '@scriptorium/testing/openssl-authority';
import { refusalOf } from '@scriptorium/testing/refusal';
import type { Post } from '../src/keys/key-source.ts';
import { type RemoteCredential, remoteSigner } from '../src/keys/remote.ts';
import { signsDocuments } from './judge.ts';

const openssl = new Openssl();
const authority = new TestAuthority(openssl);
const HASHES: Record<string, string> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
};

interface Asked {
  path: string | undefined;
  authorization: string | undefined;
  body: Record<string, unknown>;
}
/** The requests to the service, and its next response. */
let asked: Asked[] = [];
let answer: (asked: Asked, key: KeyObject) => { status?: number; body: unknown };
let server: Server;
let url = '';

/** Signs a digest as the API requires: OpenSSL treats the data as a digest. */
function signDigest(asked: Asked, key: KeyObject, encoding: 'der' | 'ieee-p1363'): string {
  const { body } = asked;
  const [digest] = (body.hash ?? body.hashes) as string[];
  const hash = HASHES[String(body.hashAlgo ?? body.hashAlgorithmOID)] ?? '';
  openssl.write('digest.bin', Buffer.from(digest ?? '', 'base64'));
  openssl.write('remote.key', key.export({ type: 'pkcs8', format: 'pem' }));
  const isPss = body.signAlgo === '1.2.840.113549.1.1.10';
  const signature = openssl.run(
    ...['pkeyutl', '-sign', '-inkey', 'remote.key', '-in', 'digest.bin', '-pkeyopt', `digest:${hash}`],
    ...(isPss ? ['-pkeyopt', 'rsa_padding_mode:pss', '-pkeyopt', 'rsa_pss_saltlen:digest'] : []),
  );
  return (encoding === 'der' ? signature : sideBySide(signature)).toString('base64');
}

/** Both numbers of an ECDSA signature on P-256 or P-384, with equal length. */
function sideBySide(der: Buffer): Buffer {
  const rLength = der[3] ?? 0;
  const numbers = [der.subarray(4, 4 + rLength), der.subarray(6 + rLength)];
  const octets = Math.max(...numbers.map(({ length }) => length)) > 40 ? 48 : 32;
  return Buffer.concat(
    numbers.map((number) => Buffer.concat([Buffer.alloc(octets), number]).subarray(-octets)),
  );
}

async function read(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const post: Post = (target, { body, contentType, headers }) =>
  new Promise((resolve, reject) => {
    const outgoing = request(target, {
      method: 'POST',
      headers: { ...headers, 'content-type': contentType, 'content-length': body.length },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      read(response).then((bytes) => {
        if (response.statusCode === 200) resolve(bytes);
        else reject(new Error(`status ${response.statusCode}`));
      }, reject);
    });
    outgoing.end(body);
  });

beforeAll(async () => {
  for (const kind of ['rsa', 'p256', 'p384'] satisfies KeyKind[]) authority.issue(kind, { kind });
  server = createServer((incoming, outgoing) => {
    read(incoming).then((bytes) => {
      const one = {
        path: incoming.url,
        authorization: incoming.headers.authorization,
        body: JSON.parse(bytes.toString()) as Record<string, unknown>,
      };
      asked.push(one);
      const key = createPrivateKey(authority.text(`${String(one.body.credentialID)}.key`));
      const { status = 200, body } = answer(one, key);
      outgoing.writeHead(status, { 'content-type': 'application/json' });
      outgoing.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/csc`;
});
beforeEach(() => {
  asked = [];
  answer = (one, key) => ({ body: { signatures: [signDigest(one, key, 'der')] } });
});
afterAll(() => {
  server.close();
  openssl.remove();
});

function signerOf(name: string, change: Partial<RemoteCredential> = {}): RawSigner {
  const credential: RemoteCredential = {
    url,
    version: 'v2',
    credentialId: name,
    token: 'the-token',
    pin: undefined,
    rsaPadding: 'pkcs1',
    ...change,
  };
  return remoteSigner(credential, readPemCertificates(authority.chain(name)), post);
}

describe.each(['v1', 'v2'] as const)('a signing service with API %s', (version) => {
  test.each<[KeyKind, 'pkcs1' | 'pss']>([
    ['rsa', 'pkcs1'],
    ['rsa', 'pss'],
    ['p256', 'pkcs1'],
    ['p384', 'pkcs1'],
  ])('makes signatures that OpenSSL accepts: %s, %s', async (kind, rsaPadding) => {
    const signer = signerOf(kind, { version, rsaPadding });
    expect(await signsDocuments(signer, openssl)).toBe(true);
    const [one] = asked;
    expect(one).toMatchObject({ path: '/csc/signatures/signHash', authorization: 'Bearer the-token' });
    expect(Object.keys(one?.body ?? {}).toSorted()).toEqual(
      [
        'credentialID',
        version === 'v1' ? 'hash' : 'hashes',
        version === 'v1' ? 'hashAlgo' : 'hashAlgorithmOID',
        'signAlgo',
        ...(rsaPadding === 'pss' ? ['signAlgoParams'] : []),
      ].toSorted(),
    );
  });

  test('receives the PIN of a credential first, and then the activation data', async () => {
    const sign = answer;
    answer = (one, key) =>
      one.path?.endsWith('authorize') ? { body: { SAD: 'activated' } } : sign(one, key);
    expect(await signsDocuments(signerOf('p256', { version, pin: '2468' }), openssl)).toBe(true);
    expect(asked.map(({ path }) => path)).toEqual(['/csc/credentials/authorize', '/csc/signatures/signHash']);
    const [authorization, signature] = asked;
    expect(authorization?.body).toMatchObject(
      version === 'v1' ? { PIN: '2468', numSignatures: 1 } : { authData: [{ id: 'PIN', value: '2468' }] },
    );
    expect(signature?.body.SAD).toBe('activated');
    expect(signature?.body.hash ?? signature?.body.hashes).toEqual(
      authorization?.body.hash ?? authorization?.body.hashes,
    );
  });
});

testInWhole('an ECDSA signature may consist of its two numbers side by side', async () => {
  answer = (one, key) => ({ body: { signatures: [signDigest(one, key, 'ieee-p1363')] } });
  for (let round = 0; round < 5; round++) {
    expect(await signsDocuments(signerOf('p256'), openssl)).toBe(true);
    expect(await signsDocuments(signerOf('p384'), openssl)).toBe(true);
  }
});

describe('an unusable response', () => {
  const unreadable = 'The remote signing service returned an unreadable response.';
  const wrong = 'The remote signing service returned an invalid signature.';

  test.each<[string, typeof answer, string]>([
    [
      'an error',
      () => ({ status: 400, body: { error: 'invalid_request' } }),
      'The remote signing service failed.',
    ],
    ['invalid JSON', () => ({ body: '<html>' }), unreadable],
    ['a missing signature', () => ({ body: {} }), unreadable],
    ['two signatures', () => ({ body: { signatures: ['eA==', 'eA=='] } }), unreadable],
    ['a signature of noise', () => ({ body: { signatures: ['bm9pc2U='] } }), wrong],
    ['an empty signature', () => ({ body: { signatures: [''] } }), wrong],
    ['a far too long signature', () => ({ body: { signatures: ['A'.repeat(100_000)] } }), wrong],
    [
      'a signature of something else',
      (_, key) => ({
        body: { signatures: [signWith('sha256', Buffer.from('else'), key).toString('base64')] },
      }),
      wrong,
    ],
    [
      'a signature by another padding',
      (one, key) => ({
        body: {
          signatures: [
            signWith('sha256', Buffer.from('x'), {
              key,
              padding: constants.RSA_PKCS1_PSS_PADDING,
            }).toString('base64'),
          ],
        },
        one,
      }),
      wrong,
    ],
  ])('%s is a failure of the signing service', async (_, given, message) => {
    answer = given;
    for (const sign of [signerOf('rsa').sign])
      expect(await refusalOf(() => sign(Buffer.from('x')))).toBe(`REMOTE_SIGNER_FAILED: ${message}`);
  });

  test('a missing server is a failure of the signing service', async () => {
    const signer = signerOf('rsa', { url: 'http://127.0.0.1:1/csc' });
    expect(await refusalOf(() => signer.sign(Buffer.from('x')))).toBe(
      'REMOTE_SIGNER_FAILED: The remote signing service failed.',
    );
  });

  test('an error contains neither the token nor the PIN', async () => {
    answer = () => ({ body: '{"SAD":"the-activation-data"' });
    const error = await signerOf('rsa', { pin: 'the-pin' })
      .sign(Buffer.from('x'))
      .catch((thrown: Error) => thrown);
    const message =
      error instanceof Error ? `${error.stack} ${String(error.cause)} ${JSON.stringify(error)}` : '';
    expect(message).toContain('unreadable');
    expect(message).not.toMatch(/the-token|the-pin|the-activation-data/);
  });
});

test('a certificate that cannot sign is refused before any request', async () => {
  authority.issue('unfit', { kind: 'rsa', keyUsage: 'keyEncipherment' });
  expect(await refusalOf(() => signerOf('unfit'))).toMatch(/^SIGNING_KEY_INVALID: .* key usage/);
  expect(asked).toEqual([]);
});
