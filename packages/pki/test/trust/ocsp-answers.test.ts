import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  bitString,
  boolean,
  enumerated,
  explicit,
  generalizedTime,
  identifier,
  implicit,
  integer,
  nothing,
  octetString,
  sequence,
} from '@scriptorium/testing/pki/der';
import type { Identity, IssueRequest } from '@scriptorium/testing/pki/identity';
import { extension, keyBits } from '@scriptorium/testing/pki/issue-certificate';
import { signatureAlgorithm, signWith } from '@scriptorium/testing/pki/keys';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { EmbeddedRevocation } from '../../src/revocation/embedded-revocation.ts';
import { judgeRevocation } from '../../src/revocation/judge-revocation.ts';
import { readCertificate } from '../../src/x509/certificate.ts';

const HOUR_MS = 3_600_000;
const SHA1 = '1.3.14.3.2.26';
const SHA3_256 = '2.16.840.1.101.3.4.2.8';
const revoked = (reason: number): Buffer =>
  explicit(1, generalizedTime(new Date()), explicit(0, enumerated(reason)));
const REVOKED = revoked(1);

let pki: Pki;
let signer: Identity;
beforeAll(async () => {
  pki = await createPki();
  signer = await pki.issue({ name: 'Ada Lovelace' });
});
afterAll(() => pki.close());

const responder = (request: Partial<IssueRequest> = {}): Promise<Identity> =>
  pki.issue({ name: 'Responder', extendedKeyUsage: ['ocspSigning'], hasNoCheck: true, ...request });

interface Answer {
  by?: Identity;
  /** The certificates that come with it; by default that of the signer. */
  sent?: readonly Identity[];
  isNamed?: boolean;
  issuer?: Identity;
  naming?: string;
  status?: Buffer;
  extensions?: Buffer[];
  singleExtensions?: Buffer[];
  producedAt?: Date;
}

const sha1 = (bytes: Buffer): Buffer => createHash('sha1').update(bytes).digest();

/** An OCSPResponse (RFC 6960, 4.2.1) about the signer's certificate, DER. */
function answer(made: Answer = {}): Buffer {
  const { by = pki.intermediate, issuer = pki.intermediate, producedAt = new Date() } = made;
  const { naming = SHA1, status = implicit(0, nothing()), extensions = [], singleExtensions = [] } = made;
  const id = sequence(
    sequence(identifier(naming), nothing()),
    octetString(sha1(issuer.subject)),
    octetString(sha1(keyBits(issuer.publicKey))),
    integer(Buffer.from(signer.serialNumber, 'hex')),
  );
  const at = (hours: number) => generalizedTime(new Date(Date.now() + hours * HOUR_MS));
  const more = (list: Buffer[]) => (list.length > 0 ? [explicit(1, sequence(...list))] : []);
  const single = sequence(id, status, at(-1), explicit(0, at(12)), ...more(singleExtensions));
  const key = octetString(sha1(keyBits(by.publicKey)));
  const data = sequence(
    made.isNamed ? explicit(1, by.subject) : explicit(2, key),
    generalizedTime(producedAt),
    sequence(single),
    ...more(extensions),
  );
  const sent = made.sent ?? (by === pki.intermediate ? [] : [by]);
  const basic = sequence(
    data,
    signatureAlgorithm(by.privateKey, 'sha256'),
    bitString(signWith(by.privateKey, 'sha256', data)),
    ...(sent.length > 0 ? [explicit(0, sequence(...sent.map(({ der }) => der)))] : []),
  );
  return sequence(
    enumerated(0),
    explicit(0, sequence(identifier('1.3.6.1.5.5.7.48.1.1'), octetString(basic))),
  );
}

/** Judges the signer's certificate by this response. */
async function judge(response: Buffer, crls: Buffer[] = []): Promise<string[]> {
  const path = signer.chain.map(readCertificate);
  const embedded = new EmbeddedRevocation();
  const faults = await judgeRevocation(path, {
    embedded: (question) => embedded.statusesOf(question, { ocsps: [response], crls }),
    provenTime: undefined,
    validationTime: new Date(),
  });
  return faults.filter(({ message }) => message.includes(signer.name)).map(({ code }) => code);
}

describe('a response', () => {
  test('counts by the issuer and by its responders, named by key or by name', async () => {
    const right = await responder();
    expect(await judge(answer())).toEqual([]);
    expect(await judge(answer({ status: REVOKED }))).toEqual(['CERTIFICATE_REVOKED']);
    expect(await judge(answer({ status: revoked(8) }))).toEqual(['CERTIFICATE_REVOKED']);
    expect(await judge(answer({ by: right }))).toEqual([]);
    expect(await judge(answer({ by: right, isNamed: true }))).toEqual([]);
    expect(await judge(answer({ by: right, status: REVOKED }))).toEqual(['CERTIFICATE_REVOKED']);
  });

  test('counts if several certificates have the name of its responder', async () => {
    const [old, current] = [await responder(), await responder()];
    expect(await judge(answer({ by: current, isNamed: true, sent: [old, current] }))).toEqual([]);
    const same = await responder({ name: pki.intermediate.name });
    expect(await judge(answer({ by: same, isNamed: true }))).toEqual([]);
  });

  test.each<[string, () => Promise<Answer>]>([
    ['by a certificate for something else', async () => ({ by: await responder({ extendedKeyUsage: [] }) })],
    ['by the certificate itself', async () => ({ by: signer })],
    ['by a responder of the root', async () => ({ by: await responder({ issuer: pki.root }) })],
    ['by a key that must not sign', async () => ({ by: await responder({ keyUsage: ['keyEncipherment'] }) })],
    ['by a responder certified with SHA-1', async () => ({ by: await responder({ hash: 'sha1' }) })],
    ['by a weak key', async () => ({ by: await responder({ keyType: 'rsa-1024' }) })],
    [
      'from after the responder expired',
      async () => ({ by: await responder({ notAfter: new Date(Date.now() - HOUR_MS / 2) }) }),
    ],
    [
      'by a namesake of its responder',
      async () => ({ by: await responder(), isNamed: true, sent: [await responder()] }),
    ],
    ['without the certificate of its responder', async () => ({ by: await responder(), sent: [] })],
    ['by a hash that is not supported', async () => ({ naming: SHA3_256 })],
    [
      'with an unknown critical extension',
      async () => ({ extensions: [extension('1.2.3.4', nothing(), true)] }),
    ],
    [
      'with an unknown critical extension for the certificate',
      async () => ({ singleExtensions: [extension('1.2.3.4', boolean(true), true)] }),
    ],
    ['that does not know it', async () => ({ status: implicit(2, nothing()) })],
  ])('%s leaves a doubt', async (_, made) => {
    expect(await judge(answer(await made()))).toEqual(['REVOCATION_UNUSABLE']);
  });

  test('about the same number of another issuer says nothing', async () => {
    expect(await judge(answer({ issuer: pki.root }))).toEqual(['REVOCATION_UNKNOWN']);
  });

  test('by a revoked responder counts for nothing', async () => {
    const by = await responder({ hasNoCheck: false });
    expect(await judge(answer({ by }), [pki.crlOf(pki.root)])).toEqual([]);
    pki.revoke(by);
    const crls = [pki.crlOf(pki.intermediate)];
    expect(await judge(answer({ by, status: REVOKED }), crls)).toEqual([]);
  });
});
