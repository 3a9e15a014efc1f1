import { beforeAll, describe, expect, test } from '@jest/globals';
import { classicPdf, xrefStreamPdf } from '@scriptorium/testing/fixtures/pdf/build';
import {
  formPdf,
  onePage,
  packedPdf,
  padded,
  plainPdf,
  twofoldPdf,
} from '@scriptorium/testing/fixtures/pdf/documents';
import { linearizedPdf } from '@scriptorium/testing/fixtures/pdf/programs';
import { earlierSignatures } from '../../src/pades/earlier-signatures.ts';
import { prepareDocumentTimestamp } from '../../src/pades/prepare-signature.ts';
import { readPdf } from '../../src/pades/read-pdf.ts';
import { addValidationData } from '../../src/pades/validation-data.ts';
import { prepared, RESERVE } from '../signing.ts';
import { edited, formXObject, historyOf, stream, verdicts } from './revisions.ts';

const signedOnce = async (pdf: Buffer, options = {}) => (await prepared(pdf, options)).bytes;
const timestamped = (pdf: Buffer) => prepareDocumentTimestamp(readPdf(pdf), RESERVE).bytes;
const withData = (pdf: Buffer, seed = 1) =>
  addValidationData(
    readPdf(pdf),
    earlierSignatures(readPdf(pdf)).map(({ contents }) => ({
      contents,
      data: { certificates: [Buffer.from([0x30, 1, seed])], ocsps: [Buffer.from([0x30, 2, seed])], crls: [] },
    })),
  );

/** A place in the empty middle of the page. */
const PLACE = { page: 1, rectangle: { x: 50, y: 200, width: 200, height: 60 }, text: 'Bob' };

describe('the differ permits', () => {
  test.each([
    ['a table', plainPdf],
    ['a stream', packedPdf],
    ['both', twofoldPdf],
    ['a table, after mail headers', () => padded(plainPdf())],
  ])('a second signature, in a file whose cross-references are %s', async (_, make) => {
    const signed = await signedOnce(make());
    expect(verdicts(signed, await signedOnce(signed))).toEqual(['permitted SIGNATURE_ADDED']);
  });

  test('a second signature in a linearized file', async () => {
    for (const kind of ['disable', 'generate'] as const) {
      const signed = await signedOnce(await linearizedPdf(kind));
      expect(verdicts(signed, await signedOnce(signed))).toEqual(['permitted SIGNATURE_ADDED']);
    }
  });

  test('a visible second signature in an empty place of a certified document', async () => {
    const signed = await signedOnce(plainPdf(), {
      certify: 'formFilling',
      appearance: { ...PLACE, text: 'Ada' },
    });
    const rectangle = { ...PLACE.rectangle, y: 300 };
    const later = await signedOnce(signed, { appearance: { ...PLACE, rectangle } });
    expect(verdicts(signed, later, { docMdp: 2, locks: [] })).toEqual(['permitted SIGNATURE_ADDED']);
  });

  test('the signature of an empty field, with its new look', async () => {
    const signed = await signedOnce(formPdf());
    const later = await signedOnce(signed, {
      field: 'Signature',
      appearance: PLACE,
      lock: { action: 'all' },
    });
    const [modification, ...rest] = historyOf(signed, later).step(2);
    expect(rest).toEqual([]);
    expect(modification).toMatchObject({ code: 'SIGNATURE_ADDED', object: '7 0', field: 'Signature' });
    expect(modification?.path).toMatch(/\/V$/);
  });

  test('repeated validation data and time-stamps, even if changes are forbidden', async () => {
    const signed = await signedOnce(packedPdf(), { certify: 'noChanges' });
    const files = [withData(signed)];
    for (const seed of [2, 3]) {
      files.push(timestamped(files.at(-1) ?? signed));
      files.push(withData(files.at(-1) ?? signed, seed));
    }
    expect(verdicts(signed, files, { docMdp: 1, locks: [{ by: 'x', action: 'All', fields: [] }] })).toEqual([
      'permitted DOCUMENT_TIMESTAMP',
      'permitted DOCUMENT_TIMESTAMP',
      'permitted VALIDATION_DATA',
      'permitted VALIDATION_DATA',
      'permitted VALIDATION_DATA',
    ]);
  });

  test('changed metadata, document information, version and extensions', async () => {
    const xmp = stream('/Type/Metadata/Subtype/XML', '<x/>');
    const signed = await signedOnce(
      classicPdf(onePage('', '/Metadata 6 0 R/Version/1.7', [xmp, '<</Title(A)>>']), '/Info 7 0 R'),
    );
    const later = edited(signed, ({ set, put }) => {
      put(6, stream('/Type/Metadata/Subtype/XML', '<y/>'));
      put(7, '<</Title(B)>>');
      set(1, { Version: '/2.0', Extensions: '<</ADBE<</BaseVersion/1.7/ExtensionLevel 8>>>>' });
    });
    expect(verdicts(signed, later)).toEqual(['permitted METADATA', 'permitted METADATA']);
    // The version and extensions may change even if all other changes are forbidden.
    expect(verdicts(signed, later, { docMdp: 1, locks: [] })).toEqual([
      'forbidden METADATA',
      'permitted METADATA',
    ]);
  });

  test('an added empty signature field', async () => {
    const signed = await signedOnce(formPdf());
    const later = edited(signed, ({ set, add }) => {
      const field = add('<</Type/Annot/Subtype/Widget/FT/Sig/T(Late)/F 4/Rect[50 200 250 260]/P 3 0 R>>');
      set(1, {
        AcroForm: `<</Fields[6 0 R 7 0 R 9 0 R ${field}]/SigFlags 3/DA(/Helv 12 Tf 0 g)/DR<</Font<</Helv 5 0 R>>>>>>`,
      });
      set(3, { Annots: `[6 0 R 7 0 R 9 0 R ${field}]` });
    });
    expect(verdicts(signed, later)).toEqual(['permitted SIGNATURE_FIELD_ADDED']);
  });

  test('an object that is written again with the same bytes', async () => {
    const signed = await signedOnce(plainPdf());
    expect(
      verdicts(
        signed,
        edited(signed, ({ document, put }) =>
          put(5, document.bytes.toString('latin1', ...span(document.bytes))),
        ),
      ),
    ).toEqual([]);
  });
});

