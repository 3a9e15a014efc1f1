import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { editDict, Update } from '@scriptorium/pdf/update';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { testInWhole } from '@scriptorium/testing/extent';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { heavyPdf, onePage, plainPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import { pdfsig, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { type OpensslKey, opensslKey } from '@scriptorium/testing/openssl-signing';
import { earlierSignatures } from '../src/pades/earlier-signatures.ts';
import { prepareDocumentTimestamp } from '../src/pades/prepare-signature.ts';
import { readPdf } from '../src/pades/read-pdf.ts';
import { completePdf, preparePdf } from '../src/pades/sign-pdf.ts';
import { cmsOfDigest } from './cms-of-digest.ts';
import { prepared, RESERVE, SIGNING_TIME, signed } from './signing.ts';

let key: OpensslKey;
beforeAll(async () => {
  key = await opensslKey('Ada');
});
afterAll(() => key.remove());

const edited = (from: RegExp, to: string): Buffer =>
  Buffer.from(plainPdf().toString('latin1').replace(from, to), 'latin1');

test.each(['99999999999', '10.5', '-3'])(
  'new objects of a document with a /Size of %s have numbers that every reader accepts',
  async (size) => {
    const bytes = await signed(edited(/\/Size \d+/, `/Size ${size}`), key);
    expect(
      Math.max(...[...bytes.toString('latin1').matchAll(/(\S+) 0 obj/g)].map(([, num]) => Number(num))),
    ).toBeLessThan(20);
    expect(await pdfsig(bytes)).toMatchObject([{ validation: 'Signature is Valid.' }]);
    expect(await qpdfComplaints(bytes)).toEqual([]);
  },
);

test('a page with an absurd rotation is treated as upright', async () => {
  const appearance = { page: 1, rectangle: { x: 10, y: 10, width: 100, height: 50 }, text: 'Ada' };
  const { bytes } = await prepared(classicPdf(onePage('/Rotate 10000000000000000000000')), { appearance });
  expect(bytes.toString('latin1')).toContain('/Rect[10 10 110 60]');
});

testInWhole('a search skips an object with an impossible generation', async () => {
  const text = plainPdf().toString('latin1').replace('trailer', '9 99999 obj 5 endobj trailer');
  const bytes = await signed(Buffer.from(text.replace(/startxref\n\d+/, 'startxref\n1'), 'latin1'), key);
  expect(readPdf(bytes)).toMatchObject({ isSearched: false, isSigned: true });
  expect(await pdfsig(bytes)).toMatchObject([{ validation: 'Signature is Valid.' }]);
});

const SIGNING = { reserve: RESERVE, signingTime: SIGNING_TIME, allowBrokenSignatures: false };
const maker = () => ({ hash: 'sha256' as const, cms: (digest: Buffer) => cmsOfDigest(digest, key) });

test('a document prepared for a smaller signature is rejected with the reason', async () => {
  const { bytes } = await preparePdf(plainPdf(), { ...SIGNING, reserve: 100 });
  await expect(completePdf(bytes, maker())).rejects.toMatchObject({
    code: 'UNPROCESSABLE',
    message: expect.stringMatching(/prepared for 100/),
  });
});

test('a document prepared for another signature format is rejected', async () => {
  const { bytes } = await preparePdf(plainPdf(), SIGNING);
  const other = Buffer.from(
    bytes.toString('latin1').replace('ETSI.CAdES.detached', 'adbe.pkcs7.sha1    '),
    'latin1',
  );
  const stamp = prepareDocumentTimestamp(readPdf(plainPdf()), RESERVE).bytes;
  for (const document of [other, stamp]) {
    await expect(completePdf(document, maker())).rejects.toMatchObject({ code: 'UNPROCESSABLE' });
  }
});

test('a signature shared by thousands of fields is checked once', async () => {
  const pdf = readPdf(await signed(heavyPdf(5_000_000), key));
  const { signatureRef } = pdf.form.signatureFields[0] ?? {};
  const update = new Update(pdf.document);
  const fields = Array.from({ length: 3_000 }, (_, index) =>
    update.add(`<</FT/Sig/T(s${index})/V ${signatureRef}>>`),
  );
  const { catalog } = pdf.document;
  update.replace(catalog, editDict(catalog.value, { AcroForm: `<</Fields[${fields.join(' ')}]>>` }));
  const startedAt = process.cpuUsage();
  const signatures = earlierSignatures(readPdf(update.finish().bytes));
  expect(cpuMsSince(startedAt)).toBeLessThan(10_000);
  expect(signatures).toHaveLength(3_000);
  expect(new Set(signatures.map(({ verdict }) => verdict))).toEqual(new Set(['holds']));
  expect(signatures.at(-1)?.fieldName).toBe('s2999');
});
