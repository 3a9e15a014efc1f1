import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { privateKeySigner, type RawSigner, readPem } from '@scriptorium/pki/keys';
import { collectValidationData } from '@scriptorium/pki/revocation';
import { createTimestamper } from '@scriptorium/pki/timestamps';
import { few, testInWhole } from '@scriptorium/testing/extent';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import {
  formPdf,
  onePage,
  packedPdf,
  plainPdf,
  twofoldPdf,
} from '@scriptorium/testing/fixtures/pdf/documents';
import { linearizedPdf } from '@scriptorium/testing/fixtures/pdf/programs';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { mutoolVerdicts, pdfsig, pdfText, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { pdfboxSignatures } from '@scriptorium/testing/judges/pdfbox';
import { fetcherTo, never, withFault } from '@scriptorium/testing/pki/fetching';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { failureOf } from '@scriptorium/testing/refusal';
import { SIGNATURE_LEVELS, type SignatureLevel } from '../src/levels.ts';
import type { Signing } from '../src/sign-request.ts';
import { sign } from '../src/signing/sign.ts';
import type { Signed, SignTools } from '../src/signing/sign-tools.ts';
import { letterEntries } from './docx/documents.ts';

const KEYS = {
  'RSA-2048': { keyType: 'rsa-2048', rsaPadding: 'pkcs1' },
  'RSA-PSS': { keyType: 'rsa-2048', rsaPadding: 'pss' },
  'P-256': { keyType: 'p-256', rsaPadding: 'pkcs1' },
  // NSS, and so poppler, reports every signature by this certificate as invalid, whichever program signed.
  'id-RSASSA-PSS': { keyType: 'rsa-pss', rsaPadding: 'pss' },
} as const;
type Key = keyof typeof KEYS;
const KEY_NAMES = Object.keys(KEYS) as Key[];
const OF_NSS = ['RSA-2048', 'RSA-PSS', 'P-256'] satisfies Key[];
const VALID = 'Signature is Valid.';
const DOCUMENTS: Record<string, () => Buffer | Promise<Buffer>> = {
  'a cross-reference table': plainPdf,
  'a cross-reference stream': packedPdf,
  'both, hybrid': twofoldPdf,
  'a form': formPdf,
  'linearized pages': () => linearizedPdf('disable'),
  'an existing signature': async () => (await signed(plainPdf(), 'P-256', 'B-B')).bytes,
};

let pki: Pki;
const identities = new Map<string, Identity>();
beforeAll(async () => {
  pki = await createPki();
  for (const key of KEY_NAMES) {
    const { keyType } = KEYS[key];
    identities.set(key, await pki.issue({ name: `Ada ${key}`, keyType }));
  }
});
afterAll(() => pki.close());

async function signerOf(key: Key): Promise<RawSigner> {
  const identity = identities.get(key);
  if (identity === undefined) throw new Error(key);
  const certificates = identity.chainPem;
  const material = await readPem({ privateKey: identity.keyPem(), certificates });
  return privateKeySigner(material, { now: new Date(), rsaPadding: KEYS[key].rsaPadding });
}

async function toolsOf(key: Key, url = pki.tsaUrl): Promise<SignTools> {
  const signer = await signerOf(key);
  const fetcher = fetcherTo(pki);
  return {
    version: '1.2.3',
    newAuditId: () => 'aud_abcdefghijklmnopqrstuvwxyz',
    now: () => new Date(),
    openKey: async () => signer,
    timestamper: () => createTimestamper({ url, hash: 'sha256' }, fetcher),
    validationData: (certificates) => collectValidationData(certificates, fetcher, never()),
  };
}

async function signed(
  source: Buffer,
  key: Key,
  level: SignatureLevel,
  more: Partial<Signing> = {},
): Promise<Signed> {
  const request = {
    source,
    images: Buffer.alloc(0),
    callerKey: undefined,
    signing: {
      key: { kind: 'profile' as const, profile: 'service', apiKey: 'key_ada' },
      level,
      hasAuditPages: false,
      allowBrokenSignatures: false,
      ...more,
    },
  };
  return sign(request, await toolsOf(key));
}

const VISIBLE = { page: 1, rectangle: { x: 50, y: 50, width: 200, height: 40 } };

test('a visible signature without a text shows signer and time', async () => {
  const { bytes } = await signed(plainPdf(), 'P-256', 'B-B', { appearance: VISIBLE });
  expect(await pdfText(bytes)).toMatch(/Ada P-256\s+20\d\d-\d\d-\d\d \d\d:\d\d UTC/);
});

test('a visible signature shows the signer of the request instead of the certificate', async () => {
  const { bytes } = await signed(plainPdf(), 'P-256', 'B-B', {
    appearance: VISIBLE,
    signer: { name: 'Grace Hopper', email: 'grace@example.com' },
  });
  const text = await pdfText(bytes);
  expect(text).toContain('Grace Hopper');
  expect(text).not.toContain('Ada P-256');
});

describe.each(few(Object.keys(DOCUMENTS), 2, 2))('a document with %s', (kind) => {
  const variants = KEY_NAMES.flatMap((key) => SIGNATURE_LEVELS.map((level) => ({ key, level })));
  const made: Signed[] = [];
  let original: Buffer;
  let earlier: number;
  beforeAll(async () => {
    original = (await DOCUMENTS[kind]?.()) ?? Buffer.alloc(0);
    earlier = (await pdfsig(original)).length;
    for (const { key, level } of variants) made.push(await signed(original, key, level));
  });

  test.each(variants.map((variant, index) => ({ ...variant, index })))(
    'signed by $key at $level is valid for poppler, qpdf and MuPDF, and keeps its original bytes first',
    async ({ key, level, index }) => {
      const { bytes = Buffer.alloc(0), reply } = made[index] ?? {};
      expect(bytes.subarray(0, original.length).equals(original)).toBe(true);
      expect(reply?.signature).toMatchObject({ level });
      expect(reply?.signature?.timestampTime !== undefined).toBe(level !== 'B-B');
      // Poppler does not check document time-stamps: it says so and does not report them as valid.
      const judged = (await pdfsig(bytes)).slice(0, earlier + 1);
      if (key !== 'id-RSASSA-PSS')
        expect(judged.map(({ validation }) => validation)).toEqual(Array(earlier + 1).fill(VALID));
      // The key makes no difference for qpdf and MuPDF.
      if (key !== 'P-256') return;
      expect(await qpdfComplaints(bytes)).toEqual([]);
      expect((await mutoolVerdicts(bytes)).join()).not.toMatch(/digest|invalid|fail/i);
    },
  );

  testInWhole(
    'is valid for PDFBox and Bouncy Castle with any key and level',
    async () => {
      const judged = await pdfboxSignatures(made.map(({ bytes }) => bytes));
      for (const [index, signatures] of judged.entries()) {
        const stamps = variants[index]?.level === 'B-LTA' ? 1 : 0;
        expect(signatures.map(({ problem }) => problem)).toEqual(Array(earlier + 1 + stamps).fill(null));
        expect(signatures.filter(({ subFilter }) => subFilter === 'ETSI.RFC3161')).toHaveLength(stamps);
      }
    },
    60_000,
  );
});

testInWhole('three successive signatures are all valid', async () => {
  let pdf = plainPdf();
  for (const key of OF_NSS) pdf = (await signed(pdf, key, 'B-LT')).bytes;
  expect((await pdfsig(pdf)).map(({ validation }) => validation)).toEqual([VALID, VALID, VALID]);
  const [judged = []] = await pdfboxSignatures([pdf]);
  expect(judged.map(({ problem }) => problem)).toEqual([null, null, null]);
});

test('a document that is certified against changes, and then gets validation data, has a warning', async () => {
  const codesOf = async (level: SignatureLevel) =>
    (await signed(plainPdf(), 'P-256', level, { certify: 'noChanges' })).reply.warnings.map(
      ({ code }) => code,
    );
  expect([await codesOf('B-T'), await codesOf('B-LT')]).toEqual([[], ['READERS_MAY_REFUSE']]);
});

test('a document that starts something is signed as it is, with a warning that names it', async () => {
  const link = (action: string) => `<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<<${action}>>>>`;
  const pdf = classicPdf(
    onePage(
      `/Annots[${link('/S/Launch/F(x)')}${link('/S/URI/URI(file:///x)')}${link('/S/URI/URI(https://a.example/)')}]`,
      '/OpenAction<</S/JavaScript/JS(x)>>',
    ),
  );
  const { bytes, reply } = await signed(pdf, 'P-256', 'B-B');
  expect(bytes.subarray(0, pdf.length).equals(pdf)).toBe(true);
  expect(reply.warnings).toMatchObject([{ code: 'ACTIVE_CONTENT' }]);
  for (const named of ['Launch', 'JavaScript', 'file:///x'])
    expect(reply.warnings[0]?.message).toContain(named);
  expect(reply.warnings[0]?.message).not.toContain('https:');
});

test('so is a DOCX with fields that fetch something', async () => {
  const field = (code: string) => `<w:fldSimple w:instr="${code}"><w:r><w:t>x</w:t></w:r></w:fldSimple>`;
  const entries = letterEntries().map((entry) =>
    entry.name === 'word/document.xml'
      ? {
          ...entry,
          data: String(entry.data).replace(
            '<w:sectPr>',
            `<w:p>${field('DDEAUTO a b')}${field('PAGE')}</w:p>$&`,
          ),
        }
      : entry,
  );
  expect((await signed(zip(letterEntries()), 'P-256', 'B-B')).reply.warnings).toEqual([]);
  const { reply } = await signed(zip(entries), 'P-256', 'B-B');
  expect(reply.warnings).toMatchObject([{ code: 'ACTIVE_CONTENT' }]);
  expect(reply.warnings[0]?.message).toContain('something: DDEAUTO a b. ');
});

test.each(['down', 'wrongImprint'] as const)(
  'a time-stamping authority with the fault %s does not lower the level: signing fails',
  async (tsa) => {
    const failure = await withFault(pki, { tsa }, () => failureOf(signed(plainPdf(), 'P-256', 'B-T')));
    expect(failure).toMatchObject({ code: 'TIMESTAMP_UNAVAILABLE' });
  },
);

test('unavailable revocation data do not lower the level', async () => {
  const fault = { ocsp: 'down', crl: 'down' } as const;
  const failure = await withFault(pki, fault, () => failureOf(signed(plainPdf(), 'P-256', 'B-LT')));
  expect(failure).toMatchObject({ code: 'REVOCATION_UNAVAILABLE' });
});
