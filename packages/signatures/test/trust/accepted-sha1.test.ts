import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readCertificate } from '@scriptorium/pki/certificates';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { boolean, integer, octetString, sequence } from '@scriptorium/testing/pki/der';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { digestAlgorithm, type Hash } from '@scriptorium/testing/pki/keys';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { memberAt, readAsn1 } from '@scriptorium/testing/pki/read';
import { answerTimestamp } from '@scriptorium/testing/pki/time-stamp';
import { prepareDocumentTimestamp } from '../../src/pades/prepare-signature.ts';
import { embedSignature, signedParts } from '../../src/pades/prepared.ts';
import { readPdf } from '../../src/pades/read-pdf.ts';
import { verify } from '../../src/verification/verify-document.ts';
import type { VerifyReply } from '../../src/verify-report.ts';
import { codesOf } from '../attacks/judged.ts';
import { type Lab, openLab } from '../attacks/lab.ts';
import { type CmsFaults, faultyCms } from '../attacks/pdf/cms.ts';
import { signedOddly } from '../attacks/pdf/odd-signing.ts';
import { minutesAgo } from './trials.ts';

/** Bob signs with SHA-1, and half an hour ago a time-stamp was made. */
const STAMPED = minutesAgo(30);
const AFTER = minutesAgo(20);
const BEFORE = minutesAgo(40);

let lab: Lab;
let other: Pki;
/** Keys of the archive: their certificates are signed with SHA-1. */
let old: { signer: Identity; tsa: Identity };
beforeAll(async () => {
  [lab, other] = await Promise.all([openLab(), createPki()]);
  const stamping = { extendedKeyUsage: ['timeStamping' as const], isExtendedKeyUsageCritical: true };
  old = {
    signer: await lab.pki.issue({ name: 'Old Signer', keyType: 'rsa-2048', hash: 'sha1' }),
    tsa: await lab.pki.issue({ name: 'Old Clock', keyType: 'rsa-2048', hash: 'sha1', ...stamping }),
  };
});
afterAll(() => Promise.all([lab.close(), other.close()]));

interface Stamping {
  by?: Identity;
  time?: Date;
  hash?: Hash;
}

/** Returns a token over these bytes; `hash` is that of its imprint and of its signature. */
function token(
  stamped: Buffer,
  { by = lab.pki.tsa, time = STAMPED, hash = 'sha256' }: Stamping = {},
): Buffer {
  const imprint = sequence(digestAlgorithm(hash), octetString(createHash(hash).update(stamped).digest()));
  const request = sequence(integer(1), imprint, boolean(true));
  const answer = answerTimestamp(request, { signer: by, stranger: by, time, signedWith: hash });
  return memberAt(readAsn1(answer), 1).der;
}

const stampedWith = (stamping: Stamping): Pick<CmsFaults, 'token'> => ({
  token: (value) => token(value, stamping),
});

/** Signs with SHA-1, unless `faults` say otherwise; the claimed time is before every date here. */
const signed = (faults: Partial<CmsFaults> = {}): Promise<Buffer> =>
  signedOddly(lab, plainPdf(), {
    signingTime: minutesAgo(55),
    cms: (bytes) => faultyCms(bytes, { signer: lab.bob, hash: 'sha1', ...faults }),
  });

/** Adds a document time-stamp. */
function stamped(pdf: Buffer, stamping: Stamping = {}): Buffer {
  const prepared = prepareDocumentTimestamp(readPdf(pdf), 24_576);
  return embedSignature(
    prepared,
    token(Buffer.concat(signedParts(prepared.bytes, prepared.byteRange)), stamping),
  );
}

function judgedBefore(source: Buffer, before: Date | undefined): Promise<VerifyReply> {
  const anchors = lab.anchors.map(readCertificate);
  const acceptSha1Before = before?.toISOString();
  return verify(
    { source, verification: { trust: { anchors: [] }, revocation: 'none', acceptSha1Before } },
    { now: () => new Date(), service: [], anchors: () => anchors, fetcher: lab.fetcher },
  );
}

/** The verdict with and without the date, and whether the first signature warns. */
async function outcome(source: Buffer, before: Date) {
  const [reply, without] = await Promise.all([judgedBefore(source, before), judgedBefore(source, undefined)]);
  expect(without.verdict).not.toBe('valid');
  const reasons = reply.signatures[0]?.reasons ?? [];
  return {
    verdict: reply.verdict,
    warns: reasons.some(({ code, severity }) => code === 'SHA1_ACCEPTED' && severity === 'warning'),
  };
}

const ACCEPTED = { verdict: 'valid', warns: true };
const REFUSED = { verdict: 'indeterminate', warns: false };

