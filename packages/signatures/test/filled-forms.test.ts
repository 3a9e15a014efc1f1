import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fillForm } from '@scriptorium/pdf/forms';
import { certificateOf } from '@scriptorium/pki/certificates';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { pdfsig } from '@scriptorium/testing/judges/pdf';
import { type OpensslKey, opensslKey } from '@scriptorium/testing/openssl-signing';
import { verify } from '../src/face/verify.ts';
import type { PrepareOptions } from '../src/pades/prepare-signature.ts';
import { signed } from './signing.ts';

const WIDGET = '/Type/Annot/Subtype/Widget/F 4/P 3 0 R';
const LOOKS = '/AP<</N<</Yes 11 0 R/Off 11 0 R>>>>/AS/Off';
/** A form of each kind of field, whose font readers have. */
const FORM = classicPdf(
  onePage(
    '/Annots[7 0 R 8 0 R 9 0 R 10 0 R]',
    '/AcroForm<</Fields[7 0 R 8 0 R 9 0 R 10 0 R]/DA(/Helv 12 Tf 0 g)/DR<</Font<</Helv 6 0 R>>>>>>',
    [
      '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
      `<<${WIDGET}/FT/Tx/T(name)/Rect[50 400 200 420]>>`,
      `<<${WIDGET}/FT/Tx/T(note)/Ff ${1 << 12}/Rect[50 300 200 390]>>`,
      `<<${WIDGET}/FT/Btn/T(agree)/Rect[50 250 70 270]${LOOKS}>>`,
      `<<${WIDGET}/FT/Ch/T(land)/Ff ${1 << 17}/Opt[[(de)(Germany)][(fr)(France)]]/Rect[50 200 200 220]>>`,
      '<</Type/XObject/Subtype/Form/BBox[0 0 20 20]/Length 0>>\nstream\n\nendstream',
    ],
  ),
);
const VALUES = { name: 'Zoë (Ada)', note: 'two\nlines of text', agree: 'true', land: 'fr' };

let key: OpensslKey;
beforeAll(async () => {
  key = await opensslKey('Ada');
});
afterAll(() => key.remove());

const filled = (pdf: Buffer, values: Readonly<Record<string, string>>, flatten = false) =>
  fillForm(
    pdf,
    Object.entries(values).map(([name, value]) => ({ name, value })),
    { flatten, onUnmatched: () => undefined },
  ).bytes;

const certified = (options: Partial<PrepareOptions>) => signed(FORM, key, options);

const verified = (source: Buffer) =>
  verify(
    { source, verification: { trust: { anchors: [] }, revocation: 'none' } },
    {
      now: () => new Date(),
      service: [],
      anchors: () => [certificateOf(new X509Certificate(readFileSync(key.certificate)))],
      fetcher: { fetch: () => Promise.reject(new Error('nothing is fetched')) },
    },
  );

describe('a form that is filled after its certification', () => {
  test('keeps every byte, and its signature, which permits the values', async () => {
    const pdf = await certified({ certify: 'formFilling' });
    const bytes = filled(pdf, VALUES);
    expect(bytes.subarray(0, pdf.length).equals(pdf)).toBe(true);
    expect((await pdfsig(bytes)).map(({ validation }) => validation)).toEqual(['Signature is Valid.']);
    expect(await verified(bytes)).toMatchObject({
      documentModified: 'permitted',
      signatures: [{ indication: 'TOTAL_PASSED' }],
    });
  });

  test('is refused if the signature permits no changes, and flattening always', async () => {
    const locked = await certified({ certify: 'noChanges' });
    expect(() => filled(locked, VALUES)).toThrow(expect.objectContaining({ code: 'DOCUMENT_LOCKED' }));
    const signedOnly = await certified({});
    expect(() => filled(signedOnly, {}, true)).toThrow(expect.objectContaining({ code: 'DOCUMENT_LOCKED' }));
  });

  test('is refused for a locked field, by its entry, and filled beside it', async () => {
    const pdf = await certified({ lock: { action: 'include', fields: ['land'] } });
    expect(() => filled(pdf, VALUES)).toThrow(
      expect.objectContaining({
        code: 'DOCUMENT_LOCKED',
        issues: [{ entry: 3, part: 'id', issue: 'is locked by the signature in the field `Signature1`' }],
      }),
    );
    expect(await verified(filled(pdf, { name: 'Ada' }))).toMatchObject({ documentModified: 'permitted' });
  });

  test('is refused for letters that need another font, which a verifier would doubt', async () => {
    const pdf = await certified({ certify: 'formFilling' });
    expect(() => filled(pdf, { name: 'Ελένη' })).toThrow(/suit their fields/);
  });
});
