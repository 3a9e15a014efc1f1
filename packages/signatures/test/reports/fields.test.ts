import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readCertificate } from '@scriptorium/pki/certificates';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { blankDocx } from '../../src/blank-documents.ts';
import type { Signing } from '../../src/sign-request.ts';
import { sign } from '../../src/signing/sign.ts';
import { verify } from '../../src/verification/verify-document.ts';
import type { VerifyReply } from '../../src/verify-report.ts';
import { type Lab, openLab, signerOf } from '../attacks/lab.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const judged = (source: Buffer, service = false): Promise<VerifyReply> =>
  verify(
    { source, verification: { trust: { anchors: [] }, revocation: 'embedded' } },
    {
      now: () => new Date(),
      service: service ? [lab.ada.chain.map(readCertificate)] : [],
      anchors: () => (service ? [] : lab.anchors.map(readCertificate)),
      fetcher: lab.fetcher,
    },
  );

/** Signs as the service does, with an audit trail. */
async function signedByService(source: Buffer, more: Partial<Signing> = {}): Promise<Buffer> {
  const signer = await signerOf(lab.ada);
  const signing: Signing = {
    key: { kind: 'profile', profile: 'service', apiKey: '' },
    level: 'B-B',
    hasAuditPages: false,
    allowBrokenSignatures: false,
    ...more,
  };
  const { bytes } = await sign(
    { source, signing, images: Buffer.alloc(0), callerKey: undefined },
    {
      version: '1.2.3',
      newAuditId: () => `aud_${'a'.repeat(26)}`,
      now: () => new Date(),
      openKey: async () => signer,
      timestamper: () => undefined,
      validationData: async () => ({ certificates: [], ocsps: [], crls: [] }),
    },
  );
  return bytes;
}

describe('what the signer claims', () => {
  test('is the name, the reason and the place in a PDF', async () => {
    const pdf = await lab.sign(plainPdf(), { name: 'Ada L.', reason: 'I agree', location: 'London' });
    expect((await judged(pdf)).signatures).toMatchObject([
      {
        claimedName: 'Ada L.',
        reason: 'I agree',
        location: 'London',
        signer: { commonName: 'Ada Lovelace' },
      },
    ]);
    const [plain] = (await judged(await lab.sign(plainPdf()))).signatures;
    for (const name of ['claimedName', 'reason', 'location']) expect(plain).not.toHaveProperty(name);
  });

  test('is the name and the reason that Office shows in a DOCX', async () => {
    const docx = await signedByService(blankDocx(), {
      signer: { name: 'Ada L.', email: 'ada@example.org' },
      reason: 'I agree',
      auditTrail: [{ type: 'submit', timestamp: '2026-05-01T12:00:00Z' }],
    });
    expect((await judged(docx)).signatures).toMatchObject([{ claimedName: 'Ada L.', reason: 'I agree' }]);
  });

  test('is bounded and without control characters', async () => {
    const reason = `\u202e${'x'.repeat(10_000)}\u0000`;
    const [signature] = (await judged(await lab.sign(plainPdf(), { reason }))).signatures;
    expect(signature?.reason).toMatch(/^ ?x{499,500}$/);
  });
});

describe('coversWholeDocument', () => {
  test('is true for the signature over the last byte only', async () => {
    const once = await lab.sign(plainPdf());
    const coverage = async (pdf: Buffer) =>
      (await judged(pdf)).signatures.map(({ coversWholeDocument }) => coversWholeDocument);
    expect(await coverage(once)).toEqual([true]);
    expect(await coverage(await lab.sign(once, { by: lab.bob }))).toEqual([false, true]);
    expect(await coverage(Buffer.concat([once, Buffer.from('\n')]))).toEqual([false]);
  });

  test('is true for a DOCX whose parts are all signed', async () => {
    const auditTrail: Signing['auditTrail'] = [{ type: 'submit', timestamp: '2026-05-01T12:00:00Z' }];
    const docx = await signedByService(blankDocx(), { auditTrail });
    expect((await judged(docx)).signatures).toMatchObject([{ coversWholeDocument: true }]);
  });
});

describe('the audit trail', () => {
  const signedWith = (auditTrail: NonNullable<Signing['auditTrail']>) =>
    signedByService(plainPdf(), { signer: { name: 'Ada', email: 'ada@example.org' }, auditTrail });

  test('lists its entries, with the data as text', async () => {
    const pdf = await signedWith([
      {
        type: 'field_change',
        timestamp: '2026-05-01T11:00:00Z',
        data: { field: 'consent', note: 'a\u202eb' },
      },
      { type: 'submit', timestamp: '2026-05-01T12:00:00Z' },
    ]);
    const { auditTrail } = await judged(pdf);
    expect(auditTrail).toMatchObject({ chain: 'intact', sealed: true, entries: 3 });
    expect(auditTrail.events).toMatchObject([
      { type: 'document', data: expect.stringContaining('ada@example.org') },
      { type: 'field_change', time: '2026-05-01T11:00:00Z', data: 'field: consent · note: a\ufffdb' },
      { type: 'submit', time: '2026-05-01T12:00:00Z', hash: auditTrail.hash },
    ]);
    expect(auditTrail.events?.[2]).not.toHaveProperty('data');
  });

  test('is bounded', async () => {
    const data = { text: 'x'.repeat(2_000) };
    const scroll = { type: 'scroll' as const, timestamp: '2026-05-01T11:00:00Z', data };
    const submit = { type: 'submit' as const, timestamp: '2026-05-01T12:00:00Z' };
    const { auditTrail } = await judged(
      await signedWith([...Array.from({ length: 300 }, () => scroll), submit]),
    );
    expect(auditTrail.events).toHaveLength(200);
    expect(auditTrail).toMatchObject({ entries: 302, eventsLeftOut: 102 });
    expect(Math.max(...(auditTrail.events ?? []).map((event) => event.data?.length ?? 0))).toBeLessThan(510);
  });
});

test('a document of this service is valid, and says that this is not the trust of the caller', async () => {
  const auditTrail: Signing['auditTrail'] = [{ type: 'submit', timestamp: '2026-05-01T12:00:00Z' }];
  expect(await judged(await signedByService(plainPdf(), { auditTrail }), true)).toMatchObject({
    valid: true,
    verdict: 'valid_untrusted',
    integrity: 'intact',
    trust: 'service',
    time: 'claimed',
    reason: expect.stringContaining('does not chain to a trusted anchor of this request'),
  });
});

test('the times of a document are those of all its signatures', async () => {
  const stamped = await lab.sign(plainPdf(), { level: 'B-T' });
  const one = await judged(stamped);
  expect(one).toMatchObject({ time: 'proven', provenTime: one.signatures[0]?.provenTime });
  const both = await judged(
    await lab.sign(stamped, { by: lab.bob, signingTime: new Date('2027-01-01T00:00:00Z') }),
  );
  expect(both).toMatchObject({ time: 'claimed', claimedSigningTime: '2027-01-01T00:00:00.000Z' });
  expect(both).not.toHaveProperty('provenTime');
  expect(await judged(plainPdf())).toMatchObject({ integrity: 'unknown', trust: 'unknown', time: 'absent' });
});