/** The byte range of the font's dictionary. */
function span(bytes: Buffer): [number, number] {
  const start = bytes.indexOf('<</Type/Font');
  return [start, bytes.indexOf('>>', start) + 2];
}

const BUTTON = (text: string) => formXObject(`BT (${text}) Tj ET`);
/** 6 text, 7 check box, 8, 10 and 11 radio buttons, 9 list, 12 look of the text, 13 and 14 looks of buttons. */
const FIELDS = [
  '<</Type/Annot/Subtype/Widget/FT/Tx/T(Text)/V(old)/F 4/Rect[50 400 200 420]/P 3 0 R/AP<</N 12 0 R>>>>',
  '<</Type/Annot/Subtype/Widget/FT/Btn/T(Check)/V/Off/AS/Off/F 4/Rect[50 370 70 390]/P 3 0 R/AP<</N<</Yes 13 0 R/Off 14 0 R>>>>>>',
  '<</FT/Btn/T(Radio)/Ff 49152/V/Off/Kids[10 0 R 11 0 R]>>',
  '<</Type/Annot/Subtype/Widget/FT/Ch/T(List)/Opt[(a)(b)]/F 4/Rect[50 340 200 360]/P 3 0 R>>',
  '<</Type/Annot/Subtype/Widget/Parent 8 0 R/AS/Off/F 4/Rect[50 310 70 330]/P 3 0 R/AP<</N<</1 13 0 R/Off 14 0 R>>>>>>',
  '<</Type/Annot/Subtype/Widget/Parent 8 0 R/AS/Off/F 4/Rect[80 310 100 330]/P 3 0 R/AP<</N<</2 13 0 R/Off 14 0 R>>>>>>',
  formXObject('/Tx BMC q BT /Helv 12 Tf 2 5 Td (old) Tj ET Q EMC', '/Font<</Helv 5 0 R>>'),
  BUTTON('x'),
  BUTTON(''),
];
const fieldsPdf = (make = classicPdf) =>
  make(
    onePage(
      '/Annots[6 0 R 7 0 R 9 0 R 10 0 R 11 0 R]',
      '/AcroForm<</Fields[6 0 R 7 0 R 8 0 R 9 0 R]/DA(/Helv 12 Tf 0 g)/DR<</Font<</Helv 5 0 R>>>>>>',
      FIELDS,
    ),
  );

