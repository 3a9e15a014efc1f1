import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { opensslKey, opensslTimestamp } from '@scriptorium/testing/openssl-signing';
import { generalizedTime, implicit } from '@scriptorium/testing/pki/der';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { extension } from '@scriptorium/testing/pki/issue-certificate';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { answerTimestamp, type TsaFault, type TsaOptions } from '@scriptorium/testing/pki/time-stamp';
import { der, integer, octetString, oid, sequence, TAG } from '../../src/asn1/der.ts';
import { readDer, readSequence } from '../../src/asn1/der-reader.ts';
import { OID } from '../../src/asn1/oids.ts';
import { type CmsReading, readSignedCore } from '../../src/cms/signed-core.ts';
import { openTimestampToken } from '../../src/tsp/time-stamp-token.ts';
import { streamed } from '../streamed-ber.ts';
import { attribute, buildCms, CHANGED, codesOf, INTACT, PARTS, read } from './build-cms.ts';

const MINUTE_MS = 60_000;
/** The last full minute: tokens state seconds. */
const TIME = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS);
const DOCUMENT = Buffer.concat(PARTS);
const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

let pki: Pki;
let ada: Identity;
let stampers: Record<'wrongUsage' | 'manyUsages' | 'notCriticalUsage' | 'weak', Identity>;
beforeAll(async () => {
  pki = await createPki();
  ada = await pki.issue({ name: 'Ada' });
  const right = {
    name: 'Clock',
    extendedKeyUsage: ['timeStamping' as const],
    isExtendedKeyUsageCritical: true,
  };
  stampers = {
    wrongUsage: await pki.issue({ ...right, extendedKeyUsage: ['emailProtection'] }),
    manyUsages: await pki.issue({ ...right, extendedKeyUsage: ['timeStamping', 'serverAuth'] }),
    notCriticalUsage: await pki.issue({ ...right, isExtendedKeyUsageCritical: false }),
    weak: await pki.issue({ ...right, keyType: 'rsa-1024' }),
  };
});
afterAll(() => pki.close());

interface Stamping extends Partial<TsaOptions> {
  hash?: 'sha1' | 'sha256';
}

/** Returns a token over these bytes, DER. */
function stamp(data: Buffer, { hash = 'sha256', ...options }: Stamping = {}): Buffer {
  const digest = octetString(createHash(hash).update(data).digest());
  const imprint = sequence(sequence(oid(OID[hash])), digest);
  const request = sequence(integer(1), imprint, der(TAG.boolean, Buffer.of(0xff)));
  const given = { signer: pki.tsa, stranger: pki.root, time: TIME, ...options };
  return readSequence(readDer(answerTimestamp(request, given)))[1]?.bytes ?? Buffer.alloc(0);
}

describe('time-stamps in a signature', () => {
  const stamped = (...tokens: ((signature: Buffer) => Buffer)[]): CmsReading =>
    read(
      buildCms({
        signer: ada,
        unsigned: (signature) => tokens.map((token) => attribute(OID.timeStampToken, token(signature))),
      }),
    );

  test('are returned with their time and authority, also if there are several', () => {
    const later = new Date(TIME.getTime() + 60 * MINUTE_MS);
    const { core, faults } = stamped(
      (value) => stamp(value),
      (value) => streamed(stamp(value, { time: later })),
    );
    expect(faults).toEqual([]);
    expect(core?.timestamps.map(({ time }) => time)).toEqual([TIME, later]);
    expect(core?.timestamps.map(({ signer }) => signer.der)).toEqual([pki.tsa.der, pki.tsa.der]);
    expect(core?.timestamps[0]?.certificates).toHaveLength(2);
  });

  test('are reported if they cover something else, and the others count', () => {
    const reading = stamped(
      () => stamp(DOCUMENT),
      (value) => stamp(value),
    );
    expect(reading.core).toMatchObject(INTACT);
    expect(reading.core?.timestamps).toHaveLength(1);
    expect(reading.faults).toEqual([
      { code: 'TIMESTAMP_INVALID', message: 'A time-stamp does not cover this signature.' },
    ]);
  });

  test.each<[string, (signature: Buffer) => Buffer]>([
    ['no token', () => octetString(Buffer.from('now'))],
    ['by a weak key', (value) => stamp(value, { signer: stampers.weak })],
    ['by a certificate for something else', (value) => stamp(value, { signer: stampers.wrongUsage })],
    ['from before its certificate', (value) => stamp(value, { time: new Date('2001-01-01T00:00:00Z') })],
    ...(['wrongSignature', 'wrongDigest', 'otherEss', 'noEss', 'noCertificate', 'wrongContent'] as const).map(
      (fault): [string, (value: Buffer) => Buffer] => [fault, (value) => stamp(value, { fault })],
    ),
  ])('are reported and do not count if one is %s', (_, token) => {
    const reading = stamped(token);
    expect(reading.core).toMatchObject({ ...INTACT, timestamps: [] });
    expect(codesOf(reading)).toEqual(['TIMESTAMP_INVALID']);
  });

  test.each<[string, Stamping]>([
    ['imprint', { hash: 'sha1' }],
    ['signature', { signedWith: 'sha1' }],
  ])('are returned and marked if their %s relies on SHA-1', (_, stamping) => {
    const { core, faults } = stamped((value) => stamp(value, stamping));
    expect(core?.timestamps).toMatchObject([{ time: TIME, hasSha1: true }]);
    expect(faults).toEqual([]);
    expect(() => openTimestampToken(stamp(DOCUMENT, stamping))).toThrow('relies on SHA-1');
    expect(stamped((value) => stamp(value)).core?.timestamps[0]).not.toHaveProperty('hasSha1');
  });

  test('are read up to a limit', () => {
    const { core, faults } = stamped(...Array.from({ length: 25 }, () => (value: Buffer) => stamp(value)));
    expect(core?.timestamps).toHaveLength(20);
    expect(faults).toMatchObject([{ code: 'TIMESTAMP_INVALID' }]);
  });
});

