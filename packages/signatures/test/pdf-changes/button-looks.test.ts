import { beforeAll, describe, expect, test } from '@jest/globals';
import { classicPdf } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { signedOnce } from './contract.ts';
import { type Edit, edited, formXObject, verdicts } from './revisions.ts';

const BOX = '0.5 0.5 40 40 re S';
const OPTIONS = '/BBox[0 0 41 41]';
const DINGBATS = '/Type/Font/Subtype/Type1/BaseFont/ZapfDingbats';
const look = (content: string, font = DINGBATS): Buffer =>
  Buffer.from(
    formXObject(content, `/Font<</ZaDb<<${font}>>>>`)
      .toString('latin1')
      .replace('/BBox[0 0 200 60]', OPTIONS),
    'latin1',
  );
const mark = (letter: string, color = '0 g', size = 30) =>
  `q ${BOX} Q BT ${color} /ZaDb ${size} Tf 8 8 Td (${letter}) Tj ET`;

const SIGNED_LOOKS = '/AP<</N<</Yes 7 0 R/Off 8 0 R>>/D<</Yes 9 0 R>>>>';
/** 6 check box, 7 its look for Yes, 8 for Off, 9 the one under the pointer. */
const checkBoxPdf = (looks = SIGNED_LOOKS, off = look(BOX)) =>
  classicPdf(
    onePage('/Annots[6 0 R]', '/AcroForm<</Fields[6 0 R]>>', [
      `<</Type/Annot/Subtype/Widget/FT/Btn/T(Check)/V/Off/AS/Off/F 4/Rect[50 370 91 411]/P 3 0 R/BS<</W 1>>${looks}>>`,
      look(`${BOX} 5 5 m 35 35 l S`),
      off,
      look('0.5 g 0 0 41 41 re f'),
    ]),
  );

/** Ticks the box, with new looks. */
const ticked = (yes: Buffer, off = look(BOX), more: Record<string, string> = {}) =>
  edited(signed, ({ set, add }: Edit) =>
    set(6, {
      V: '/Yes',
      AS: '/Yes',
      AP: `<</N<</Yes ${add(yes)}/Off ${add(off)}>>/D<</Yes 9 0 R>>>>`,
      ...more,
    }),
  );

let signed: Buffer;
beforeAll(async () => {
  signed = await signedOnce(checkBoxPdf());
});

describe('the looks of a button may be drawn anew', () => {
  test.each([...'4l8unH'])('with the usual mark %s', (letter) => {
    const later = ticked(look(mark(letter)));
    expect(verdicts(signed, later)).toEqual(['permitted FIELD_VALUE']);
  });

  test('with the border that is there by default', () => {
    const later = ticked(look(mark('4')), look(BOX), { BS: '<</W 1/S/S>>', TU: '()' });
    expect(verdicts(signed, later)).toEqual(['permitted FIELD_VALUE']);
  });
});

