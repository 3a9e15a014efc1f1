import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readCertificate } from '@scriptorium/pki/certificates';
import type { ValidationData } from '@scriptorium/pki/revocation';
import { extension } from '@scriptorium/testing/pki/certificate';
import { withFault } from '@scriptorium/testing/pki/fetching';
import type { Identity, IssueRequest } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import type { Trust } from '../../src/verification/checks/inquiry.ts';
import { collectFrom } from './collecting.ts';
import {
  documentOf,
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
beforeAll(async () => {
  pki = await createPki();
});
afterAll(() => pki.close());

const signerWith = (request: Partial<IssueRequest> = {}) => pki.issue({ name: 'Ada Lovelace', ...request });
const listOfIssuer = (): ValidationData => ({
  ...NOTHING,
  crls: [pki.crlOf(pki.intermediate), pki.crlOf(pki.root)],
});

/** A signature without a time-stamp, judged with what the document keeps. */
const judge = (signer: Identity, data: ValidationData, change: Partial<Trust> = {}) =>
  tryOne(documentOf([signatureBy(signer)], data), trustIn(pki, change));

/** A signature that was stamped so many minutes ago. */
async function judgeStamped(
  signer: Identity,
  minutes: number,
  data: ValidationData,
  change: Partial<Trust> = {},
) {
  const timestamps = [await stampBy(pki.tsa, minutesAgo(minutes))];
  return tryOne(documentOf([signatureBy(signer, { timestamps })], data), trustIn(pki, change));
}

describe('a signer', () => {
  test('of whom the answers in the document say good is good', async () => {
    const signer = await signerWith();
    const data = await collectFrom(pki, signer.chain);
    expect(data.ocsps).toHaveLength(2);
    expect((await judge(signer, data)).codes).toEqual([]);
    expect((await judge(signer, listOfIssuer())).codes).toEqual([]);
    const inside = signatureBy(signer, { validationData: data });
    expect((await tryOne(documentOf([inside]), trustIn(pki))).codes).toEqual([]);
  });

  test('of whom nothing in the document tells is of unknown standing, and nobody is asked', async () => {
    const since = pki.visits.length;
    const { codes, faults } = await judge(await signerWith(), NOTHING);
    expect(codes).toEqual(['REVOCATION_UNKNOWN', 'REVOCATION_UNKNOWN']);
    expect(faults[0]?.message).toContain('“Ada Lovelace”');
    expect(pki.visits).toHaveLength(since);
  });

  test('is not looked into where revocation is not asked for, nor where nobody vouches for him', async () => {
    const signer = await signerWith();
    pki.revoke(signer);
    expect((await judge(signer, listOfIssuer(), { revocation: 'none' })).codes).toEqual([]);
    const since = pki.visits.length;
    for (const revocation of ['embedded', 'online'] as const)
      expect((await judge(signer, listOfIssuer(), { anchors: [], revocation })).codes).toEqual([
        'CHAIN_UNTRUSTED',
      ]);
    expect(pki.visits.slice(since).filter(({ path }) => /ocsp|crl/.test(path))).toEqual([]);
  });

  test('who is trusted by himself, or whose certificate says that it is never revoked, needs no answer', async () => {
    const signer = await signerWith();
    expect((await judge(signer, NOTHING, { anchors: [readCertificate(signer.der)] })).codes).toEqual([]);
    const never = await signerWith({ otherExtensions: [extension('2.5.29.56', Buffer.of(0x05, 0x00))] });
    const anchors = [readCertificate(pki.intermediate.der)];
    expect((await judge(never, NOTHING, { anchors })).codes).toEqual([]);
  });

  test('who is revoked, without a proof of when he signed, may have signed before', async () => {
    const signer = await signerWith();
    pki.revoke(signer, { at: minutesAgo(30) });
    const { codes, faults } = await judge(signer, listOfIssuer());
    expect(codes).toEqual(['CERTIFICATE_REVOKED']);
    expect(faults[0]?.message).toMatch(/“Ada Lovelace” was revoked on 20/);
  });

  test.each([
    ['before the time-stamp, signed after it', 20, 10, 'SIGNED_AFTER_REVOCATION'],
    ['in the second of the time-stamp, signed after it', 15, 15, 'SIGNED_AFTER_REVOCATION'],
    ['after the time-stamp, signed before', 10, 20, 'REVOKED_LATER'],
  ])('who was revoked %s', async (_what, revoked, stamped, code) => {
    const signer = await signerWith();
    const at = minutesAgo(revoked);
    pki.revoke(signer, { at });
    const timestamps = [await stampBy(pki.tsa, revoked === stamped ? at : minutesAgo(stamped))];
    const { codes, provenTime } = await tryOne(
      documentOf([signatureBy(signer, { timestamps })], listOfIssuer()),
      trustIn(pki),
    );
    expect(codes).toEqual([code]);
    expect(provenTime).toBeInstanceOf(Date);
  });

  test('who is on hold may yet turn out to be good', async () => {
    const signer = await signerWith();
    pki.revoke(signer, { at: minutesAgo(20), reason: 6 });
    const held = listOfIssuer();
    expect((await judge(signer, held)).codes).toEqual(['CERTIFICATE_REVOKED']);
    expect((await judgeStamped(signer, 10, held)).codes).toEqual(['CERTIFICATE_REVOKED']);
    expect((await judgeStamped(signer, 30, held)).codes).toEqual(['REVOKED_LATER']);
    pki.revoke(signer, { at: minutesAgo(20), reason: 8 });
    expect((await judge(signer, listOfIssuer())).codes).toEqual([]);
  });

  test('below an authority that is revoked is as if revoked himself', async () => {
    const issuer = await pki.issue({ name: 'Lost Issuer', issuer: pki.root, ca: {} });
    const signer = await pki.issue({ name: 'Grace Hopper', issuer });
    pki.revoke(issuer, { at: minutesAgo(15), reason: 2 });
    const data = { ...NOTHING, crls: [pki.crlOf(issuer), pki.crlOf(pki.root), pki.crlOf(pki.intermediate)] };
    const { codes, faults } = await judge(signer, data);
    expect(codes).toEqual(['CERTIFICATE_REVOKED']);
    expect(faults[0]?.message).toContain('“Lost Issuer”');
    expect((await judgeStamped(signer, 10, data)).codes).toEqual(['SIGNED_AFTER_REVOCATION']);
    expect((await judgeStamped(signer, 20, data)).codes).toEqual(['REVOKED_LATER']);
  });
});

describe('an answer', () => {
  test('of the day of the signature tells of it for ever, and of nothing later', async () => {
    const signer = await signerWith({ notAfter: inDays(300) });
    const data = await collectFrom(pki, [...signer.chain, ...pki.tsa.chain]);
    expect((await judgeStamped(signer, 0, data, { validationTime: inDays(200) })).codes).toEqual([
      // Of the authority that stamped.
      'REVOCATION_UNKNOWN',
      'REVOCATION_UNKNOWN',
    ]);
    expect((await judge(signer, data, { validationTime: inDays(200) })).codes).toEqual([
      'REVOCATION_UNKNOWN',
      'REVOCATION_UNKNOWN',
    ]);
  });

  test('that says revoked counts however old it is', async () => {
    const signer = await signerWith({ notAfter: inDays(300) });
    pki.revoke(signer, { at: minutesAgo(20) });
    expect((await judge(signer, listOfIssuer(), { validationTime: inDays(200) })).codes).toEqual([
      'CERTIFICATE_REVOKED',
      'REVOCATION_UNKNOWN',
    ]);
  });

  test('given later tells of a time before, and not of a certificate that had expired by then', async () => {
    const signer = await signerWith({ notBefore: inDays(-30), notAfter: inDays(-10) });
    const change = { validationTime: inDays(-20) };
    expect((await judge(signer, listOfIssuer(), change)).codes).toContain('REVOCATION_UNKNOWN');
    const young = await signerWith({ notBefore: inDays(-30) });
    const anchors = [readCertificate(pki.intermediate.der)];
    expect((await judge(young, listOfIssuer(), { ...change, anchors })).codes).toEqual([]);
    pki.revoke(young, { at: inDays(-15) });
    expect((await judge(young, listOfIssuer(), { ...change, anchors })).codes).toEqual(['REVOKED_LATER']);
    pki.revoke(young, { at: inDays(-25) });
    expect((await judge(young, listOfIssuer(), { ...change, anchors })).codes).toEqual([
      'CERTIFICATE_REVOKED',
    ]);
  });

  test('by a responder who is on a list himself does not count', async () => {
    const checked = await createPki({ responders: 'checked' });
    try {
      const signer = await checked.issue({ name: 'Ada Lovelace' });
      const data = await collectFrom(checked, signer.chain);
      const judgeWith = (crls: Buffer[]) =>
        tryOne(
          documentOf([signatureBy(signer)], { ...data, crls }),
          trustIn(checked, { anchors: [readCertificate(checked.intermediate.der)] }),
        );
      expect((await judgeWith(data.crls)).codes).toEqual([]);
      checked.revoke(checked.responderOf(checked.intermediate));
      checked.revoke(signer);
      const { codes } = await judgeWith([checked.crlOf(checked.intermediate)]);
      expect(codes).toEqual(['CERTIFICATE_REVOKED']);
    } finally {
      await checked.close();
    }
  });

  test('by strangers, of other times to come, or that is none does not count', async () => {
    const signer = await signerWith();
    const stranger = await createPki();
    try {
      const faults = ['future', 'strangeSigner', 'wrongUsage', 'otherCertificate', 'garbage'] as const;
      const crls = [Buffer.from('no list'), stranger.crlOf(stranger.intermediate), Buffer.alloc(0)];
      const ocsps = [Buffer.from('no answer'), Buffer.alloc(0)];
      expect((await judge(signer, { ...NOTHING, crls, ocsps })).codes).toEqual([
        'REVOCATION_UNKNOWN',
        'REVOCATION_UNKNOWN',
      ]);
      for (const ocsp of faults) {
        const places = { crl: [] };
        const asked = await signerWith({ places });
        const { codes } = await withFault(pki, { ocsp }, () =>
          judge(asked, NOTHING, { revocation: 'online', anchors: [readCertificate(pki.intermediate.der)] }),
        );
        expect([ocsp, codes]).toEqual([ocsp, ['REVOCATION_UNAVAILABLE']]);
      }
    } finally {
      await stranger.close();
    }
  });

  test('among thousands of others is found in time, and a long list is read once', async () => {
    const authorities = await createPki();
    try {
      const signer = await authorities.issue({ name: 'Ada Lovelace' });
      const data = await collectFrom(authorities, signer.chain);
      for (let index = 0; index < 50_000; index++)
        authorities.revoke({ ...signer, serialNumber: (2 ** 40 + index).toString(16) });
      const long = authorities.crlOf(authorities.intermediate);
      const [own = Buffer.of()] = data.ocsps;
      const noise = Array.from({ length: 400 }, (_, index) => {
        const copy = Buffer.from(own);
        copy[copy.length - 1 - (index % 40)] = index % 251;
        return copy;
      });
      const many = { ...data, crls: [long], ocsps: [...data.ocsps, ...noise] };
      const signatures = Array.from({ length: 30 }, (_, index) =>
        signatureBy(signer, { revision: index + 1 }),
      );
      const startedAt = performance.now();
      const outcomes = await validateAll(documentOf(signatures, many), trustIn(authorities));
      expect(outcomes.flatMap(({ codes }) => codes)).toEqual([]);
      expect(performance.now() - startedAt).toBeLessThan(5_000);
    } finally {
      await authorities.close();
    }
  });
});
