import { describe, expect, test } from '@jest/globals';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { type Edit, edited, verdicts } from './revisions.ts';

/** The text of this page is between 50 and 110 points from the left, and 500 and 512 points from below. */
const pdf = (pageKeys = '') => classicPdf(onePage(`/Annots[]${pageKeys}`, '/AcroForm<</Fields[]>>'));
const WHITE = '1 g 0 0 400 600 re f';
const form = (content: string, keys = '') =>
  streamBody(`/Subtype/Form/BBox[0 0 60 20]${keys}`, Buffer.from(content));
const DOUBTFUL = 'doubtful CONTENT_COVERED';

const noted = (keys: string | ((edit: Edit) => string), pageKeys = '') => {
  const signed = pdf(pageKeys);
  const later = edited(signed, (edit) => {
    const own = typeof keys === 'string' ? keys : keys(edit);
    edit.set(3, { Annots: `[${edit.add(`<</Type/Annot/P 3 0 R${own}>>`)}]` });
  });
  return verdicts(signed, later);
};
const stamp = (look: Buffer) => (edit: Edit) =>
  `/Subtype/Stamp/F 4/Rect[60 200 120 220]/AP<</N ${edit.add(look)}>>`;

/** Behind a state that was not saved, pdf.js draws in the space of the page: over all of it. */
describe('a look is doubtful anywhere if it restores a state that it did not save', () => {
  test.each<[string, (edit: Edit) => string]>([
    ['itself', stamp(form(`Q Q ${WHITE}`))],
    ['by operators without space between them', stamp(form(`QQ ${WHITE}`))],
    ['by an operator behind a number', stamp(form(`1Q ${WHITE}`))],
    ['behind an image that ends elsewhere for others', stamp(form(`q BI /W 1 ID xEI Q Q ${WHITE} EI Q`))],
    ['after too many saved ones', stamp(form(`${'q '.repeat(600)}${'Q '.repeat(602)}${WHITE}`))],
    [
      'in a form within it',
      (edit) => stamp(form('/X Do', `/Resources<</XObject<</X ${edit.add(form(`Q ${WHITE}`))}>>>>`))(edit),
    ],
    [
      'in the group of a mask',
      (edit) => {
        const mask = `<</S/Luminosity/G ${edit.add(form(`Q ${WHITE}`, '/Group<</S/Transparency>>'))}>>`;
        return stamp(form('/G gs', `/Resources<</ExtGState<</G<</SMask ${mask}>>>>>>`))(edit);
      },
    ],
  ])('%s', (_, make) => {
    expect(noted(make)).toEqual([DOUBTFUL, 'permitted ANNOTATION_ADDED']);
    expect(noted(stamp(form(`q Q ${WHITE}`)))).toEqual(['permitted ANNOTATION_ADDED']);
  });
});

test.each([
  ['leaves content of a layer open: Poppler hides the annotations behind it', '', '/OC /L BDC'],
  ['is in another file', '/F(other)', ''],
  ['is a page of another file', '/Ref<</F(other)/Page 0>>', ''],
  ['has an encryption of its own: readers differ in what they decrypt', '/Filter[/Crypt]', ''],
])('a look is doubtful anywhere if it %s', (_, keys, content) => {
  expect(noted(stamp(form(content, keys)))).toEqual([DOUBTFUL, 'permitted ANNOTATION_ADDED']);
});

test('a note is doubtful if its look has no plain box: pdf.js draws all of it', () => {
  const look = (box: string) => (edit: Edit) =>
    `/Subtype/Popup/F 4/Rect[50 490 110 520]/AP<</N ${edit.add(streamBody(`/Subtype/Form${box}`, Buffer.from(WHITE)))}>>`;
  expect(noted(look('/BBox[0 0 60]'))).toEqual([DOUBTFUL, 'permitted ANNOTATION_ADDED']);
  expect(noted(look('/BBox[0 0 0 0]'))).toEqual(['permitted ANNOTATION_ADDED']);
});

test('a note over text is doubtful if it draws what it does not have: Poppler takes it from the page', () => {
  const look = (edit: Edit) =>
    `/Subtype/Link/F 4/Rect[50 490 110 520]/AP<</N ${edit.add(form('60 0 0 20 0 0 cm /Image Do'))}>>`;
  expect(noted(look)).toEqual([DOUBTFUL, 'permitted ANNOTATION_ADDED']);
});

test('a link is doubtful if its frame crosses text: Poppler draws that in spite of a look', () => {
  const link = (foot: number) => (edit: Edit) =>
    `/Subtype/Link/F 4/Rect[45 ${foot} 245 520]/AP<</N ${edit.add(form(''))}>>`;
  expect(noted(link(504))).toEqual([DOUBTFUL, 'permitted ANNOTATION_ADDED']);
  expect(noted(link(490))).toEqual(['permitted ANNOTATION_ADDED']);
});

