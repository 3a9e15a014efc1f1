import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { few, testInWhole } from '@scriptorium/testing/extent';
import {
  croppedPdf,
  crowdedPdf,
  formPdf,
  packedPdf,
  plainPdf,
  rotatedPdf,
  twofoldPdf,
} from '@scriptorium/testing/fixtures/pdf/documents';
import { mutoolVerdicts, pdfsig, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { pdfboxSignatures } from '@scriptorium/testing/judges/pdfbox';
import { type OpensslKey, opensslKey } from '@scriptorium/testing/openssl-signing';
import { signed } from './signing.ts';

let key: OpensslKey;
beforeAll(async () => {
  key = await opensslKey('Ada Signer');
});
afterAll(() => key.remove());

const VALID = 'Signature is Valid.';
const UNCHANGED = 'The document is unchanged since signing.';
const DOCUMENTS: Record<string, () => Buffer> = {
  'with a cross-reference table': plainPdf,
  'with a cross-reference stream and an object stream': packedPdf,
  'that is hybrid': twofoldPdf,
  'with a form': formPdf,
  'with a rotated page': () => rotatedPdf(90),
  'with a cropped page': croppedPdf,
  'of 100,000 objects': () => crowdedPdf(100_000),
};

describe('a signature on a document', () => {
  const names = Object.keys(DOCUMENTS);
  const originals = names.map((name) => DOCUMENTS[name]?.() ?? Buffer.alloc(0));
  const numbered = names.map((name, i) => [i, name] as const);
  const pdfs: Buffer[] = [];
  beforeAll(async () => {
    const statement = { name: 'Ada Signer', reason: 'Größe geprüft', location: 'Köln' };
    for (const original of originals) pdfs.push(await signed(original, key, statement));
  });

  test.each(numbered)('%i, %s, is in an update after the unchanged original bytes', (i) => {
    const original = originals[i] ?? Buffer.alloc(1);
    expect(pdfs[i]?.subarray(0, original.length).equals(original)).toBe(true);
  });

  test.each(few(numbered, 3))('%i, %s, is valid for poppler, qpdf and MuPDF', async (i) => {
    const pdf = pdfs[i] ?? Buffer.alloc(0);
    expect(await pdfsig(pdf)).toEqual([{ field: 'Signature1', validation: VALID, coversAll: true }]);
    expect(await qpdfComplaints(pdf)).toEqual([]);
    expect(await mutoolVerdicts(pdf)).toEqual([UNCHANGED]);
  });

  testInWhole('is valid for PDFBox and Bouncy Castle, which return its statement', async () => {
    const judged = await pdfboxSignatures(pdfs);
    expect(judged.map((signatures) => signatures.length)).toEqual(names.map(() => 1));
    for (const [signature] of judged) {
      expect(signature).toMatchObject({
        field: 'Signature1',
        subFilter: 'ETSI.CAdES.detached',
        name: 'Ada Signer',
        reason: 'Größe geprüft',
        location: 'Köln',
        date: '2026-03-04T05:06:07Z',
        problem: null,
        coversAll: true,
        widgets: 1,
      });
    }
  });
});
