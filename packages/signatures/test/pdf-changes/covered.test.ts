import { deflateSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { formPdf, onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { pngOf } from '@scriptorium/testing/fixtures/picture';
import { ascii85 } from './ascii85.ts';
import { IMAGE, signedOnce } from './contract.ts';
import { edited, formXObject, stream, verdicts } from './revisions.ts';

const FONTS = '/Resources<</Font<</F1 5 0 R>>/XObject<</Im 6 0 R/Fm 7 0 R>>>>';
const WIDE = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 32/Widths[278]>>';

/** A page of 400 × 600 points with this content. */
function pageWith(content: Buffer, form = '') {
  const all = [...onePage('', '', [IMAGE, formXObject(form, '/Font<</F1 5 0 R>>'), WIDE])];
  all[2] = `<</Type/Page/Parent 2 0 R/Contents 4 0 R${FONTS}/Annots[]>>`;
  all[3] = content;
  return classicPdf(all);
}
const showing = (content: string, form = '') => pageWith(stream('', content), form);

/** The changes by a second signature at this box, in points from the lower left corner. */
async function signedOver(pdf: Buffer, [x, y, width, height]: readonly number[]): Promise<string[]> {
  const rectangle = { x: x ?? 0, y: y ?? 0, width: width ?? 0, height: height ?? 0 };
  return verdicts(pdf, await signedOnce(pdf, { appearance: { page: 1, rectangle, text: 'Bob' } }));
}

const SCRAWL = `60 220 m ${Array.from({ length: 24 }, (_, at) => `${60 + at * 4} ${225 + (at % 3) * 8} ${62 + at * 4} 215 ${64 + at * 4} 220 c`).join(' ')} S`;
const COVERED = ['doubtful CONTENT_COVERED', 'permitted SIGNATURE_ADDED'];
const CLEAR = ['permitted SIGNATURE_ADDED'];
const AT = [50, 200, 150, 50];

describe('an added visible signature', () => {
  test.each([
    ['text', 'BT /F1 12 Tf 60 220 Td (Agreement) Tj ET'],
    ['text placed by a matrix', 'BT /F1 1 Tf 12 0 0 12 60 220 Tm [(Agree) -20 (ment)] TJ ET'],
    [
      'text in a separate coordinate system',
      'q .5 0 0 .5 0 0 cm BT /F1 24 Tf 120 440 Td (Agreement) Tj ET Q',
    ],
    [
      'a later line of text',
      "BT /F1 12 Tf 14 TL 60 300 Td (One) Tj (Two) ' (Three) ' (Four) ' (Five) ' (Six) ' ET",
    ],
    ['rotated text', 'BT /F1 12 Tf 0 1 -1 0 100 150 Tm (Agreement of parties) Tj ET'],
    [
      'the end of a long line',
      'BT /F1 12 Tf -250 220 Td (The parties agree upon all of the following terms, and more) Tj ET',
    ],
    [
      'a letter drawn as a path',
      '60 220 m 60 226 65 230 70 230 c 75 230 80 226 80 220 c 80 214 75 210 70 210 c 65 210 60 214 60 220 c f',
    ],
    ['a signature converted to paths', SCRAWL],
    ['text within a form', 'q 1 0 0 1 60 220 cm /Fm Do Q'],
  ])('is doubtful over %s', async (_, content) => {
    expect(await signedOver(showing(content, 'BT /F1 12 Tf (Agreement) Tj ET'), AT)).toEqual(COVERED);
  });

  test.each([
    ['nothing', ''],
    ['text above and below', 'BT /F1 12 Tf 60 255 Td (Above) Tj 0 -70 Td (Below) Tj ET'],
    ['text beside it', 'BT /F1 12 Tf 205 220 Td (Beside) Tj ET'],
    ['a line of underscores', 'BT /F1 12 Tf 50 215 Td (________________) Tj ET'],
    ['a line of dots with any code', 'BT /F1 12 Tf 50 225 Td <0202020202020202> Tj ET'],
    ['a drawn line', '50 210 m 200 210 l S'],
    ['the caption below it', 'BT /F1 8 Tf 60 202 Td (Signature of the buyer) Tj ET'],
    ['a colored area', '.9 g 0 0 400 600 re f'],
    [
      'a box with round corners',
      '.9 g 60 200 m 190 200 l 195 200 200 205 200 210 c 200 240 l 200 245 195 250 190 250 c 60 250 l 55 250 50 245 50 240 c 50 210 l 50 205 55 200 60 200 c f',
    ],
    ['a shape that only clips', 'q 60 220 m 60 226 65 230 70 230 c 75 230 80 226 80 220 c W n Q'],
    ['a scanned page, which text does not hide', 'q 400 0 0 600 0 0 cm /Im Do Q'],
  ])('is permitted over %s', async (_, content) => {
    expect(await signedOver(showing(content), AT)).toEqual(CLEAR);
  });

  test('is doubtful over unreadable content', async () => {
    const pdf = pageWith(stream('/Filter/LZWDecode', 'x'));
    expect(await signedOver(pdf, AT)).toEqual(COVERED);
  });

  test('is judged by the decoded content', async () => {
    const packed = deflateSync(Buffer.from('BT /F1 12 Tf 60 220 Td (Agreement) Tj ET'));
    const pdfs = [
      pageWith(streamBody('/Filter/FlateDecode', packed)),
      pageWith(streamBody('/Filter[/ASCII85Decode/FlateDecode]', ascii85(packed))),
      pageWith(
        streamBody(
          '/Filter[/ASCIIHexDecode]',
          Buffer.from(`${Buffer.from('BT /F1 12 Tf 60 220 Td (Agreement) Tj ET').toString('hex')}>`),
        ),
      ),
    ];
    for (const pdf of pdfs) {
      expect(await signedOver(pdf, AT)).toEqual(COVERED);
      expect(await signedOver(pdf, [50, 300, 150, 50])).toEqual(CLEAR);
    }
  });

  test('is doubtful over the value of a field', async () => {
    expect(await signedOver(formPdf(), [60, 390, 100, 40])).toEqual(COVERED);
  });

  test('is doubtful over another signature', async () => {
    const appearance = { page: 1, rectangle: { x: 50, y: 200, width: 100, height: 50 }, text: 'Ada' };
    const signed = await signedOnce(showing(''), { appearance });
    expect(await signedOver(signed, [100, 220, 100, 50])).toEqual(COVERED);
    expect(await signedOver(signed, [160, 200, 100, 50])).toEqual(CLEAR);
  });
});

const TEXT = 'BT /F1 12 Tf 60 220 Td (Agreement) Tj ET';
const annotated = (pdf: Buffer, kind: string, look?: string | Buffer) =>
  edited(pdf, ({ set, add }) => {
    const appearance = look === undefined ? '' : `/AP<</N ${add(look)}>>`;
    set(3, { Annots: `[${add(`<</Type/Annot/Subtype${kind}/Rect[50 210 200 240]${appearance}>>`)}]` });
  });
/** The icon of a note as readers draw it: a round balloon with lines. */
const BALLOON = formXObject(
  '1 w 10 2 m 14.4 2 18 5.6 18 10 c 18 14.4 14.4 18 10 18 c 5.6 18 2 14.4 2 10 c 2 5.6 5.6 2 10 2 c s 6 11 m 14 11 l S',
);
const BLENDED = formXObject('/G gs 1 1 0 rg 0 0 9 9 re f', '/ExtGState<</G<</BM/Multiply>>>>');

describe('an annotation over text', () => {
  test.each([
    ['a text box', '/FreeText', undefined],
    ['a stamp', '/Stamp', formXObject('1 g 0 0 9 9 re f')],
    ['a filled square', '/Square/IC[1 1 1]', undefined],
    ['a highlight that shows text', '/Highlight', formXObject('BT /F1 12 Tf (Disagreement) Tj ET')],
    ['a highlight that hides', '/Highlight', formXObject('1 g 0 0 9 9 re f')],
    ['a frame without an appearance', '/Square', undefined],
    ['ink without an appearance', '/Ink/InkList[[0 225 300 225]]/BS<</W 12>>', undefined],
    ['a line', '/Line/L[60 225 120 225]', undefined],
    ['a polygon', '/Polygon/Vertices[60 220 120 220 120 230 60 230]', undefined],
    [
      'a highlight in the default color of the reader',
      '/Highlight/QuadPoints[60 240 200 240 60 210 200 210]',
      undefined,
    ],
    ['a line through it', '/StrikeOut/QuadPoints[60 240 200 240 60 210 200 210]', undefined],
  ])('is doubtful if it is %s', (_, kind, look) => {
    const pdf = showing(TEXT);
    expect(verdicts(pdf, annotated(pdf, kind, look))).toEqual([
      'doubtful CONTENT_COVERED',
      'permitted ANNOTATION_ADDED',
    ]);
  });

  test.each([
    ['a blended highlight', '/Highlight', BLENDED],
    [
      'a line below it',
      '/Underline/QuadPoints[60 240 200 240 60 210 200 210]',
      formXObject('0 1 m 200 1 l S'),
    ],
    ['a popup', '/Popup', undefined],
    ['a note with a round icon', '/Text', BALLOON],
    ['a frame', '/Square', formXObject('0 0 9 9 re S')],
    ['an empty stamp', '/Stamp', formXObject('')],
    ['a hidden text box', '/FreeText/F 2', undefined],
  ])('is permitted: %s', (_, kind, look) => {
    const pdf = showing(TEXT);
    expect(verdicts(pdf, annotated(pdf, kind, look))).toEqual(['permitted ANNOTATION_ADDED']);
  });

  test('is doubtful if it draws outside its rectangle', () => {
    const pdf = showing(TEXT);
    const ink = '<</Type/Annot/Subtype/Ink/InkList[[60 225 110 225]]/Rect[300 300 310 310]>>';
    const later = edited(pdf, ({ set, add }) => set(3, { Annots: `[${add(ink)}]` }));
    expect(verdicts(pdf, later)).toEqual(['doubtful CONTENT_COVERED', 'permitted ANNOTATION_ADDED']);
  });

  test('may be removed if it is a note and the certification permits annotations', () => {
    const pdf = annotated(showing(TEXT), '/Text', BALLOON);
    const without = edited(pdf, ({ set }) => set(3, { Annots: '[]' }));
    expect(verdicts(pdf, without, { docMdp: 3, locks: [] })).toEqual(['permitted ANNOTATION_REMOVED']);
    expect(verdicts(pdf, without)).toEqual(['doubtful ANNOTATION_REMOVED']);
  });

  test('is doubtful to remove or hide after signing', () => {
    const pdf = annotated(showing(TEXT), '/Square/IC[1 1 1]');
    expect(
      verdicts(
        pdf,
        edited(pdf, ({ set }) => set(3, { Annots: '[]' })),
      ),
    ).toEqual(['doubtful ANNOTATION_REMOVED']);
    expect(
      verdicts(
        pdf,
        edited(pdf, ({ set }) => set(9, { F: '2' })),
      ),
    ).toEqual(['doubtful ANNOTATION_CHANGED']);
  });

  test('is doubtful if it was moved there', () => {
    const pdf = edited(showing(TEXT), ({ set, add }) =>
      set(3, { Annots: `[${add('<</Type/Annot/Subtype/FreeText/Rect[50 310 200 340]>>')}]` }),
    );
    const later = edited(pdf, ({ set }) => set(9, { Rect: '[50 210 200 240]' }));
    expect(verdicts(pdf, later)).toEqual(['doubtful ANNOTATION_CHANGED', 'doubtful CONTENT_COVERED']);
  });
});

describe('a field over text', () => {
  const prepared = (keys: string) =>
    classicPdf(
      onePage('/Annots[6 0 R]', '/AcroForm<</Fields[6 0 R]>>', [
        `<</Type/Annot/Subtype/Widget/T(Trap)/F 4/Rect[40 490 200 520]/P 3 0 R${keys}>>`,
      ]),
    );
  const filled = (pdf: Buffer, content: string) =>
    edited(pdf, ({ set, add }) => {
      const look = add(formXObject(content, '/Font<</F1 5 0 R>>'));
      set(6, { V: '(x)', AP: `<</N ${look}>>` });
    });

  test('is doubtful if its new value paints over the text', () => {
    const pdf = prepared('/FT/Tx');
    expect(verdicts(pdf, filled(pdf, '1 g 0 0 160 30 re f 0 g BT /F1 12 Tf (x) Tj ET'))).toEqual([
      'doubtful CONTENT_COVERED',
      'permitted FIELD_VALUE',
    ]);
  });

  test('is permitted if its new value does not paint, or if it painted before', () => {
    const pdf = prepared('/FT/Tx');
    const once = filled(pdf, 'BT /F1 12 Tf (x) Tj ET');
    expect(verdicts(pdf, once)).toEqual(['permitted FIELD_VALUE']);
    const painted = filled(pdf, '1 g 0 0 160 30 re f');
    const again = edited(painted, ({ set, add }) =>
      set(6, {
        V: '(y)',
        AP: `<</N ${add(formXObject('1 g 0 0 160 30 re f 0 g BT /F1 12 Tf (y) Tj ET', '/Font<</F1 5 0 R>>'))}>>`,
      }),
    );
    expect(verdicts(painted, again)).toEqual(['permitted FIELD_VALUE']);
  });

  test('is doubtful without the look that concealed it: pdf.js paints no ground of its own', () => {
    const bare = (look: string) => {
      const pdf = filled(prepared('/FT/Tx/MK<</BG[1]>>'), look);
      return verdicts(
        pdf,
        edited(pdf, ({ set }) => set(6, { V: '(y)', AP: undefined })),
      );
    };
    expect(bare('1 g 0 0 160 30 re f')).toEqual(['doubtful CONTENT_COVERED', 'permitted FIELD_VALUE']);
    expect(bare('')).toEqual(['permitted FIELD_VALUE']);
  });

  test('is doubtful if signed with a picture, and permitted if signed with text', async () => {
    const pdf = prepared('/FT/Sig');
    const place = { page: 1, rectangle: { x: 0, y: 0, width: 9, height: 9 } };
    const drawn = { ...place, image: pngOf(4, 4, () => ({ red: 0, green: 0, blue: 0, alpha: 255 })) };
    expect(verdicts(pdf, await signedOnce(pdf, { field: 'Trap', appearance: drawn }))).toEqual(COVERED);
    const words = { ...place, text: 'Bob' };
    expect(verdicts(pdf, await signedOnce(pdf, { field: 'Trap', appearance: words }))).toEqual(CLEAR);
  });

  test('is forbidden if painted over after it was signed', async () => {
    const signed = await signedOnce(prepared('/FT/Sig'), { field: 'Trap' });
    const painted = edited(signed, ({ set, add }) =>
      set(6, { AP: `<</N ${add(formXObject('1 g 0 0 160 30 re f'))}>>` }),
    );
    expect(verdicts(signed, painted)).toEqual(['forbidden FIELD_APPEARANCE']);
  });

  test.each([
    ['a frame of its own crosses it', '/T(New)/Rect[40 440 200 505]/MK<</BC[1 0 0]>>/BS<</W 1/S/U>>'],
    ['it has a ground of its own', '/T(New)/Rect[40 503 200 560]/MK<</BG[1 1 1]>>'],
    ['the tab that MuPDF draws lies on it', '/T(New)/Rect[40 440 200 505]'],
  ])('is doubtful if it waits for a signature, and %s', async (_, keys) => {
    const signed = await signedOnce(prepared('/FT/Sig'), { field: 'Trap' });
    const later = (field: string) =>
      edited(signed, ({ set, add }) => {
        const widget = add(`<</Type/Annot/Subtype/Widget/FT/Sig/F 4/P 3 0 R${field}>>`);
        set(3, { Annots: `[6 0 R ${widget}]` });
        set(1, { AcroForm: `<</Fields[6 0 R ${widget}]/SigFlags 3>>` });
      });
    expect(verdicts(signed, later(keys))).toEqual([
      'doubtful CONTENT_COVERED',
      'permitted SIGNATURE_FIELD_ADDED',
    ]);
    const below = keys.replace(/Rect.*?]/, 'Rect[40 340 200 405]');
    expect(verdicts(signed, later(below))).toEqual(['permitted SIGNATURE_FIELD_ADDED']);
  });
});
