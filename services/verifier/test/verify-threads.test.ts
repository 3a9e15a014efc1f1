import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readCertificate } from '@scriptorium/pki/certificates';
import { privateKeySigner, readPem } from '@scriptorium/pki/keys';
import type { FetchConfig } from '@scriptorium/shared/fetch/settings';
import { sign } from '@scriptorium/signatures/sign';
import { loadLists } from '@scriptorium/signatures/trusted-lists';
import type { ReportFormat, VerifyReply } from '@scriptorium/signatures/verify-report';
import { endlessPdf } from '@scriptorium/testing/fixtures/pdf/costly';
import { plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { type ServiceContent, trustedList } from '@scriptorium/testing/pki/trusted-list';
import { refusalOf } from '@scriptorium/testing/refusal';
import { PopplerHost } from '../src/poppler-host.ts';
import type { SharedLists } from '../src/trusted-lists.ts';
import { type VerifyThreads, verifyThreads } from '../src/verify-threads.ts';
import { annotated, FRAMED_LINK, POPPLER_ONLY, STAMP } from './annotated.ts';

const NO_FETCHES = { FETCH: 'off', FETCH_ALLOW: [], FETCH_DENY: [] } as const satisfies FetchConfig;

let pki: Pki;
let threads: VerifyThreads;
let service: Identity;
const poppler = new PopplerHost();
let signed: Buffer;

beforeAll(async () => {
  pki = await createPki();
  service = await pki.issue({ name: 'The Service' });
  signed = await signedBy(service);
  await poppler.start();
  threads = verifyThreads({
    threads: 1,
    data: { hasTrustedLists: true, trustProfiles: [], fetch: NO_FETCHES, poppler: { name: poppler.name } },
  });
  await threads.ready();
});
afterAll(async () => {
  await threads.close();
  await poppler.close();
  await pki.close();
});

/** Its place is in the empty corner of the page. */
const VISIBLE = { page: 1, rectangle: { x: 50, y: 50, width: 150, height: 40 }, text: 'Ada' };

async function signedBy(identity: Identity, source?: Buffer): Promise<Buffer> {
  const material = await readPem({ privateKey: identity.keyPem(), certificates: identity.chainPem });
  const signer = privateKeySigner(material, { now: new Date() });
  const { bytes } = await sign(
    {
      source: source ?? plainPdf(),
      signing: {
        key: { kind: 'profile', profile: 'service', apiKey: 'key_ada' },
        level: 'B-B',
        ...(source && { appearance: VISIBLE }),
        hasAuditPages: false,
        allowBrokenSignatures: false,
      },
      images: Buffer.alloc(0),
      callerKey: undefined,
    },
    {
      version: '1.2.3',
      newAuditId: () => 'aud_1',
      now: () => new Date(),
      openKey: async () => signer,
      timestamper: () => undefined,
      validationData: async () => ({ certificates: [], ocsps: [], crls: [] }),
    },
  );
  return bytes;
}

const reportOf = (
  serviceCertificate: string | undefined,
  profile: string | undefined,
  {
    report,
    source = signed,
    pictures = false,
    lists,
  }: { report?: ReportFormat; source?: Buffer; pictures?: boolean; lists?: SharedLists } = {},
) =>
  threads.verify(
    {
      source,
      verification: {
        trust: { anchors: [], ...(profile !== undefined && { profile }) },
        revocation: 'embedded',
        ...(report && { report }),
        pictures,
      },
      serviceCertificate,
      lists,
    },
    new AbortController().signal,
  );

async function sharedLists(operator: Identity, services: ServiceContent[]): Promise<SharedLists> {
  const list = trustedList({ services }, operator);
  const pointers = [{ url: 'be.xml', territory: 'BE', signers: [operator] }];
  const above = trustedList({ isListOfLists: true, pointers }, operator);
  const kept = await loadLists({
    address: 'eu.xml',
    signers: [readCertificate(operator.der)],
    read: async (address) => (address === 'eu.xml' ? above : list),
    now: new Date(),
  });
  const bytes = Buffer.from(JSON.stringify(kept));
  const json = new SharedArrayBuffer(bytes.length);
  Buffer.from(json).set(bytes);
  return { version: 1, json };
}

async function verify(
  serviceCertificate: string | undefined,
  profile?: string,
  source?: Buffer,
  pictures?: boolean,
): Promise<VerifyReply> {
  const options = { ...(source && { source }), ...(pictures && { pictures }) };
  const { contentType, bytes } = await reportOf(serviceCertificate, profile, options);
  expect(contentType).toBe('application/json');
  return JSON.parse(bytes.toString());
}

test.each([
  ['html', 'text/html', '<!doctype html>'],
  ['pdf', 'application/pdf', '%PDF-1.7'],
  ['xml', 'application/xml', '<?xml version="1.0" encoding="UTF-8"?>'],
] as const)('a thread writes a report as %s', async (format, contentType, start) => {
  const report = await reportOf(service.chainPem, 'service', { report: format });
  expect(report.contentType).toBe(contentType);
  expect(report.bytes.subarray(0, start.length).toString()).toBe(start);
});

test('a signature with the given service certificate is the service’s own, and valid', async () => {
  expect(await verify(service.chainPem, 'service')).toMatchObject({
    valid: true,
    verdict: 'valid',
    signatures: [{ isServiceKey: true }],
  });
  expect(await verify(service.chainPem)).toMatchObject({
    valid: true,
    verdict: 'valid_untrusted',
    trust: 'service',
    reason: expect.stringContaining('signed it with its own key'),
  });
});

test('a signature is no longer the service’s own once a thread gets another service certificate', async () => {
  const stranger = await createPki();
  try {
    const other = await stranger.issue({ name: 'Another Service' });
    for (const [pem, isServiceKey] of [
      [other.chainPem, false],
      [service.chainPem, true],
      [other.chainPem, false],
    ] as const)
      expect(await verify(pem, 'service')).toMatchObject({
        valid: isServiceKey,
        verdict: isServiceKey ? 'valid' : 'valid_untrusted',
        signatures: [{ isServiceKey }],
      });
  } finally {
    await stranger.close();
  }
});

test('without the service certificate no signature is its own, and its trust profile is unavailable', async () => {
  expect(await verify(undefined)).toMatchObject({
    valid: false,
    verdict: 'valid_untrusted',
    signatures: [{ isServiceKey: false }],
  });
  expect(await refusalOf(() => verify(undefined, 'service'))).toBe(
    'UNAVAILABLE: No signer has published the service certificate.',
  );
});

test('by the trust profile eu, a service of the latest trusted lists decides', async () => {
  const states = [{ since: new Date('2018-01-01T00:00:00Z') }];
  const listed = await sharedLists(service, [
    { name: 'A Listed Service', identities: [pki.intermediate], states },
  ]);
  const report = async (format: ReportFormat, lists?: SharedLists) =>
    (await reportOf(undefined, 'eu', { report: format, ...(lists && { lists }) })).bytes.toString();
  expect(await refusalOf(() => report('json'))).toBe(
    'UNAVAILABLE: The trusted lists could not be loaded yet.',
  );
  const { verdict, signatures }: VerifyReply = JSON.parse(await report('json', listed));
  expect(verdict).toBe('valid');
  expect(signatures[0]?.qualification).toMatchObject({
    result: 'notQualified',
    service: { name: 'A Listed Service', list: { territory: 'BE' } },
  });
  expect(await report('html', listed)).toMatch(
    /By EU trusted lists.*Neither the certificate nor the trusted list says/s,
  );
  const later = { ...(await sharedLists(service, [])), version: 2 };
  expect(JSON.parse(await report('json', later)).verdict).toBe('valid_untrusted');
  expect(JSON.parse(await report('json', listed)).verdict).toBe('valid');
});

test('a document that is signed again is compared with what was signed, and shown', async () => {
  const again = await signedBy(service, signed);
  const { verdict, pictures } = await verify(service.chainPem, 'service', again, true);
  expect(verdict).toBe('valid');
  expect(pictures?.map(({ revision, page, contentType }) => ({ revision, page, contentType }))).toEqual([
    { revision: 2, page: 1, contentType: 'image/png' },
    { revision: 3, page: 1, contentType: 'image/png' },
  ]);
  expect(pictures?.every(({ base64 }) => base64.startsWith('data:image/png;base64,iVBORw0KGgo'))).toBe(true);
});

test('an update that only Poppler draws over signed text is in doubt, and one beside it is valid', async () => {
  const verdicts = async (...notes: Parameters<typeof annotated>[1]) => {
    const { verdict, reason } = await verify(service.chainPem, 'service', annotated(signed, notes));
    return `${verdict}: ${verdict === 'valid' ? '' : reason}`;
  };
  for (const note of Object.values(POPPLER_ONLY))
    expect(await verdicts(note)).toMatch(
      /^indeterminate: Readers disagree: in Poppler, page 1 does not look as it was signed, at/,
    );
  expect(await verdicts(FRAMED_LINK)).toMatch(/^indeterminate: Page 1 does not look/);
  expect(await verdicts(STAMP)).toBe('valid: ');
});

test('Poppler does not count a pop-up, and hides what the update has added', async () => {
  const pdf = annotated(signed, [
    { keys: '/Subtype/Popup/Parent 5 0 R/Rect[250 250 350 300]' },
    { keys: '/Subtype/Text/Contents(Read)/Rect[300 300 320 320]' },
    STAMP,
  ]);
  expect((await verify(service.chainPem, 'service', pdf)).verdict).toBe('valid');
});

test('a document that PDFium draws for minutes is in doubt after its bound, and the next one is valid', async () => {
  const again = await signedBy(service, await signedBy(service, endlessPdf()));
  const { verdict, reason } = await verify(service.chainPem, 'service', again);
  expect(verdict).toBe('indeterminate');
  expect(reason).toMatch(
    /not compared with the signed ones: rendering takes longer than the limit of 10 seconds/,
  );
  expect(await verify(service.chainPem, 'service', await signedBy(service, signed))).toMatchObject({
    verdict: 'valid',
  });
});
