import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { certificateOf } from '@scriptorium/pki/certificates';
import { buildCertificate, privateKeySigner, type RawSigner } from '@scriptorium/pki/keys';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { pdfText, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { type SignTools, sign } from '../src/face/sign.ts';
import { verify } from '../src/face/verify.ts';
import type { OneOfSeveral, Signing } from '../src/sign-request.ts';

const NOW = new Date('2026-05-01T12:00:00Z');
const ADA = { name: 'Ada Lovelace', email: 'ada@example.com' };
const GRACE = { name: 'Grace Hopper', email: 'grace@example.com' };

const textField = (name: string, at: number): string =>
  `<</Type/Annot/Subtype/Widget/FT/Tx/T(${name})/DA(/Helv 0 Tf 0 g)/F 4/Rect[50 ${260 + 20 * at} 150 ${274 + 20 * at}]/P 3 0 R>>`;

/** A page, turned when shown, with the empty fields `landlord` and `tenant` and the text field `city`. */
const contract = (rotation = 0, texts: readonly string[] = []): Buffer =>
  classicPdf(
    onePage(
      `/Rotate ${rotation}/Annots[6 0 R 7 0 R 8 0 R${texts.map((_, at) => ` ${at + 9} 0 R`).join('')}]`,
      `/AcroForm<</Fields[6 0 R 7 0 R 8 0 R${texts.map((_, at) => ` ${at + 9} 0 R`).join('')}]/DA(/Helv 0 Tf 0 g)/DR<</Font<</Helv 5 0 R>>>>>>`,
      [
        '<</Type/Annot/Subtype/Widget/FT/Sig/T(landlord)/TU(Landlord)/F 4/Rect[50 100 150 160]/P 3 0 R>>',
        '<</Type/Annot/Subtype/Widget/FT/Sig/T(tenant)/F 4/Rect[200 100 350 160]/P 3 0 R>>',
        '<</Type/Annot/Subtype/Widget/FT/Tx/T(city)/F 4/Rect[50 200 150 220]/P 3 0 R>>',
        ...texts.map(textField),
      ],
    ),
  );

let signers: Map<string, RawSigner>;
beforeAll(() => {
  signers = new Map(['ada', 'grace'].map((name) => [name, selfSignedSigner(name)]));
});

function selfSignedSigner(name: string): RawSigner {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const times = { notBefore: NOW, notAfter: new Date('2027-05-01T12:00:00Z') };
  const names = { subject: name, issuer: name, organization: 'Example', isAuthority: false };
  const key = { privateKey, publicKey };
  const own = new X509Certificate(buildCertificate({ ...names, ...times, publicKey, issuerKey: key }));
  return privateKeySigner({ privateKeys: [privateKey], certificates: [own] }, { now: NOW });
}

const profile = (name: string) => ({ kind: 'profile' as const, profile: name, apiKey: '' });
let opened: string[] = [];
const tools: SignTools = {
  version: '1.0',
  newAuditId: () => `aud_${'a'.repeat(26)}`,
  now: () => NOW,
  async openKey(key) {
    const name = key.kind === 'profile' ? key.profile : '';
    opened.push(name);
    return signers.get(name) ?? Promise.reject(new Error(name));
  },
  timestamper: () => undefined,
  validationData: () => Promise.reject(new Error('no authority is asked')),
};

const landlord: OneOfSeveral = { field: 'landlord', signer: ADA, level: 'B-B', appearance: {} };
const tenant: OneOfSeveral = { field: 'tenant', signer: GRACE, level: 'B-B', key: profile('grace') };

function signAll(signatures: OneOfSeveral[], source = contract(), more: Partial<Signing> = {}) {
  opened = [];
  const common = {
    key: profile('ada'),
    level: 'B-B',
    hasAuditPages: true,
    allowBrokenSignatures: false,
  } as const;
  const signing: Signing = { ...common, ...more, signatures };
  return sign({ source, signing, images: Buffer.alloc(0), callerKey: undefined }, tools);
}

const verified = (source: Buffer) =>
  verify(
    { source, verification: { trust: { anchors: [] }, revocation: 'none' } },
    {
      now: () => NOW,
      service: [],
      anchors: () => [...signers.values()].map(({ certificates: [own] }) => certificateOf(own)),
      fetcher: { fetch: () => Promise.reject(new Error('nothing is fetched')) },
    },
  );

test('two roles sign in order, each in a revision and with a key of their own, and both signatures hold', async () => {
  const auditTrail = [{ type: 'submit' as const, timestamp: '2026-05-01T11:00:00Z' }];
  const { bytes, reply } = await signAll([{ ...landlord, certify: 'formFilling' }, tenant], contract(), {
    auditTrail,
  });
  expect(reply.signature).toBeUndefined();
  expect(reply.signatures?.map(({ fieldName }) => fieldName)).toEqual(['landlord', 'tenant']);
  const report = await verified(bytes);
  expect(report).toMatchObject({ verdict: 'valid', document: { sha256: reply.auditTrail?.documentSha256 } });
  expect(report.signatures).toMatchObject([
    { id: 'landlord', type: 'certification', signer: { commonName: 'ada' }, coversWholeDocument: false },
    { id: 'tenant', type: 'approval', signer: { commonName: 'grace' }, coversWholeDocument: true },
  ]);
  expect(report.emptyFields).toBeUndefined();
  expect(report.auditTrail).toMatchObject({ chain: 'intact', sealed: true });
  expect(reply.auditTrail?.entries[0]?.data).toMatchObject({
    signatures: [
      { field: 'landlord', signer: ADA, level: 'B-B' },
      { field: 'tenant', signer: GRACE },
    ],
  });
  expect(await qpdfComplaints(bytes)).toEqual([]);
});

test.each([
  ['an unknown field', [landlord, { ...tenant, field: 'witness' }], 1, /`witness`.*`landlord`, `tenant`/, 0],
  ['a field of another type', [{ ...landlord, field: 'city' }], 0, /not a signature field/, 0],
  ['a field twice', [landlord, { ...tenant, field: 'landlord' }], 1, /`landlord` is already signed/, 2],
  [
    'a field that the first signature locks',
    [{ ...landlord, lockFields: { action: 'all' as const } }, tenant],
    1,
    /`landlord` locked the field `tenant`/,
    2,
  ],
  ['a new visible field without a place', [{ level: 'B-B' as const, appearance: {} }], 0, /needs a page/, 1],
])(
  '%s is an error that names its signature, and the field',
  async (_what, signatures, index, issue, keys) => {
    await expect(signAll(signatures)).rejects.toMatchObject({
      index,
      cause: {
        details: [
          { field: expect.stringMatching(/^field|^appearance/), issue: expect.stringMatching(issue) },
        ],
      },
    });
    expect(opened).toHaveLength(keys);
  },
);

test.each([
  [0, { x: 50, y: 100, width: 100, height: 60 }],
  [90, { x: 100, y: 250, width: 60, height: 100 }],
  [180, { x: 250, y: 440, width: 100, height: 60 }],
  [270, { x: 440, y: 50, width: 60, height: 100 }],
])(
  'the empty fields of a page turned by %d degrees are listed with their place as displayed',
  async (turn, rectangle) => {
    const [first, second] = (await verified(contract(turn))).emptyFields ?? [];
    expect(first).toEqual({ name: 'landlord', role: 'Landlord', page: 1, rectangle });
    expect(second).toMatchObject({ name: 'tenant', page: 1 });
  },
);

const TEXTS = ['date:landlord', 'name:landlord', 'initials:landlord', 'text:landlord', 'name:tenant'];

test('a signer’s texts are filled before the signature, locked by it, and hold under a later one', async () => {
  const source = contract(0, TEXTS);
  const first = await signAll([{ ...landlord, text: 'in (Paris)' }], source, {
    locale: 'de-CH',
    timeZone: 'Asia/Tokyo',
  });
  const { bytes } = await signAll([tenant], first.bytes);
  const shown = await pdfText(bytes);
  for (const text of ['01.05.2026', 'Ada Lovelace', 'AL', 'in (Paris)', 'Grace Hopper'])
    expect(shown).toContain(text);
  const report = await verified(bytes);
  expect(report).toMatchObject({ verdict: 'valid', documentModified: 'permitted' });
  expect(report.signatures.map(({ permissions }) => permissions.lockedFields)).toEqual([
    [{ action: 'Include', fields: TEXTS.slice(0, 4) }],
    [{ action: 'Include', fields: ['name:tenant'] }],
  ]);
  expect(await qpdfComplaints(bytes)).toEqual([]);
});

test('a name that does not fit its field is an error that names it', async () => {
  const signer = { ...ADA, name: 'Ada '.repeat(60) };
  await expect(signAll([{ ...landlord, signer }], contract(0, TEXTS))).rejects.toMatchObject({
    cause: {
      code: 'VALIDATION_ERROR',
      details: [{ field: 'field', issue: expect.stringContaining('`name:landlord`') }],
    },
  });
});