describe('a document time-stamp', () => {
  const readStamp = (token: Buffer) => read(token, 'timestamp');

  test('is valid with its time, for this document only', () => {
    const token = stamp(DOCUMENT);
    const { core, faults, claimedSigningTime } = readStamp(Buffer.concat([token, Buffer.alloc(100)]));
    expect(core).toMatchObject({
      ...INTACT,
      digestAlgorithm: 'SHA-256',
      statedTime: TIME,
      namesSigner: 'yes',
    });
    expect(core?.signer?.der).toEqual(pki.tsa.der);
    expect({ faults, claimedSigningTime }).toEqual({ faults: [], claimedSigningTime: undefined });
    const other = readSignedCore(token, CHANGED, 'timestamp', true);
    expect(other.core).toMatchObject({ digestHolds: false, signatureHolds: true });
    expect(codesOf(other)).toEqual(['DIGEST_MISMATCH']);
  });

  test('made by openssl is valid', async () => {
    const key = await opensslKey('Clock', 'extendedKeyUsage=critical,timeStamping');
    try {
      expect(readStamp(await opensslTimestamp(PARTS, key))).toMatchObject({ core: INTACT, faults: [] });
    } finally {
      await key.remove();
    }
  });

  test.each<[string, Stamping, string[]]>([
    ['wrongDigest', { fault: 'wrongDigest' }, ['DIGEST_MISMATCH']],
    ['wrongImprint', { fault: 'wrongImprint' }, ['DIGEST_MISMATCH']],
    ['wrongSignature', { fault: 'wrongSignature' }, ['SIGNATURE_INVALID']],
    ['noCertificate', { fault: 'noCertificate' }, ['SIGNER_CERTIFICATE_MISSING']],
    ['otherEss', { fault: 'otherEss' }, ['SIGNING_CERTIFICATE_MISMATCH']],
    ['noEss', { fault: 'noEss' }, ['SIGNING_CERTIFICATE_REQUIRED']],
    ['wrongContent', { fault: 'wrongContent' }, ['CMS_INVALID']],
    ['of a weak digest', { hash: 'sha1' }, ['WEAK_ALGORITHM']],
  ] satisfies [TsaFault | string, Stamping, string[]][])('is reported if it is %s', (_, stamping, codes) => {
    expect(codesOf(readStamp(stamp(DOCUMENT, stamping)))).toEqual(codes);
  });

  test('is reported if its certificate is not restricted to time-stamping', () => {
    for (const signer of [stampers.wrongUsage, stampers.manyUsages, stampers.notCriticalUsage]) {
      const reading = readStamp(stamp(DOCUMENT, { signer }));
      expect(reading.core).toMatchObject(INTACT);
      expect(codesOf(reading)).toEqual(['CHAIN_INVALID']);
    }
  });

  test('is rejected with a critical extension that is not known', () => {
    const reading = ([true, false] as const).map((isCritical) => {
      const imprint = sequence(sequence(oid(OID.sha256)), octetString(sha256(DOCUMENT)));
      const extensions = implicit(1, sequence(extension('1.2.3.4', Buffer.of(5, 0), isCritical)));
      const at = generalizedTime(TIME);
      const content = sequence(integer(1), oid('1.2.3'), imprint, integer(1), at, extensions);
      return readStamp(buildCms({ signer: pki.tsa, contentType: OID.tstInfo, content }));
    });
    expect(reading.map(codesOf)).toEqual([['CMS_INVALID'], []]);
  });

  test('is rejected if the CMS is a signature', () => {
    expect(codesOf(readStamp(buildCms({ signer: ada })))).toEqual(['CMS_INVALID']);
  });
});
