import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readCertificate } from '@scriptorium/pki/certificates';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { type ListContent, qcStatements, type StateContent } from '@scriptorium/testing/pki/trusted-list';
import { TrustedLists } from '../../src/lists/trusted-lists.ts';
import { verify } from '../../src/verification/verify-document.ts';
import { type Lab, openLab } from '../attacks/lab.ts';
import { listsOf, loaded, scheme } from './a-list.ts';

let lab: Lab;
let eve: Identity;
let pdf: Buffer;
let stamped: Buffer;
beforeAll(async () => {
  lab = await openLab();
  eve = await lab.pki.issue({ name: 'Eve', otherExtensions: [qcStatements('signature')] });
  pdf = await lab.sign(plainPdf(), { by: eve });
  stamped = await lab.sign(plainPdf(), { by: eve, level: 'B-T' });
});
afterAll(() => lab.close());

const HOUR_MS = 3_600_000;
const LONG_AGO = new Date('2018-01-01T00:00:00Z');
const granted: StateContent = { since: LONG_AGO };
const authorities = (...states: StateContent[]): ListContent => ({
  services: [
    { name: 'Qualified certificates', identities: [lab.pki.intermediate], states },
    { name: 'Qualified times', identities: [lab.pki.tsa], states: [{ ...granted, type: 'TSA/QTST' }] },
  ],
});

async function judged(source: Buffer, lists: TrustedLists, anchors: Buffer[] = [], validationTime?: Date) {
  const reply = await verify(
    {
      source,
      verification: {
        trust: { anchors: [], profile: 'eu' },
        revocation: 'online',
        ...(validationTime && { validationTime: validationTime.toISOString() }),
      },
    },
    {
      now: () => new Date(),
      service: [],
      anchors: () => anchors.map(readCertificate),
      lists: () => lists,
      fetcher: lab.fetcher,
    },
  );
  const [signature] = reply.signatures;
  const codes = signature?.reasons.map(({ code }) => code) ?? [];
  return { verdict: reply.verdict, trust: reply.trust, codes, qualification: signature?.qualification };
}

describe('a document is verified by trusted lists', () => {
  test('whose services are the anchors, and the answer says which one decided', async () => {
    const lists = await listsOf(lab.ada, authorities(granted));
    expect(await judged(pdf, lists)).toMatchObject({
      verdict: 'valid',
      trust: 'trusted',
      qualification: {
        result: 'qualified',
        kind: 'signature',
        isCertificateQualified: true,
        isKeyInQualifiedDevice: true,
        service: {
          provider: 'Test Provider',
          name: 'Qualified certificates',
          type: 'CA/QC',
          status: 'granted',
          list: { territory: 'BE', sequenceNumber: 1 },
        },
      },
    });
    expect((await judged(stamped, lists)).qualification).toMatchObject({
      result: 'qualified',
      isTimestampQualified: true,
    });
  });

  test('and is not trusted by a service for time-stamps only', async () => {
    const lists = await listsOf(lab.ada, {
      services: [{ identities: [lab.pki.intermediate], states: [{ ...granted, type: 'TSA/QTST' }] }],
    });
    expect(await judged(pdf, lists)).toMatchObject({
      verdict: 'valid_untrusted',
      qualification: { result: 'notQualified' },
    });
    const beside = await listsOf(lab.ada, {
      services: [
        { identities: [lab.pki.intermediate], states: [{ ...granted, type: 'TSA/QTST' }] },
        { identities: [lab.pki.intermediate], states: [{ ...granted, status: 'withdrawn' }] },
      ],
    });
    expect(await judged(pdf, beside)).toMatchObject({
      verdict: 'indeterminate',
      codes: ['TRUSTED_SERVICE_WITHDRAWN'],
    });
  });

  test('is in doubt by a service that was withdrawn, unless a time-stamp proves that it is older', async () => {
    const since = new Date(Date.now() + HOUR_MS);
    const lists = await listsOf(lab.ada, authorities({ since, status: 'withdrawn' }, granted));
    const later = new Date(Date.now() + 2 * HOUR_MS);
    expect(await judged(pdf, lists, [], later)).toMatchObject({
      verdict: 'indeterminate',
      trust: 'unconfirmed',
      codes: ['TRUSTED_SERVICE_WITHDRAWN'],
      qualification: { result: 'notQualified', service: { status: 'withdrawn' } },
    });
    expect(await judged(stamped, lists, [], later)).toMatchObject({
      verdict: 'valid',
      qualification: { result: 'qualified' },
    });
    expect(await judged(pdf, lists, [lab.pki.root.der, lab.pki.intermediate.der], later)).toMatchObject({
      verdict: 'valid',
      qualification: { result: 'notQualified' },
    });
  });

  test('is in doubt by a list that should have been replaced', async () => {
    const nextUpdate = new Date(Date.now() - HOUR_MS);
    const stale = await listsOf(lab.ada, { ...authorities(granted), nextUpdate });
    expect(await judged(pdf, stale)).toMatchObject({
      verdict: 'indeterminate',
      codes: ['TRUSTED_LIST_STALE'],
      qualification: { result: 'indeterminate' },
    });
    const above = new TrustedLists(
      await loaded(lab.ada, scheme(lab.ada, [authorities(granted)], { nextUpdate })),
    );
    expect((await judged(pdf, above)).codes).toEqual(['TRUSTED_LIST_STALE']);
  });

  test('is in doubt if the list of the country of its authority could not be used', async () => {
    const files = scheme(lab.ada, [{ ...authorities(granted), territory: 'XX' }]);
    const lists = new TrustedLists(await loaded(lab.ada, new Map([...files].slice(0, 1))));
    expect(await judged(pdf, lists)).toMatchObject({
      verdict: 'indeterminate',
      trust: 'untrusted',
      codes: ['CHAIN_UNTRUSTED', 'TRUSTED_LIST_MISSING'],
      qualification: { result: 'indeterminate', kind: 'unknown' },
    });
  });
});