describe('a new look of a button is not permitted', () => {
  test.each([
    ['that is empty', () => ticked(look(BOX))],
    ['with a white mark', () => ticked(look(mark('4', '1 g')))],
    ['with a mark that is too small', () => ticked(look(mark('4', '0 g', 1)))],
    ['with another mark', () => ticked(look(mark('\\300')))],
    ['with two marks', () => ticked(look(mark('48')))],
    ['with a mark outside of its box', () => ticked(look(mark('4').replace('8 8 Td', '80 8 Td')))],
    ['with a mark that is covered', () => ticked(look(`${mark('4')} 1 g 0 0 41 41 re f`))],
    ['with a letter', () => ticked(look(mark('4'), '/Type/Font/Subtype/Type1/BaseFont/Helvetica'))],
    ['with other letters', () => ticked(look(mark('4'), `${DINGBATS}/Encoding<</Differences[52/space]>>`))],
    ['with letters of text', () => ticked(look(mark('4'), `${DINGBATS}/Encoding/WinAnsiEncoding`))],
    ['with narrow letters', () => ticked(look(mark('4'), `${DINGBATS}/FirstChar 52/Widths[1]`))],
    ['with a sliver of a mark', () => ticked(look(mark('4', '1 Tz 0 g')))],
    ['with a small mark in a large box', () => ticked(look(mark('4').replace('30 Tf', '8 Tf')))],
    ['with a line over the mark', () => ticked(look(`${mark('4')} 1 G 6 w 18 0 1 41 re S`))],
    ['whose state off is black', () => ticked(look(mark('4')), look('0 g 0 0 41 41 re f'))],
    [
      'whose state off has a cross of rectangles',
      () => ticked(look(mark('4')), look('0 18 41 4 re 20 0 2 41 re f')),
    ],
    [
      'whose state off has a turned cross',
      () => ticked(look(mark('4')), look('.7 .7 -.7 .7 20 -8 cm 0 18 41 4 re 18 0 4 41 re f')),
    ],
    [
      'whose state off is cut to a mark',
      () => ticked(look(mark('4')), look('10 10 20 20 re W n 0 g 0 0 41 41 re f')),
    ],
    ['with a mark that is crossed out', () => ticked(look(`${mark('4')} 0 0 m 41 41 l S`))],
    ['whose state off is crossed', () => ticked(look(mark('4')), look(`${BOX} 5 5 m 35 35 l S`))],
    ['whose state off has a mark', () => ticked(look(mark('4')), look(mark('4')))],
    [
      'whose state off is filled',
      () => ticked(look(mark('4')), look('0 g 0 0 9 9 re f 9 9 9 9 re f 20 20 9 9 re f')),
    ],
  ])('%s', (_, later) => {
    expect(verdicts(signed, later()).filter((verdict) => !verdict.startsWith('permitted'))).not.toEqual([]);
  });

  test.each([
    ['whose spaces are none for readers', (content: string) => content.replaceAll(' ', '\xa0')],
    ['whose lines are joined to a comment', (content: string) => content.replaceAll('\n', ' ')],
  ])('%s', async (_, change) => {
    const content = `% Off\n${BOX}`;
    const before = await signedOnce(checkBoxPdf(SIGNED_LOOKS, look(content)));
    const later = edited(before, ({ set, add }) =>
      set(6, { AP: `<</N<</Yes 7 0 R/Off ${add(look(change(content)))}>>/D<</Yes 9 0 R>>>>` }),
    );
    expect(verdicts(before, later)).toEqual(['doubtful FIELD_APPEARANCE']);
  });

  test('if the box is not filled in', () => {
    const later = ticked(look(mark('4')), look(BOX), { V: '/Off', AS: '/Off' });
    expect(verdicts(signed, later)).toEqual(['doubtful FIELD_APPEARANCE']);
  });

  test.each([
    ['if the state off said something', SIGNED_LOOKS, look(mark('Denied'))],
    ['if the state off was drawn', SIGNED_LOOKS, look(`${BOX} ${'1 1 m 9 9 l S '.repeat(9)}`)],
    ['if the state off is new, and marked', '/AP<</N<</Yes 7 0 R>>>>', look(BOX)],
    ['if all looks are new, and the state off is marked', '', look(BOX)],
  ])('%s', async (_, looks, off) => {
    const before = await signedOnce(checkBoxPdf(looks, off));
    const newOff = looks === SIGNED_LOOKS ? look(BOX) : look(mark('4'));
    const later = edited(before, ({ set, add }) =>
      set(6, { V: '/Yes', AS: '/Yes', AP: `<</N<</Yes ${add(look(mark('4')))}/Off ${add(newOff)}>>>>` }),
    );
    expect(verdicts(before, later)).toContain('doubtful FIELD_APPEARANCE');
  });

  test('with another look under the pointer', () => {
    const later = edited(signed, ({ set, add }) =>
      set(6, { AP: `<</N<</Yes 7 0 R/Off 8 0 R>>/D<</Yes ${add(look(mark('8')))}>>>>` }),
    );
    expect(verdicts(signed, later)).toEqual(['forbidden FIELD_APPEARANCE']);
  });

  test('with a broad border or a description', () => {
    const later = edited(signed, ({ set }) => set(6, { BS: '<</W 9>>', TU: '(do not tick)' }));
    expect(verdicts(signed, later)).toEqual(['doubtful FIELD_APPEARANCE', 'forbidden FIELD_CHANGED']);
  });
});

test('a page may be rounded, but not moved', () => {
  const moved = (box: string) => edited(signed, ({ set }) => set(2, { MediaBox: box }));
  expect(verdicts(signed, moved('[0 0 400.004 600]'))).toEqual([]);
  expect(verdicts(signed, moved('[0 0 400.1 600]'))).toEqual(['forbidden PAGE_CONTENT']);
});

test('a node of pages may get a text of its writer, but nothing else', () => {
  const noted = (changes: Record<string, string>) => edited(signed, ({ set }) => set(2, changes));
  expect(verdicts(signed, noted({ ITXT: '(2.1.7)' }))).toEqual(['permitted METADATA']);
  expect(verdicts(signed, noted({ ITXT: '<</A 1>>' }))).toEqual(['forbidden PAGE_CONTENT']);
  expect(verdicts(signed, noted({ CropBox: '(2.1.7)' }))).toEqual(['forbidden PAGE_CONTENT']);
  expect(verdicts(signed, noted({ UserUnit: '2' }))).toEqual(['forbidden PAGE_CONTENT']);
});
