import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { formBodies, onePage } from '@scriptorium/testing/fixtures/pdf/documents';

const stream = (keys: string, data: string): Buffer => streamBody(keys, Buffer.from(data, 'latin1'));

/** Returns the content of a text field of 150 × 20 points. */
export const fieldLook = (text: string): string => {
  const data = `/Tx BMC q BT /Helv 12 Tf 2 5 Td (${text}) Tj ET Q EMC`;
  const keys =
    '/Type/XObject/Subtype/Form/BBox[0 0 150 20]/Resources<</Font<</Helv<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>';
  return `<<${keys}/Length ${data.length}>>\nstream\n${data}\nendstream`;
};

/** Returns an opaque white rectangle of this size in points, as a form XObject. */
export const whiteLook = (width: number, height: number): string => {
  const data = `1 g 0 0 ${width} ${height} re f`;
  return `<</Type/XObject/Subtype/Form/BBox[0 0 ${width} ${height}]/Length ${data.length}>>\nstream\n${data}\nendstream`;
};

/** Returns a form XObject that shows a text on white. */
export const textLook = (text: string, width: number, height: number): string => {
  const data = `1 g 0 0 ${width} ${height} re f 0 g BT /F1 12 Tf 2 5 Td (${text}) Tj ET`;
  const keys = `/Type/XObject/Subtype/Form/BBox[0 0 ${width} ${height}]/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>`;
  return `<<${keys}/Length ${data.length}>>\nstream\n${data}\nendstream`;
};

/** Object numbers in the documents of `onePage` and `formBodies`. */
export const NUM = { catalog: 1, pages: 2, page: 3, content: 4, font: 5, name: 6, signature: 7 } as const;

/** A form whose field `Name` has its own appearance, object 8. */
export const lookedPdf = (): Buffer => {
  const bodies = [...formBodies()];
  bodies[5] = String(bodies[5]).replace('/F 4', '/F 4/AP<</N 8 0 R>>');
  return classicPdf([...bodies, fieldLook('Ada')]);
};

/** The page draws object 6, a form XObject that covers the text in white. */
export const coveredPdf = (): Buffer =>
  classicPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 400 600]>>',
    '<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/XObject<</X 6 0 R>>>>>>',
    stream('', 'BT /F1 12 Tf 50 500 Td (Ada owes Bob the moon) Tj ET q 1 0 0 1 40 490 cm /X Do Q'),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    whiteLook(300, 30),
  ]);

/** Objects 6 to 8 are another page with another text, and its catalog; nothing refers to them. */
export const twofacedPdf = (): Buffer =>
  classicPdf(
    onePage('', '', [
      '<</Type/Catalog/Pages 7 0 R>>',
      '<</Type/Pages/Kids[8 0 R]/Count 1/MediaBox[0 0 400 600]>>',
      '<</Type/Page/Parent 7 0 R/Contents 9 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
      stream('', 'BT /F1 12 Tf 50 500 Td (Ada owes Bob the moon) Tj ET'),
    ]),
  );

/** The text uses a font of ten drawn glyphs, `0` to `9`, in objects 10 to 19; it shows `100`. */
export function drawnFontPdf(): Buffer {
  const glyph = (width: number) => stream('', `500 0 0 0 500 700 d1 0 0 ${width} 700 re f`);
  const procs = Array.from({ length: 10 }, (_, digit) => `/d${digit} ${digit + 6} 0 R`).join('');
  const names = Array.from({ length: 10 }, (_, digit) => `/d${digit}`).join('');
  const font =
    `<</Type/Font/Subtype/Type3/FontBBox[0 0 500 700]/FontMatrix[.001 0 0 .001 0 0]/CharProcs<<${procs}>>` +
    `/Encoding<</Type/Encoding/Differences[48${names}]>>/FirstChar 48/LastChar 57/Widths[${'500 '.repeat(10)}]/Resources<<>>>>`;
  return classicPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 400 600]>>',
    '<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    stream('', 'BT /F1 12 Tf 50 500 Td (100) Tj ET'),
    font,
    ...Array.from({ length: 10 }, (_, digit) => glyph(50 * digit)),
  ]);
}

/** The page also draws the appearance of the field `Name`, object 8. */
export const sharedLookPdf = (): Buffer => {
  const bodies = [...formBodies()];
  bodies[2] = String(bodies[2]).replace('/Resources<<', '/Resources<</XObject<</X 8 0 R>>');
  bodies[3] = stream('', 'BT /F1 12 Tf 50 500 Td (Agreement) Tj ET q 1 0 0 1 50 450 cm /X Do Q');
  bodies[5] = String(bodies[5]).replace('/F 4', '/F 4/AP<</N 8 0 R>>');
  return classicPdf([...bodies, fieldLook('Ada')]);
};

/** Two pages; object 6 is the second one. */
export const twoPagesPdf = (): Buffer => {
  const bodies = [...onePage()];
  bodies[1] = '<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2/MediaBox[0 0 400 600]>>';
  return classicPdf([
    ...bodies,
    '<</Type/Page/Parent 2 0 R/Contents 7 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    stream('', 'BT /F1 12 Tf 50 500 Td (Annex) Tj ET'),
  ]);
};
