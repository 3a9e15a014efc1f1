import { beforeAll, expect, test } from '@jest/globals';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { formBodies, onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { signedOnce } from './contract.ts';
import { edited, formXObject, verdicts } from './revisions.ts';

let signed: Buffer;
beforeAll(async () => {
  const bodies = [...formBodies()];
  bodies[5] = String(bodies[5]).replace('/DA(/Helv 12 Tf 0 g)', '');
  signed = await signedOnce(classicPdf(bodies));
});

/** Fills in a field without a look, which readers draw with its style. */
const styled = (style: Record<string, string>) =>
  edited(signed, ({ set }) => set(6, { V: '(500)', ...style }));

test.each<[string, Record<string, string>]>([
  ['black letters', { DA: '(/Helv 12 Tf 0 g)' }],
  ['black letters of any size', { DA: '(0 0 0 rg /Helv 0 Tf)' }],
  ['a thin border', { BS: '<</W 1/S/S>>' }],
  ['an alignment', { Q: '2' }],
])('a field may be filled in with %s', (_, style) => {
  expect(new Set(verdicts(signed, styled(style)).map((verdict) => verdict.split(' ')[0]))).toEqual(
    new Set(['permitted']),
  );
});

test.each<[string, Record<string, string>]>([
  ['white letters', { DA: '(/Helv 12 Tf 1 g)' }],
  ['letters that are too small', { DA: '(/Helv .1 Tf 0 g)' }],
  ['a font that the form does not have', { DA: '(/ZaDb 12 Tf 0 g)' }],
  ['a broad border', { BS: '<</W 40/S/S>>' }],
  ['a black ground', { MK: '<</BG[0]>>' }],
])('a field that is filled in with %s is doubtful', (_, style) => {
  expect(verdicts(signed, styled(style))).toContain('doubtful FIELD_APPEARANCE');
});

test.each([
  ['a font for it', '/DA(/F9 12 Tf 0 g)', '/DR<</Font<</F9 5 0 R>>>>', 'doubtful RESOURCE'],
  ['a style', '', '/DA(/Helv 90 Tf 1 0 0 rg)', 'doubtful FIELD_APPEARANCE'],
])('a form that gets %s changes a comment of text without a look', (_, style, added, verdict) => {
  const comment = `<</Type/Annot/Subtype/FreeText/Rect[40 400 240 430]/Contents(100)${style}>>`;
  const pdf = classicPdf(onePage('/Annots[6 0 R]', '/AcroForm 7 0 R', [comment, '<</Fields[]>>']));
  const later = edited(pdf, ({ put }) => put(7, `<</Fields[]${added}>>`));
  expect(verdicts(pdf, later)).toEqual([verdict]);
});

const PERMITTED = 'permitted FIELD_VALUE';
const DOUBTFUL = 'doubtful FIELD_APPEARANCE';

test.each([
  ['plain', '', '', PERMITTED],
  ['turned and squeezed', '/Matrix[0 1 -1 0 0 0]', '', DOUBTFUL],
  ['slanted', '/Matrix[1 0 50 1 0 0]', '', DOUBTFUL],
  ['written in other codes', '', '/Encoding/MacExpertEncoding', DOUBTFUL],
  ['written with narrow digits', '', '/FirstChar 48/Widths[150 150 150 150 150 150]', DOUBTFUL],
])('a look that is %s is judged so', (_, matrix, encoding, verdict) => {
  const font = `/Font<</Helv<</Type/Font/Subtype/Type1/BaseFont/Helvetica${encoding}>>>>`;
  const look = formXObject('BT /Helv 12 Tf 2 5 Td (500) Tj ET', font).toString('latin1');
  const later = edited(signed, ({ set, add }) =>
    set(6, { V: '(500)', AP: `<</N ${add(look.replace('[0 0 200 60]', `[0 0 150 20]${matrix}`))}>>` }),
  );
  expect(verdicts(signed, later)[0]).toBe(verdict);
});

test.each([
  ['a hexadecimal string', '<313030> Tj', PERMITTED],
  ['another letter in such a string, which Poppler reads as a digit', '<3130z30> Tj', DOUBTFUL],
  ['several strings', '[(1)(00)] TJ', PERMITTED],
  ['a name among the strings, for which MuPDF drops the rest', '[(1)/x(00)] TJ', DOUBTFUL],
])('a look that is written with %s is judged so', (_, text, verdict) => {
  const font = '/Font<</Helv<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>';
  const look = formXObject(`BT /Helv 12 Tf 2 5 Td ${text} ET`, font).toString('latin1');
  const later = edited(signed, ({ set, add }) =>
    set(6, { V: '(100)', AP: `<</N ${add(look.replace('[0 0 200 60]', '[0 0 150 20]'))}>>` }),
  );
  expect(verdicts(signed, later)).toContain(verdict);
});
