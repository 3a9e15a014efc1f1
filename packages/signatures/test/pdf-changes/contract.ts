import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { prepared } from '../signing.ts';
import { formXObject, stream } from './revisions.ts';

/** Prepares a signed file without a signature value, which these tests do not need. */
export const signedOnce = async (pdf: Buffer, options = {}): Promise<Buffer> =>
  (await prepared(pdf, options)).bytes;

export const SCRIPT = '<</S/JavaScript/JS(app.alert\\(1\\))>>';
export const IMAGE = stream(
  '/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray',
  'x',
);

/**
 * 1 catalog, 2 pages, 3 page, 4 content, 5 font, 6 text field, 7 empty signature field, 8 image, 9 look of the text field. 10
 * free page, 11 other content, 12 other font, 13 stamp over the text, 14 read-only field, 15 push button. Page 3 also refers to
 * the missing object 40.
 */
export const bodies = () => {
  const all = [
    ...onePage('', '', [
      '<</Type/Annot/Subtype/Widget/FT/Tx/T(Name)/V(Ada)/DA(/Helv 12 Tf 0 g)/F 4/Rect[50 400 200 420]/P 3 0 R/AP<</N 9 0 R>>>>',
      '<</Type/Annot/Subtype/Widget/FT/Sig/T(Signature)/F 4/Rect[50 100 250 160]/P 3 0 R>>',
      IMAGE,
      formXObject('BT /F1 12 Tf 2 5 Td (Ada) Tj ET', '/Font<</F1 5 0 R>>'),
      '<</Type/Page/Parent 2 0 R/Contents 11 0 R>>',
      stream('', 'BT /F1 12 Tf 50 500 Td (Another text) Tj ET'),
      '<</Type/Font/Subtype/Type1/BaseFont/Courier>>',
      '<</Type/Annot/Subtype/Square/IC[1 1 1]/Rect[40 480 150 520]/P 3 0 R>>',
      '<</Type/Annot/Subtype/Widget/FT/Tx/T(Fixed)/Ff 1/V(1)/F 4/Rect[50 430 200 450]/P 3 0 R>>',
      '<</Type/Annot/Subtype/Widget/FT/Btn/T(Push)/Ff 65536/F 4/Rect[50 460 200 475]/P 3 0 R>>',
    ]),
  ];
  all[0] = '<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R 7 0 R 14 0 R 15 0 R]>>>>';
  all[1] = '<</Type/Pages/Kids[3 0 R 10 0 R]/Count 2/MediaBox[0 0 400 600]>>';
  all[2] =
    '<</Type/Page/Parent 2 0 R/Contents[4 0 R 40 0 R]/Resources<</Font<</F1 5 0 R>>/XObject<</I 8 0 R>>>>/Annots[6 0 R 7 0 R 13 0 R 14 0 R 15 0 R]>>';
  return all;
};

export const forged = stream('', 'BT /F1 12 Tf 50 500 Td (Agreement to nothing) Tj ET');

/** Pads the file so that the signature is 18 and its field 19, as in the file with object streams. */
export const filled = (all: ReturnType<typeof bodies>) => classicPdf([...all, '<<>>', '<<>>']);
