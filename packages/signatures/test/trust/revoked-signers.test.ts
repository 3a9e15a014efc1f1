import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readCertificate } from '@scriptorium/pki/certificates';
import type { ValidationData } from '@scriptorium/pki/revocation';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { testInWhole } from '@scriptorium/testing/extent';
import { withFault } from '@scriptorium/testing/pki/fetching';
import type { Identity, IssueRequest } from '@scriptorium/testing/pki/identity';
import { extension } from '@scriptorium/testing/pki/issue-certificate';
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

/** Judges a signature without a time-stamp by the data in the document. */
const judge = (signer: Identity, data: ValidationData, change: Partial<Trust> = {}) =>
  tryOne(documentOf([signatureBy(signer)], data), trustIn(pki, change));

/** Judges a signature time-stamped so many minutes ago. */
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
  test('with good responses in the document is good', async () => {
    const signer = await signerWith();
    const data = await collectFrom(pki, signer.chain);
    expect(data.ocsps).toHaveLength(2);
    expect((await judge(signer, data)).codes).toEqual([]);
    expect((await judge(signer, listOfIssuer())).codes).toEqual([]);
    const inside = signatureBy(signer, { validationData: data });
    expect((await tryOne(documentOf([inside]), trustIn(pki))).codes).toEqual([]);
  });

  test('without revocation data in the document has an unknown status, and no authority is queried', async () => {
    const since = pki.visits.length;
    const { codes, faults } = await judge(await signerWith(), NOTHING);
    expect(codes).toEqual(['REVOCATION_UNKNOWN', 'REVOCATION_UNKNOWN']);
    expect(faults[0]?.message).toContain('“Ada Lovelace”');
    expect(pki.visits).toHaveLength(since);
  });

  test('is not checked for revocation if that is off or the signer is untrusted', async () => {
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

  test('that is a trust anchor or has a no-revocation certificate needs no response', async () => {
    const signer = await signerWith();
    expect((await judge(signer, NOTHING, { anchors: [readCertificate(signer.der)] })).codes).toEqual([]);
    const never = await signerWith({ otherExtensions: [extension('2.5.29.56', Buffer.of(0x05, 0x00))] });
    const anchors = [readCertificate(pki.intermediate.der)];
    expect((await judge(never, NOTHING, { anchors })).codes).toEqual([]);
  });

  test('that is revoked may have signed before, without a proven signing time', async () => {
    const signer = await signerWith();
    pki.revoke(signer, { at: minutesAgo(30) });
    const { codes, faults } = await judge(signer, listOfIssuer());
    expect(codes).toEqual(['CERTIFICATE_REVOKED']);
    expect(faults[0]?.message).toMatch(/“Ada Lovelace” was revoked on 20/);
  });

  test.each([
    ['before the time-stamp', 20, 10, 'SIGNED_AFTER_REVOCATION'],
    ['in the same second as the time-stamp', 15, 15, 'SIGNED_AFTER_REVOCATION'],
    ['after the time-stamp', 10, 20, 'REVOKED_LATER'],
  ])('that was revoked %s', async (_what, revoked, stamped, code) => {
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

  test('on hold may still turn out to be good', async () => {
    const signer = await signerWith();
    pki.revoke(signer, { at: minutesAgo(20), reason: 6 });
    const held = listOfIssuer();
    expect((await judge(signer, held)).codes).toEqual(['CERTIFICATE_REVOKED']);
    expect((await judgeStamped(signer, 10, held)).codes).toEqual(['CERTIFICATE_REVOKED']);
    expect((await judgeStamped(signer, 30, held)).codes).toEqual(['REVOKED_LATER']);
    pki.revoke(signer, { at: minutesAgo(20), reason: 8 });
    expect((await judge(signer, listOfIssuer())).codes).toEqual([]);
  });

  test('below a revoked authority counts as revoked', async () => {
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

describe('a revocation response', () => {
  test('from the day of the signature stays valid for it, but not for later times', async () => {
    const signer = await signerWith({ notAfter: inDays(300) });
    const data = await collectFrom(pki, [...signer.chain, ...pki.tsa.chain]);
    expect((await judgeStamped(signer, 0, data, { validationTime: inDays(200) })).codes).toEqual([
      // For the time-stamping authority.
      'REVOCATION_UNKNOWN',
      'REVOCATION_UNKNOWN',
    ]);
    expect((await judge(signer, data, { validationTime: inDays(200) })).codes).toEqual([
      'REVOCATION_UNKNOWN',
      'REVOCATION_UNKNOWN',
    ]);
  });

  test('with the status revoked counts at any age', async () => {
    const signer = await signerWith({ notAfter: inDays(300) });
    pki.revoke(signer, { at: minutesAgo(20) });
    expect((await judge(signer, listOfIssuer(), { validationTime: inDays(200) })).codes).toEqual([
      'CERTIFICATE_REVOKED',
      'REVOCATION_UNKNOWN',
    ]);
  });

  test('given later counts for an earlier time, but not for a certificate already expired', async () => {
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

  test('by a revoked responder does not count', async () => {
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

  test('from an unknown signer, from the future, or malformed does not count, and leaves a doubt', async () => {
    const signer = await signerWith();
    const stranger = await createPki();
    try {
      const faults = ['future', 'strangeSigner', 'wrongUsage', 'otherCertificate', 'garbage'] as const;
      const crls = [Buffer.from('no list'), stranger.crlOf(stranger.intermediate), Buffer.alloc(0)];
      const ocsps = [Buffer.from('no answer'), Buffer.alloc(0)];
      expect((await judge(signer, { ...NOTHING, crls, ocsps })).codes).toEqual([
        'REVOCATION_UNUSABLE',
        'REVOCATION_UNUSABLE',
      ]);
      const beside = { ...listOfIssuer(), ocsps };
      expect((await judge(signer, { ...beside, crls: [...crls, ...beside.crls] })).codes).toEqual([]);
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

  test('by a separate CRL key of the authority counts', async () => {
    const { name } = pki.intermediate;
    const key = await pki.issue({ name, issuer: pki.root, ca: {}, keyUsage: ['cRLSign'], places: {} });
    const signer = await signerWith();
    const online = { revocation: 'online' } as const;
    const listed = (reason: number) => {
      const at = minutesAgo(30);
      pki.revoke({ ...signer, issuer: key }, { at, reason });
      return { ...NOTHING, certificates: [key.der], crls: [pki.crlOf(key), pki.crlOf(pki.root)] };
    };
    const good = { ...NOTHING, certificates: [key.der], crls: [pki.crlOf(key), pki.crlOf(pki.root)] };
    expect((await judge(signer, good)).codes).toEqual([]);
    // Without the certificate of the key, what the list says is unknown.
    expect((await judge(signer, { ...good, certificates: [] })).codes).toEqual(['REVOCATION_UNUSABLE']);
    const revoked = listed(1);
    expect((await judge(signer, revoked)).codes).toEqual(['CERTIFICATE_REVOKED']);
    expect((await judge(signer, revoked, online)).codes).toEqual(['CERTIFICATE_REVOKED']);
    pki.revoke(key);
    const lost = { ...revoked, crls: [pki.crlOf(key), pki.crlOf(pki.root)] };
    expect((await judge(signer, lost)).codes).toEqual(['REVOCATION_UNUSABLE']);
  });

  testInWhole('among thousands is found quickly, and a long CRL is read once', async () => {
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
      const startedAt = process.cpuUsage();
      const outcomes = await validateAll(documentOf(signatures, many), trustIn(authorities));
      expect(outcomes.flatMap(({ codes }) => codes)).toEqual([]);
      expect(cpuMsSince(startedAt)).toBeLessThan(5_000);
    } finally {
      await authorities.close();
    }
  });
});
