import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TimestampEvidence } from '@scriptorium/pki/cms';
import type { ValidationData } from '@scriptorium/pki/revocation';
import type { Identity, IssueRequest } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import type { Fault } from '../../src/reasons.ts';
import type { Trust } from '../../src/verification/checks/inquiry.ts';
import { read } from './paths.ts';
import {
  documentOf,
  documentStamp,
  inDays,
  minutesAgo,
  NOTHING,
  signatureBy,
  stampBy,
  trustIn,
  tryOne,
  validateAll,
} from './trials.ts';

let pki: Pki;
let other: Pki;
/** Its certificate expires in a day. */
let signer: Identity;
beforeAll(async () => {
  [pki, other] = await Promise.all([createPki(), createPki()]);
  signer = await pki.issue({ name: 'Ada Lovelace', notAfter: inDays(1) });
});
afterAll(() => Promise.all([pki.close(), other.close()]));

const stampers = (request: Partial<IssueRequest> = {}) =>
  pki.issue({
    name: 'Second TSA',
    extendedKeyUsage: ['timeStamping'],
    isExtendedKeyUsageCritical: true,
    ...request,
  });
/** Only time matters here. */
const trust = (days: number, change: Partial<Trust> = {}) =>
  trustIn(pki, { validationTime: inDays(days), revocation: 'none', ...change });
const judge = (timestamps: TimestampEvidence[], days: number, change: Partial<Trust> = {}) =>
  tryOne(documentOf([signatureBy(signer, { timestamps })]), trust(days, change));
const codesOf = (outcomes: Awaited<ReturnType<typeof validateAll>>) => outcomes.map(({ codes }) => codes);

describe('a signature whose certificate has expired', () => {
  test('without a proof may be newer than the certificate allows', async () => {
    expect(await judge([], 0)).toMatchObject({ codes: [], provenTime: undefined });
    expect(await judge([], 2)).toMatchObject({ codes: ['CERTIFICATE_EXPIRED'], provenTime: undefined });
  });

  test('with an earlier time-stamp is valid, with the proven time', async () => {
    const stamp = await stampBy(pki.tsa);
    expect(await judge([stamp], 100)).toMatchObject({ codes: [], provenTime: stamp.time });
  });

  test('with two time-stamps has existed since the earlier one', async () => {
    const [early, late] = await Promise.all([
      stampBy(pki.tsa, minutesAgo(9)),
      stampBy(pki.tsa, minutesAgo(3)),
    ]);
    expect(await judge([late, early], 100)).toMatchObject({ codes: [], provenTime: early.time });
  });

  test('with a time-stamp after the expiry may still be older', async () => {
    const short = await pki.issue({ name: 'Short', notAfter: minutesAgo(20) });
    const timestamps = [await stampBy(pki.tsa, minutesAgo(10))];
    const { codes } = await tryOne(documentOf([signatureBy(short, { timestamps })]), trust(0));
    expect(codes).toEqual(['CERTIFICATE_EXPIRED']);
  });

  test('over a revision time-stamped after the expiry was made after it', async () => {
    const short = await pki.issue({ name: 'Short', notAfter: minutesAgo(20) });
    const earlier = documentStamp(await stampBy(pki.tsa, minutesAgo(10)), 1);
    const document = documentOf([earlier, signatureBy(short, { revision: 2 })]);
    expect(codesOf(await validateAll(document, trust(0)))).toEqual([[], ['SIGNED_AFTER_EXPIRY']]);
    // Not if the time-stamping authority is untrusted.
    const strange = documentStamp(await stampBy(other.tsa, minutesAgo(10)), 1);
    const doubtful = documentOf([strange, signatureBy(short, { revision: 2 })]);
    expect((await validateAll(doubtful, trust(0)))[1]?.codes).toEqual(['CERTIFICATE_EXPIRED']);
  });

  test('revoked before a time-stamp that it covers was made after the revocation', async () => {
    const lost = await pki.issue({ name: 'Lost' });
    pki.revoke(lost, { at: minutesAgo(20) });
    const data: ValidationData = { ...NOTHING, crls: [pki.crlOf(pki.intermediate), pki.crlOf(pki.root)] };
    const earlier = documentStamp(await stampBy(pki.tsa, minutesAgo(10)), 1);
    const document = documentOf([earlier, signatureBy(lost, { revision: 2 })], data);
    const outcomes = await validateAll(document, trust(0, { revocation: 'embedded' }));
    expect(codesOf(outcomes)).toEqual([[], ['SIGNED_AFTER_REVOCATION']]);
  });
});