test('a link over a signed link is doubtful: it leads elsewhere', () => {
  const link = (keys: string) => `<</Type/Annot/Subtype/Link/F 4/Border[0 0 0]${keys}>>`;
  const signed = edited(pdf(), ({ set, add }) =>
    set(3, { Annots: `[${add(link('/Rect[50 300 150 320]/A<</S/URI/URI(https://example.org)>>'))}]` }),
  );
  const linked = (left: number) =>
    edited(signed, ({ set, add }) => {
      const later = add(link(`/Rect[${left} 310 ${left + 60} 330]/Dest[3 0 R/Fit]`));
      set(3, { Annots: `[6 0 R ${later}]` });
    });
  expect(verdicts(signed, linked(100))).toEqual([DOUBTFUL, 'permitted ANNOTATION_ADDED']);
  expect(verdicts(signed, linked(150))).toEqual(['permitted ANNOTATION_ADDED']);
});

test('a note is doubtful if its rectangle lacks numbers: MuPDF draws its icon at some place', () => {
  expect(noted('/Subtype/Text/F 4/Rect[60 200]')).toEqual([DOUBTFUL, 'permitted ANNOTATION_ADDED']);
});

test('a comment with looks by state is doubtful: readers draw their own where its coordinates say', () => {
  const keys =
    '/Subtype/Highlight/F 4/Rect[60 200 120 220]/QuadPoints[50 512 110 512 50 500 110 500]/AP<</N<<>>>>';
  expect(noted(keys)).toEqual([DOUBTFUL, 'permitted ANNOTATION_ADDED']);
});

describe('on a page that is turned, a note that does not turn', () => {
  test.each([
    ['has its icon beside its rectangle', '/Subtype/Text/F 4/Rect[50 466 74 490]'],
    [
      'has its look beside its rectangle',
      (edit: Edit) => `/Subtype/Stamp/F 20/Rect[50 440 110 480]/AP<</N ${edit.add(form(WHITE))}>>`,
    ],
  ])('%s', (_, keys) => {
    expect(noted(keys, '/Rotate 90')).toEqual([DOUBTFUL, 'permitted ANNOTATION_ADDED']);
    expect(noted(keys)).toEqual(['permitted ANNOTATION_ADDED']);
  });
});

/** MuPDF draws a field that waits for a signature itself, and over the whole page if it has no rectangle. */
describe('a new field for a signature without a look', () => {
  test.each([
    ['is doubtful if text lies at its foot', '/Rect[50 499 110 560]', [DOUBTFUL]],
    ['is doubtful without a rectangle', '', [DOUBTFUL]],
    ['is permitted without an area', '/Rect[0 0 0 0]', []],
    ['is permitted over nothing', '/Rect[60 200 120 220]', []],
  ])('%s', (_, keys, doubts) => {
    const signed = pdf();
    const later = edited(signed, ({ set, add }) => {
      const field = add(`<</Type/Annot/Subtype/Widget/FT/Sig/T(New)/F 4/P 3 0 R${keys}>>`);
      set(1, { AcroForm: `<</Fields[${field}]>>` });
      set(3, { Annots: `[${field}]` });
    });
    expect(verdicts(signed, later)).toEqual([...doubts, 'permitted SIGNATURE_FIELD_ADDED']);
  });
});

test.each([
  ['is permitted in a font of all readers', '/Subtype/Type1/BaseFont/Helvetica', ['permitted FIELD_VALUE']],
  [
    'is doubtful in a font without a name',
    '/Subtype/Type1',
    ['doubtful FIELD_APPEARANCE', 'permitted FIELD_VALUE'],
  ],
  [
    'is doubtful in a font without a type',
    '/BaseFont/Helvetica',
    ['doubtful FIELD_APPEARANCE', 'permitted FIELD_VALUE'],
  ],
])('a value %s: pdf.js shows nothing in another', (_, font, expected) => {
  const field = '<</Type/Annot/Subtype/Widget/FT/Tx/T(Name)/F 4/Rect[60 200 120 220]/P 3 0 R>>';
  const signed = classicPdf(onePage('/Annots[6 0 R]', '/AcroForm<</Fields[6 0 R]>>', [field]));
  const later = edited(signed, ({ set, add }) => {
    const resources = `/Resources<</Font<</F <</Type/Font${font}>>>>>>`;
    set(6, { V: '(200)', AP: `<</N ${add(form('BT /F 12 Tf 2 5 Td (200) Tj ET', resources))}>>` });
  });
  expect([...new Set(verdicts(signed, later))]).toEqual(expected);
});
