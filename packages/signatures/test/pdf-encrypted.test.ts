import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PdfError } from '@scriptorium/pdf/error';
import { readCertificate } from '@scriptorium/pki/certificates';
import { few, testInWhole } from '@scriptorium/testing/extent';
import { formPdf } from '@scriptorium/testing/fixtures/pdf/documents';
import {
  ENCRYPTION_KINDS,
  type EncryptionOptions,
  encryptedBy,
} from '@scriptorium/testing/fixtures/pdf/programs';
import { pdfsig, pdfText, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { randomNumbers } from '@scriptorium/testing/random';
import { addAuditTrail } from '../src/audit/embed-pdf.ts';
import { SignatureError } from '../src/signature-error.ts';
import { verify } from '../src/verification/verify-document.ts';
import type { VerifyReply } from '../src/verify-report.ts';
import { type Lab, openLab } from './attacks/lab.ts';
import { recordOf } from './audit/records.ts';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const PASSWORD = 'Geheim!';
const VALID = { validation: 'Signature is Valid.' };

const answerOn = (source: Buffer, password?: string): Promise<VerifyReply> =>
  verify(
    { source, password, verification: { trust: { anchors: [] }, revocation: 'embedded' } },
    {
      now: () => new Date(),
      service: [],
      anchors: () => lab.anchors.map(readCertificate),
      fetcher: lab.fetcher,
    },
  );

const isRefusal = (error: unknown): error is PdfError | SignatureError =>
  error instanceof PdfError || error instanceof SignatureError;

/** The verdict, or the code of the refusal. */
async function outcomeOf(pdf: Buffer, password?: string): Promise<string> {
  try {
    return (await answerOn(pdf, password)).verdict;
  } catch (error) {
    if (isRefusal(error)) return error.code;
    throw error;
  }
}

describe.each(few(ENCRYPTION_KINDS, 2, 2))('a document with %s', (kind) => {
  test.each([[[]], [['--object-streams=generate']]])(
    'takes an audit trail, and the signature of its field seals it (qpdf %j)',
    async (form) => {
      const original = await encryptedBy(formPdf(), { kind, user: PASSWORD, owner: PASSWORD, form });
      const options = { pages: true, password: PASSWORD };
      const added = await addAuditTrail(original, recordOf({}, original), options);
      const password = PASSWORD;
      const pdf = await lab.sign(added?.pdf ?? original, { field: 'Signature', password });
      expect(await pdfsig(pdf, PASSWORD)).toEqual([{ field: 'Signature', coversAll: true, ...VALID }]);
      expect(await qpdfComplaints(pdf, PASSWORD)).toEqual([]);
      expect(await pdfText(pdf, PASSWORD)).toContain('Audit trail');
      expect(await answerOn(pdf, PASSWORD)).toMatchObject({
        verdict: 'valid',
        documentModified: 'no',
        document: { pages: 3 },
        auditTrail: { present: true, chain: 'intact', sealed: true },
      });
    },
  );

  test.each([[[]], [['--object-streams=generate']]])(
    'with broken cross-reference data is repaired and signed (qpdf %j)',
    async (form) => {
      const original = await encryptedBy(formPdf(), { kind, user: PASSWORD, form });
      original.write('startxref\n7   ', original.lastIndexOf('startxref'), 'latin1');
      const pdf = await lab.sign(original, { field: 'Signature', password: PASSWORD });
      expect(await pdfsig(pdf, PASSWORD)).toEqual([{ field: 'Signature', coversAll: true, ...VALID }]);
      expect(await pdfText(pdf, PASSWORD)).toContain('Agreement');
    },
  );

  testInWhole('is no longer valid if any of its signed bytes is flipped', async () => {
    const pdf = await lab.sign(await encryptedBy(formPdf(), { kind }), { field: 'Signature' });
    const { signatures, verdict } = await answerOn(pdf);
    expect(verdict).toBe('valid');
    const [, gapStart = 0, gapEnd = 0] = signatures[0]?.byteRange ?? [];
    const random = randomNumbers(7);
    for (let count = 0; count < 20; count++) {
      const at = random(pdf.length - (gapEnd - gapStart));
      const position = at < gapStart ? at : at + gapEnd - gapStart;
      const changed = Buffer.from(pdf);
      changed[position] = (changed[position] ?? 0) ^ (1 << random(8));
      expect([position, await outcomeOf(changed)]).not.toEqual([position, expect.stringMatching(/^valid/)]);
    }
  });

  test.each<[string, EncryptionOptions, string | undefined]>([
    ['without a password of the user', {}, undefined],
    ['with the password of the user', { user: PASSWORD }, PASSWORD],
    ['with the password of the owner', { user: 'other', owner: PASSWORD }, PASSWORD],
    ['in object streams', { user: PASSWORD, form: ['--object-streams=generate'] }, PASSWORD],
  ])('%s is signed, and its signature is valid', async (_, options, password) => {
    const original = await encryptedBy(formPdf(), { kind, ...options });
    const reader = options.user ?? '';
    const text = 'Signed by Ada';
    const appearance = { page: 1, rectangle: { x: 50, y: 50, width: 150, height: 40 }, text };
    const pdf = await lab.sign(original, {
      appearance,
      reason: 'Größe (geprüft)',
      level: 'B-LTA',
      ...(password !== undefined && { password }),
    });
    expect(pdf.subarray(0, original.length).equals(original)).toBe(true);
    const reports = await pdfsig(pdf, reader);
    expect(reports[0]).toMatchObject({ ...VALID, field: 'Signature1' });
    expect(await qpdfComplaints(pdf, reader)).toEqual([]);
    const shown = await pdfText(pdf, reader);
    expect(shown).toContain('Agreement');
    expect(shown).toContain(text);
    expect(await answerOn(pdf, password)).toMatchObject({ verdict: 'valid', documentModified: 'permitted' });
  });
});

test.each(['V4 R4, AES-128', 'V4 R4, RC4'] as const)(
  'a document with %s whose identifier is an object of its own is signed, and still opens',
  async (kind) => {
    const plain = await encryptedBy(formPdf(), { kind, form: ['--object-streams=disable'] });
    const text = plain.toString('latin1');
    const trailer = /trailer\s*<<(.*?)>>\s*startxref\s*(\d+)/s.exec(text);
    const id = /\/ID \[.*?\]/s.exec(trailer?.[1] ?? '')?.[0] ?? '';
    const num = Number(/\/Size (\d+)/.exec(trailer?.[1] ?? '')?.[1]);
    const keys = trailer?.[1]?.replace(id, `/ID ${num} 0 R`).replace(/\/Size \d+/, `/Size ${num + 1}`);
    const object = `${num} 0 obj\n${id.slice('/ID '.length)}\nendobj\n`;
    const table = `xref\n${num} 1\n${String(plain.length).padStart(10, '0')} 00000 n\r\n`;
    const end = `trailer\n<<${keys}/Prev ${trailer?.[2]}>>\nstartxref\n${plain.length + object.length}\n%%EOF\n`;
    const original = Buffer.concat([plain, Buffer.from(object + table + end, 'latin1')]);
    const pdf = await lab.sign(original, { field: 'Signature' });
    expect(await pdfsig(pdf, '')).toMatchObject([{ field: 'Signature', ...VALID }]);
    expect(await pdfText(pdf, '')).toContain('Agreement');
    expect((await answerOn(pdf)).verdict).toBe('valid');
  },
);