describe('a time-stamp', () => {
  test('by an untrusted authority proves nothing and does no harm', async () => {
    const stamp = await stampBy(other.tsa);
    expect(await judge([stamp], 0)).toMatchObject({ codes: ['TIMESTAMP_UNTRUSTED'], provenTime: undefined });
    expect((await judge([stamp], 2)).codes).toEqual(['TIMESTAMP_UNTRUSTED', 'CERTIFICATE_EXPIRED']);
    const anchors = [...read(pki.root), ...read(other.root)];
    expect(await judge([stamp], 2, { anchors })).toMatchObject({ codes: [], provenTime: stamp.time });
  });

  test('by an authority whose certificate has expired no longer proves anything', async () => {
    const short = await stampers({ notAfter: inDays(1) });
    const stamp = await stampBy(short);
    expect(await judge([stamp], 0)).toMatchObject({ codes: [], provenTime: stamp.time });
    const { codes, faults, provenTime } = await judge([stamp], 2);
    expect(codes).toEqual(['TIMESTAMP_UNTRUSTED', 'CERTIFICATE_EXPIRED']);
    expect(faults[0]?.message).toContain('“Second TSA” expired');
    expect(provenTime).toBeUndefined();
  });

  test.each<[string, Partial<IssueRequest>]>([
    ['for other purposes too', { extendedKeyUsage: ['timeStamping', 'emailProtection'] }],
    ['not for time-stamping', { extendedKeyUsage: ['emailProtection'] }],
    ['not yet valid at the time-stamp', { notBefore: minutesAgo(1) }],
  ])('with a certificate %s is invalid', async (_what, request) => {
    const [wrong] = read(await stampers(request));
    const stamp = { ...(await stampBy(pki.tsa, minutesAgo(5))), ...(wrong && { signer: wrong }) };
    expect(await judge([stamp], 0)).toMatchObject({ codes: ['TIMESTAMP_INVALID'], provenTime: undefined });
  });

  test('with faults of its reader is reported', async () => {
    const faults = [
      { code: 'TIMESTAMP_INVALID' as const, message: 'A time-stamp does not cover this signature.' },
    ];
    const { codes } = await tryOne(documentOf([signatureBy(signer, {}, { faults })]), trust(0));
    expect(codes).toEqual(['TIMESTAMP_INVALID']);
  });

  test('earlier than the claimed signing time is reported', async () => {
    const timestamps = [await stampBy(pki.tsa, minutesAgo(30))];
    const claimed = (minutes: number) =>
      documentOf([signatureBy(signer, { timestamps }, { claimedSigningTime: minutesAgo(minutes) })]);
    expect((await tryOne(claimed(20), trust(0))).codes).toEqual(['TIMESTAMP_ORDER']);
    expect((await tryOne(claimed(28), trust(0))).codes).toEqual([]);
    expect((await tryOne(claimed(40), trust(0))).codes).toEqual([]);
  });

  test('after the validation time proves nothing', async () => {
    const stamp = await stampBy(pki.tsa);
    const old = await pki.issue({ name: 'Old', notBefore: inDays(-20) });
    const document = documentOf([signatureBy(old, { timestamps: [stamp] })]);
    const change = { anchors: read(pki.intermediate) };
    expect(await tryOne(document, trust(-10, change))).toMatchObject({
      codes: ['TIMESTAMP_ORDER'],
      provenTime: undefined,
    });
  });

  test.each([
    ['key compromise', 1, 20, false],
    ['superseded', 4, 20, true],
    ['cessation of operation', 5, 20, true],
    ['cessation of operation before the time-stamp', 5, 40, false],
  ])('by an authority revoked later is judged by the reason: %s', async (_why, reason, minutes, isProof) => {
    const authority = await stampers();
    pki.revoke(authority, { at: minutesAgo(minutes), reason });
    const stamp = await stampBy(authority, minutesAgo(30));
    const { codes, provenTime } = await judge([stamp], 0, { revocation: 'online' });
    expect(codes).toEqual([isProof ? 'REVOKED_LATER' : 'TIMESTAMP_UNTRUSTED']);
    expect(provenTime).toEqual(isProof ? stamp.time : undefined);
  });
});

