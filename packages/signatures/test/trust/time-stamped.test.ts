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
/** Whose certificate ends in a day. */
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
/** What counts here is time alone. */
const trust = (days: number, change: Partial<Trust> = {}) =>
  trustIn(pki, { validationTime: inDays(days), revocation: 'none', ...change });
const judge = (timestamps: TimestampEvidence[], days: number, change: Partial<Trust> = {}) =>
  tryOne(documentOf([signatureBy(signer, { timestamps })]), trust(days, change));
const codesOf = (outcomes: Awaited<ReturnType<typeof validateAll>>) => outcomes.map(({ codes }) => codes);

describe('a signature whose certificate has expired', () => {
  test('without a proof may be younger than its certificate', async () => {
    expect(await judge([], 0)).toMatchObject({ codes: [], provenTime: undefined });
    expect(await judge([], 2)).toMatchObject({ codes: ['CERTIFICATE_EXPIRED'], provenTime: undefined });
  });

  test('with a time-stamp from before holds, and says by when it was there', async () => {
    const stamp = await stampBy(pki.tsa);
    expect(await judge([stamp], 100)).toMatchObject({ codes: [], provenTime: stamp.time });
  });

  test('with two has been there since the earlier one', async () => {
    const [early, late] = await Promise.all([
      stampBy(pki.tsa, minutesAgo(9)),
      stampBy(pki.tsa, minutesAgo(3)),
    ]);
    expect(await judge([late, early], 100)).toMatchObject({ codes: [], provenTime: early.time });
  });

  test('with a time-stamp from after its end may still be older than that', async () => {
    const short = await pki.issue({ name: 'Short', notAfter: minutesAgo(20) });
    const timestamps = [await stampBy(pki.tsa, minutesAgo(10))];
    const { codes } = await tryOne(documentOf([signatureBy(short, { timestamps })]), trust(0));
    expect(codes).toEqual(['CERTIFICATE_EXPIRED']);
  });

  test('with a time-stamp of later in a revision that it signs was made after its end', async () => {
    const short = await pki.issue({ name: 'Short', notAfter: minutesAgo(20) });
    const earlier = documentStamp(await stampBy(pki.tsa, minutesAgo(10)), 1);
    const document = documentOf([earlier, signatureBy(short, { revision: 2 })]);
    expect(codesOf(await validateAll(document, trust(0)))).toEqual([[], ['SIGNED_AFTER_EXPIRY']]);
    // Not so if nobody trusts who stamped.
    const strange = documentStamp(await stampBy(other.tsa, minutesAgo(10)), 1);
    const doubtful = documentOf([strange, signatureBy(short, { revision: 2 })]);
    expect((await validateAll(doubtful, trust(0)))[1]?.codes).toEqual(['CERTIFICATE_EXPIRED']);
  });

  test('that was revoked before a time-stamp which it signs was made afterwards', async () => {
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
  test('by an authority that nobody named proves nothing, and takes nothing away', async () => {
    const stamp = await stampBy(other.tsa);
    expect(await judge([stamp], 0)).toMatchObject({ codes: ['TIMESTAMP_UNTRUSTED'], provenTime: undefined });
    expect((await judge([stamp], 2)).codes).toEqual(['TIMESTAMP_UNTRUSTED', 'CERTIFICATE_EXPIRED']);
    const anchors = [...read(pki.root), ...read(other.root)];
    expect(await judge([stamp], 2, { anchors })).toMatchObject({ codes: [], provenTime: stamp.time });
  });

  test('by an authority whose certificate has expired since proves nothing any more', async () => {
    const short = await stampers({ notAfter: inDays(1) });
    const stamp = await stampBy(short);
    expect(await judge([stamp], 0)).toMatchObject({ codes: [], provenTime: stamp.time });
    const { codes, faults, provenTime } = await judge([stamp], 2);
    expect(codes).toEqual(['TIMESTAMP_UNTRUSTED', 'CERTIFICATE_EXPIRED']);
    expect(faults[0]?.message).toContain('“Second TSA” expired');
    expect(provenTime).toBeUndefined();
  });

  test.each<[string, Partial<IssueRequest>]>([
    ['that may do other things too', { extendedKeyUsage: ['timeStamping', 'emailProtection'] }],
    ['that may not stamp time', { extendedKeyUsage: ['emailProtection'] }],
    ['that was not valid when it stamped', { notBefore: minutesAgo(1) }],
  ])('with a certificate %s is none', async (_what, request) => {
    const [wrong] = read(await stampers(request));
    const stamp = { ...(await stampBy(pki.tsa, minutesAgo(5))), ...(wrong && { signer: wrong }) };
    expect(await judge([stamp], 0)).toMatchObject({ codes: ['TIMESTAMP_INVALID'], provenTime: undefined });
  });

  test('that its reader objects to is told of', async () => {
    const faults = [
      { code: 'TIMESTAMP_INVALID' as const, message: 'A time-stamp does not cover this signature.' },
    ];
    const { codes } = await tryOne(documentOf([signatureBy(signer, {}, { faults })]), trust(0));
    expect(codes).toEqual(['TIMESTAMP_INVALID']);
  });

  test('that is earlier than the signer claims to have signed is told of', async () => {
    const timestamps = [await stampBy(pki.tsa, minutesAgo(30))];
    const claimed = (minutes: number) =>
      documentOf([signatureBy(signer, { timestamps }, { claimedSigningTime: minutesAgo(minutes) })]);
    expect((await tryOne(claimed(20), trust(0))).codes).toEqual(['TIMESTAMP_ORDER']);
    expect((await tryOne(claimed(28), trust(0))).codes).toEqual([]);
    expect((await tryOne(claimed(40), trust(0))).codes).toEqual([]);
  });

  test('of later than the time that the document is judged at proves nothing then', async () => {
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
    ['its key is lost', 1, 20, false],
    ['it was replaced', 4, 20, true],
    ['it ceased to work', 5, 20, true],
    ['it ceased to work before', 5, 40, false],
  ])('by an authority that was revoked since, as %s', async (_why, reason, minutes, isProof) => {
    const authority = await stampers();
    pki.revoke(authority, { at: minutesAgo(minutes), reason });
    const stamp = await stampBy(authority, minutesAgo(30));
    const { codes, provenTime } = await judge([stamp], 0, { revocation: 'online' });
    expect(codes).toEqual([isProof ? 'REVOKED_LATER' : 'TIMESTAMP_UNTRUSTED']);
    expect(provenTime).toEqual(isProof ? stamp.time : undefined);
  });
});

describe('a time-stamp of the document', () => {
  test('over a later revision proves that the signature was there, and its time-stamp with it', async () => {
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

  test('that has expired is proven in turn by one after it', async () => {
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

  test('proves nothing for what it does not hold for, nor for itself', async () => {
    const broken = documentStamp(await stampBy(pki.tsa), 2);
    if (broken.core) broken.core = { ...broken.core, digestHolds: false };
    const [first, second] = await validateAll(documentOf([signatureBy(signer), broken]), trust(2));
    expect(first?.codes).toEqual(['CERTIFICATE_EXPIRED']);
    expect(second?.provenTime).toBeUndefined();
  });

  test('by an authority that nobody named leaves the signer trusted', async () => {
    const strange = documentStamp(await stampBy(other.tsa), 2);
    expect(codesOf(await validateAll(documentOf([signatureBy(signer), strange]), trust(0)))).toEqual([
      [],
      ['TIMESTAMP_UNTRUSTED', 'CHAIN_UNTRUSTED'],
    ]);
  });
});

test('a signature that could not be read that far is not judged', async () => {
  const unread = { ...signatureBy(signer), core: undefined };
  expect(await tryOne(documentOf([unread]), trust(0))).toMatchObject({ codes: [], path: [] });
});

test('a time-stamp of the document by a weak hash proves no time: others can have it on two documents', async () => {
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