describe.each([
  ['table', classicPdf],
  ['stream', xrefStreamPdf],
])('fields of a signed form, in a file with a cross-reference %s,', (_, make) => {
  let signed: Buffer;
  beforeAll(async () => {
    signed = await signedOnce(fieldsPdf(make));
  });

  test('may be filled in: text, check box, radio button and list', () => {
    const later = edited(signed, ({ set, add }) => {
      const look = add(
        formXObject('/Tx BMC q BT /Helv 12 Tf 2 5 Td (new) Tj ET Q EMC', '/Font<</Helv 5 0 R>>'),
      );
      set(6, { V: '(new)', AP: `<</N ${look}>>` });
      set(7, { V: '/Yes', AS: '/Yes' });
      set(8, { V: '/2' });
      set(11, { AS: '/2' });
      const choice = add(formXObject('BT /Helv 12 Tf (b) Tj ET', '/Font<</Helv 5 0 R>>'));
      set(9, { V: '(b)', I: '[1]', AP: `<</N ${choice}>>` });
    });
    const all = historyOf(signed, later).step(2);
    expect(new Set(all.map(({ code, level }) => `${level} ${code}`))).toEqual(
      new Set(['permitted FIELD_VALUE']),
    );
    expect(new Set(all.map(({ field }) => field))).toEqual(new Set(['Text', 'Check', 'Radio', 'List']));
  });

  test('may be filled in by overwriting the old look', () => {
    const later = edited(signed, ({ set, put }) => {
      set(6, { V: '(new)' });
      put(12, formXObject('/Tx BMC q BT /Helv 12 Tf 2 5 Td (new) Tj ET Q EMC', '/Font<</Helv 5 0 R>>'));
    });
    expect(verdicts(signed, later)).toEqual(['permitted FIELD_VALUE']);
  });

  test('may be locked when they are filled in', () => {
    const later = edited(signed, ({ set, add }) => {
      const look = add(formXObject('BT /Helv 12 Tf (new) Tj ET', '/Font<</Helv 5 0 R>>'));
      set(6, { V: '(new)', Ff: '1', F: '132', AP: `<</N ${look}>>` });
    });
    expect(verdicts(signed, later)).toEqual([
      'permitted FIELD_CHANGED',
      'permitted FIELD_CHANGED',
      'permitted FIELD_VALUE',
    ]);
  });

  test('are doubtful if they were redrawn with the same text', () => {
    const look = formXObject('q BT /Helv 11 Tf 2 6 Td (old) Tj ET Q', '/Font<</Helv 5 0 R>>');
    expect(
      verdicts(
        signed,
        edited(signed, ({ put }) => put(12, look)),
      ),
    ).toEqual(['doubtful FIELD_APPEARANCE']);
  });
});

describe('an annotation, if annotations are permitted,', () => {
  const note = '<</Type/Annot/Subtype/Text/Rect[300 300 320 320]/Contents(Note)/P 3 0 R>>';
  const plain = edited(classicPdf(onePage('/Annots[]')), () => undefined);

  test.each([
    ['a note', note, undefined],
    [
      'a highlight of an empty place',
      '<</Type/Annot/Subtype/Highlight/Rect[50 95 110 112]/QuadPoints[50 112 110 112 50 95 110 95]>>',
      '1 1 0 rg 0 0 60 17 re f',
    ],
    [
      'a link to a page',
      '<</Type/Annot/Subtype/Link/Rect[50 495 110 512]/A<</S/GoTo/D[3 0 R/Fit]>>/Border[0 0 0]>>',
      undefined,
    ],
    [
      'a text box in an empty place',
      '<</Type/Annot/Subtype/FreeText/Rect[50 200 110 220]/DA(/F1 12 Tf)/Contents(Hm)>>',
      'BT /F1 12 Tf 2 5 Td (Hm) Tj ET',
    ],
    ['a frame around text', '<</Type/Annot/Subtype/Square/Rect[40 480 150 520]>>', '1 1 108 38 re S'],
  ])('is permitted: %s', (_, body, look) => {
    const later = edited(plain, ({ set, add }) => {
      const appearance = look === undefined ? '' : `/AP<</N ${add(formXObject(look))}>>`;
      set(3, { Annots: `[${add(body.replace(/>>$/, `${appearance}>>`))}]` });
    });
    expect(verdicts(plain, later)).toEqual(['permitted ANNOTATION_ADDED']);
    expect(verdicts(plain, later, { docMdp: 3, locks: [] })).toEqual(['permitted ANNOTATION_ADDED']);
    expect(verdicts(plain, later, { docMdp: 2, locks: [] })).toEqual(['forbidden ANNOTATION_ADDED']);
  });

  test('may be changed, answered and removed again', () => {
    const first = edited(plain, ({ set, add }) => set(3, { Annots: `[${add(note)}]` }));
    const second = edited(first, ({ set, add }) => {
      set(6, { Contents: '(Other)', M: '(D:20260101)' });
      set(3, {
        Annots: `[6 0 R ${add('<</Type/Annot/Subtype/Popup/Parent 6 0 R/Rect[320 300 380 360]>>')}]`,
      });
    });
    const third = edited(second, ({ set }) => set(3, { Annots: '[7 0 R]' }));
    expect(verdicts(plain, [first, second, third])).toEqual([
      'permitted ANNOTATION_ADDED',
      'permitted ANNOTATION_ADDED',
      'permitted ANNOTATION_CHANGED',
      'permitted ANNOTATION_REMOVED',
    ]);
  });
});