describe('a document time-stamp', () => {
  test('over a later revision proves that the signature and its time-stamp existed', async () => {
    const short = await stampers({ notAfter: inDays(1) });
    const own = await stampBy(short, minutesAgo(20));
    const over = documentStamp(await stampBy(pki.tsa, minutesAgo(10)), 2);
    const both = documentOf([signatureBy(signer, { timestamps: [own] }), over]);
    const [first, second] = await validateAll(both, trust(100));
    expect(first).toMatchObject({ codes: [], provenTime: own.time });
    expect(second).toMatchObject({ codes: [], provenTime: over.core?.statedTime });
    const without = documentOf([signatureBy(signer), over]);
    expect((await validateAll(without, trust(100)))[0]).toMatchObject({
      codes: [],
      provenTime: over.core?.statedTime,
    });
  });

  test('that has expired is proven by a later one', async () => {
    const short = await stampers({ notAfter: inDays(1) });
    const first = documentStamp(await stampBy(short, minutesAgo(20)), 2);
    const second = documentStamp(await stampBy(pki.tsa, minutesAgo(10)), 3);
    expect(codesOf(await validateAll(documentOf([signatureBy(signer), first, second]), trust(100)))).toEqual([
      [],
      [],
      [],
    ]);
    expect(codesOf(await validateAll(documentOf([signatureBy(signer), first]), trust(100)))).toEqual([
      ['CERTIFICATE_EXPIRED'],
      ['TIMESTAMP_UNTRUSTED', 'CERTIFICATE_EXPIRED'],
    ]);
  });

  test('proves nothing for changed content or for itself', async () => {
    const broken = documentStamp(await stampBy(pki.tsa), 2);
    if (broken.core) broken.core = { ...broken.core, digestHolds: false };
    const [first, second] = await validateAll(documentOf([signatureBy(signer), broken]), trust(2));
    expect(first?.codes).toEqual(['CERTIFICATE_EXPIRED']);
    expect(second?.provenTime).toBeUndefined();
  });

  test('by an untrusted authority leaves the signer trusted', async () => {
    const strange = documentStamp(await stampBy(other.tsa), 2);
    expect(codesOf(await validateAll(documentOf([signatureBy(signer), strange]), trust(0)))).toEqual([
      [],
      ['TIMESTAMP_UNTRUSTED', 'CHAIN_UNTRUSTED'],
    ]);
  });
});

test('an unreadable signature is not judged', async () => {
  const unread = { ...signatureBy(signer), core: undefined };
  expect(await tryOne(documentOf([unread]), trust(0))).toMatchObject({ codes: [], path: [] });
});

test('a document time-stamp with a weak hash proves no time, because it may fit two documents', async () => {
  const stamp = await stampBy(pki.tsa);
  const weak: Fault = { code: 'WEAK_ALGORITHM', message: 'The signature relies on SHA-1.' };
  const outcomes = (faults: Fault[]) =>
    validateAll(documentOf([signatureBy(signer), documentStamp(stamp, 2, faults)]), trust(2));
  expect((await outcomes([]))[0]).toMatchObject({ codes: [], provenTime: stamp.time });
  expect((await outcomes([weak]))[0]).toMatchObject({
    codes: ['CERTIFICATE_EXPIRED'],
    provenTime: undefined,
  });
});