describe('a signature with SHA-1 is accepted', () => {
  test('if a trusted time-stamp is from before the date', async () => {
    expect(await outcome(await signed(stampedWith({})), AFTER)).toEqual(ACCEPTED);
  });

  test('if a document time-stamp is from before the date', async () => {
    expect(await outcome(stamped(await signed()), AFTER)).toEqual(ACCEPTED);
  });

  test('if the time-stamp relies on SHA-1 itself', async () => {
    expect(await outcome(await signed(stampedWith({ by: old.tsa, hash: 'sha1' })), AFTER)).toEqual(ACCEPTED);
    expect(await outcome(stamped(await signed(), { by: old.tsa, hash: 'sha1' }), AFTER)).toEqual(ACCEPTED);
  });

  test('if its certificates are signed with SHA-1', async () => {
    expect(await outcome(await signed({ signer: old.signer, ...stampedWith({}) }), AFTER)).toEqual(ACCEPTED);
  });

  test('and answers each question well, with the proven time', async () => {
    const reply = await judgedBefore(await signed(stampedWith({})), AFTER);
    expect(reply).toMatchObject({ valid: true, integrity: 'intact', trust: 'trusted', time: 'proven' });
    expect(Math.abs(Date.parse(reply.provenTime ?? '') - STAMPED.getTime())).toBeLessThan(1_000);
    expect(reply.signatures[0]).toMatchObject({ indication: 'TOTAL_PASSED', digestAlgorithm: 'SHA-1' });
  });
});

describe('a signature with SHA-1 is not accepted', () => {
  test.each<[string, () => Promise<Buffer>, () => Date]>([
    ['if the time before the date is only claimed', () => signed(), () => AFTER],
    ['if its time-stamp is not from before the date', () => signed(stampedWith({})), () => BEFORE],
    [
      'at the date itself',
      () => signed(stampedWith({ time: new Date(AFTER.setMilliseconds(0)) })),
      () => AFTER,
    ],
    [
      'if a document time-stamp is not from before the date',
      async () => stamped(await signed()),
      () => BEFORE,
    ],
    [
      'if its time-stamp is by an untrusted authority',
      () => signed(stampedWith({ by: other.tsa })),
      () => AFTER,
    ],
    [
      'if its time-stamp, with SHA-1, is not from before the date',
      () => signed(stampedWith({ by: old.tsa, hash: 'sha1' })),
      () => BEFORE,
    ],
    [
      'if its time-stamp is over another signature',
      () => signed({ token: () => token(Buffer.from('another value')) }),
      () => AFTER,
    ],
    [
      'if the time-stamp over its document was made for another one',
      async () => {
        const [mine, others] = [await signed(), stamped(await signed({ hash: 'sha256' }))];
        const stamp = readPdf(others).document.bytes.subarray(others.lastIndexOf('/Type/DocTimeStamp'));
        const prepared = prepareDocumentTimestamp(readPdf(mine), 24_576);
        const hex = /<([0-9A-Fa-f]+)>/.exec(stamp.toString('latin1'))?.[1] ?? '';
        return embedSignature(prepared, Buffer.from(hex.replace(/(00)+$/, ''), 'hex'));
      },
      () => AFTER,
    ],
  ])('%s', async (_what, make, before) => {
    const { verdict, warns } = await outcome(await make(), before());
    expect(verdict).not.toBe('valid');
    expect(warns).toBe(false);
  });

  test('if a later trusted time-stamp alone is after the date, whatever an untrusted earlier one says', async () => {
    const file = stamped(await signed(stampedWith({ by: other.tsa, time: minutesAgo(50) })));
    expect(await outcome(file, BEFORE)).toEqual(REFUSED);
  });
});

describe('nothing but SHA-1 is accepted:', () => {
  test.each<[string, () => Promise<Buffer>]>([
    ['MD5', () => signed({ hash: 'md5', ...stampedWith({}) })],
    [
      'a short RSA key, with SHA-1 too',
      async () =>
        signed({ signer: await lab.pki.issue({ name: 'Short', keyType: 'rsa-1024' }), ...stampedWith({}) }),
    ],
    [
      'a short RSA key of the time-stamping authority',
      async () => {
        const stamping = { extendedKeyUsage: ['timeStamping' as const], isExtendedKeyUsageCritical: true };
        const by = await lab.pki.issue({ name: 'Short Clock', keyType: 'rsa-1024', ...stamping });
        return signed(stampedWith({ by }));
      },
    ],
  ])('%s stays in doubt', async (_what, make) => {
    const file = await make();
    expect((await judgedBefore(file, AFTER)).verdict).toBe('indeterminate');
    expect(codesOf(await judgedBefore(file, AFTER))).toContain('WEAK_ALGORITHM');
  });

  test('a changed document stays invalid', async () => {
    const file = await signed(stampedWith({}));
    file.write('Disagreem', file.indexOf('Agreement'));
    expect(await judgedBefore(file, AFTER)).toMatchObject({ verdict: 'invalid', integrity: 'changed' });
  });

  test('an expired certificate stays expired if nothing proves the time', async () => {
    const signer = await lab.pki.issue({ name: 'Gone', keyType: 'rsa-2048', notAfter: minutesAgo(35) });
    const reply = await judgedBefore(await signed({ signer, ...stampedWith({}) }), AFTER);
    expect(reply).toMatchObject({ verdict: 'indeterminate', trust: 'expired' });
  });
});
