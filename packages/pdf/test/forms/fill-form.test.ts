import { describe, expect, test } from '@jest/globals';
import { streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { pngOf } from '@scriptorium/testing/fixtures/picture';
import { pdfText, qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { outcomeOf, withFiles } from '@scriptorium/testing/judges/programs';
import { Page } from '@scriptorium/testing/rendered-page';
import { describeForm, FormError, type FormPicture, fillForm } from '../../src/face/forms.ts';
import { FIRST, fieldsByMupdf, fill, formOf, stateKeys } from './forms.ts';

const script = (code: string) => `/AA<</F<</S/JavaScript/JS(${code.replace(/[()\\]/g, '\\$&')})>>>>`;
const currentOf = (pdf: Buffer) =>
  Object.fromEntries(describeForm(pdf).map(({ name, current }) => [name, current]));

const KINDS = formOf([
  '/FT/Tx/T(name)',
  `/FT/Tx/T(lines)/Ff ${1 << 12}/Rect[50 400 200 520]`,
  `/FT/Tx/T(cells)/Ff ${1 << 24}/MaxLen 6`,
  `/FT/Tx/T(amount)${script('AFNumber_Format(2, 2, 0, 0, " \xa0", false);')}`,
  `/FT/Tx/T(day)${script('AFDate_FormatEx("dd.mm.yyyy");')}`,
  `/FT/Btn/T(agree)${stateKeys('Ja')}`,
  `/FT/Btn/T(new)/MK<</CA(4)>>`,
  `/FT/Ch/T(land)/Ff ${1 << 17}/Opt[[(de)(Germany)][(fr)(France)]]`,
  `/FT/Ch/T(any)/Ff ${(1 << 17) | (1 << 18)}/Opt[(a)(b)]`,
  `/FT/Ch/T(list)/Ff ${1 << 21}/Opt[(one)(two)(three)]/Rect[300 100 380 150]`,
]);
const GREEN = [0, 128, 0] as const;
/** Twice as wide as high: green at the left, blue at the right. */
const HALVES = pngOf(40, 20, (x) => ({
  red: 0,
  green: x < 20 ? 128 : 0,
  blue: x < 20 ? 0 : 255,
  alpha: 255,
}));

const VALUES = {
  name: 'Zoë (Łódź)',
  lines: 'First\nSecond line, which is wrapped',
  cells: 'AB 12',
  amount: '1234.5',
  day: '2026-11-29',
  agree: 'true',
  new: 'true',
  land: 'fr',
  any: 'anything',
  list: 'one\nthree',
};

describe('a filled form', () => {
  test('has values that other readers read, and shows them', async () => {
    const { bytes, filled, unmatched } = fill(KINDS, { ...VALUES, absent: 'x' });
    expect({ filled, unmatched }).toEqual({ filled: 10, unmatched: [10] });
    expect(await qpdfComplaints(bytes)).toEqual([]);
    const fields = await fieldsByMupdf(bytes);
    for (const name of Object.keys(VALUES)) expect(fields).toContain(`Name: (${name})`);
    const text = await pdfText(bytes);
    for (const shown of ['Zoë (Łódź)', 'First', '1.234,50 €', '29.11.2026', 'France', 'anything', 'three'])
      expect(text).toContain(shown);
    expect(text.replace(/\s/g, '')).toContain('AB12');
    expect(currentOf(bytes)).toEqual({ ...VALUES, day: '29.11.2026', agree: 'Ja', new: 'Yes' });
  });

  test('has nothing of its earlier values in the file', () => {
    const { bytes } = fill(formOf(['/FT/Tx/T(name)/V(Secret)/RV(<b>Secret</b>)']), { name: 'Public' });
    expect(bytes.includes('Secret')).toBe(false);
  });

  test('is empty again after an empty value, `false` and no option', () => {
    const { bytes } = fill(
      fill(KINDS, VALUES).bytes,
      Object.fromEntries(Object.keys(VALUES).map((name) => [name, ''])),
    );
    expect(Object.values(currentOf(bytes)).join('')).toBe('');
  });

  test('has fields below others by their full name, and their inherited keys', () => {
    const pdf = formOf([
      '/T(a)/FT/Tx/MaxLen 3/Kids[9 0 R]',
      `/T(b[0])/Parent ${FIRST} 0 R/Rect[50 500 250 520]`,
    ]);
    expect(describeForm(pdf)).toMatchObject([
      { name: 'a.b[0]', kind: 'text', maxLength: 3, place: { page: 1 } },
    ]);
    expect(currentOf(fill(pdf, { 'a.b[0]': 'abc' }).bytes)).toEqual({ 'a.b[0]': 'abc' });
    expect(() => fill(pdf, { 'a.b[0]': 'abcd' })).toThrow(FormError);
  });

  test('has one of its radio buttons on, by export value or state', () => {
    const kid = (state: string, at: number) =>
      `/Parent ${FIRST} 0 R/Rect[50 ${500 - 20 * at} 65 ${515 - 20 * at}]${stateKeys(state)}`;
    const pdf = formOf([
      `/FT/Btn/Ff ${1 << 15}/T(paid)/Opt[(cash)(card)]/Kids[9 0 R 10 0 R]`,
      kid('0', 0),
      kid('1', 1),
    ]);
    expect(describeForm(pdf)).toMatchObject([{ kind: 'radio buttons', choices: ['cash', 'card'], count: 2 }]);
    for (const value of ['card', '1']) {
      const { bytes, filled } = fill(pdf, { paid: value });
      expect(filled).toBe(2);
      expect(currentOf(bytes)).toEqual({ paid: 'card' });
      expect(bytes.toString('latin1')).toMatch(/\/AS\s*\/1/);
    }
    expect(() => fill(pdf, { paid: 'cheque' })).toThrow(FormError);
  });

  test('shows letters that its font lacks in fonts of the host, as text', async () => {
    const { bytes } = fill(formOf(['/FT/Tx/T(name)', '/FT/Tx/T(other)']), { name: 'Ελένη', other: 'Ada' });
    expect(await pdfText(bytes)).toContain('Ελένη');
    expect(bytes.toString('latin1')).toMatch(/\/Helv 12 Tf <416461> Tj/);
  });
});

test('a button shows an image, turned and within its frame', async () => {
  const pdf = formOf([
    `/FT/Btn/T(photo)/Ff ${1 << 16}/MK<</BC[1 0 0]/CA(Choose)>>/Rect[100 300 300 500]`,
    '/FT/Tx/T(name)',
  ]);
  const fillWith = (name: string, value: FormPicture | string) =>
    fillForm(pdf, [{ name, value }], { flatten: false, onUnmatched: () => undefined });
  const picture = { bytes: HALVES, isMirrored: false, degrees: 90 } as const;
  const { bytes } = fillWith('photo', picture);
  expect(await qpdfComplaints(bytes)).toEqual([]);
  // Its left half is above, and it fills the height of the button.
  const { left, top, right, bottom } = new Page(bytes).areaOf(GREEN) ?? {};
  expect([left, top, right, bottom].map((side) => Math.round(((side ?? 0) * 3) / 4 / 10) * 10)).toEqual([
    150, 100, 250, 200,
  ]);
  for (const wrong of [
    () => fillWith('name', picture),
    () => fillWith('photo', 'text'),
    () => fillWith('photo', { ...picture, bytes: Buffer.from('GIF89a') }),
  ])
    expect(wrong).toThrow(FormError);
});

describe('a flattened form', () => {
  test('has its texts on the page, no fields, and its empty signature field', async () => {
    const pdf = formOf(['/FT/Tx/T(name)', '/FT/Sig/T(sign)', '/FT/Tx/T(hidden)/F 2/V(unseen)']);
    const { bytes } = fill(pdf, { name: 'Ada' }, true);
    expect(await qpdfComplaints(bytes)).toEqual([]);
    expect(await pdfText(bytes)).toContain('Ada');
    expect(describeForm(bytes).map(({ name }) => name)).toEqual(['sign']);
    expect(bytes.includes('unseen')).toBe(false);
  });
});

test('a flattened field stays on its layer', async () => {
  const layer = '<</Type/OCG/Name(Draft)>>';
  const [group, properties] = [
    FIRST + 2,
    `/OCProperties<</OCGs[${FIRST + 2} 0 R]/D<</OFF[${FIRST + 2} 0 R]>>>>`,
  ];
  const pdf = formOf([`/FT/Tx/T(a)/OC ${group} 0 R`, '/FT/Tx/T(b)'], {
    catalogKeys: properties,
    more: [layer],
  });
  const { bytes } = fill(pdf, { a: 'unseen', b: 'seen' }, true);
  const shown = new Page(bytes).areaOf([0, 0, 0]);
  expect(shown?.top).toBeGreaterThan(60);
  expect(await qpdfComplaints(bytes)).toEqual([]);
});

test('a field in front of another annotation is not flattened, because it would be behind it', () => {
  const stamp = '<</Type/Annot/Subtype/Stamp/F 4/Rect[40 540 300 600]/AP<</N 7 0 R>>>>';
  const pdf = formOf(['/FT/Tx/T(a)'], { more: [stamp] });
  const list = (order: string) =>
    Buffer.from(pdf.toString('latin1').replace(/\/Annots\[8 0 R\]/, `/Annots[${order}]`), 'latin1');
  expect(() => fill(list('9 0 R 8 0 R'), { a: 'x' }, true)).toThrow(
    expect.objectContaining({ code: 'UNPROCESSABLE' }),
  );
  expect(fill(list('8 0 R 9 0 R'), { a: 'x' }, true).filled).toBe(1);
});

test('fields that readers would have to draw have looks of ours', async () => {
  const fields = ['/FT/Tx/T(a)', '/FT/Tx/T(b)/V(drawn now)'];
  const { bytes } = fill(formOf(fields), { a: 'x' }, true);
  expect(await pdfText(bytes)).toContain('drawn now');
  const asked = fill(formOf(fields, { formKeys: '/NeedAppearances true' }), { a: 'x' });
  expect(asked.bytes.toString('latin1')).not.toMatch(/\/NeedAppearances\s+true/);
});

test('a flattened field of a tagged PDF is the content of its element', async () => {
  const root = FIRST + 2;
  const more = [
    `<</Type/StructTreeRoot/K[${root + 1} 0 R]/ParentTree<</Nums[0[] 1 ${root + 1} 0 R 2 ${root + 1} 0 R]>>>>`,
    `<</Type/StructElem/S/Form/P ${root} 0 R/K[${[FIRST, FIRST + 1].map((at) => `<</Type/OBJR/Pg 3 0 R/Obj ${at} 0 R>>`).join('')}]>>`,
  ];
  const keys = {
    catalogKeys: `/StructTreeRoot ${root} 0 R/MarkInfo<</Marked true>>`,
    pageKeys: '/StructParents 0',
  };
  const pdf = formOf(['/FT/Tx/T(a)/StructParent 1', '/FT/Tx/T(b)/StructParent 2'], { ...keys, more });
  const { bytes } = fill(pdf, { a: 'first words', b: 'other words' }, true);
  const { text } = await withFiles([bytes], '.pdf', ([path = '']) =>
    outcomeOf('pdfinfo', ['-struct-text', path]),
  );
  expect(text).toMatch(/Form[^\n]*\n\s*"first words"\s*"other words"/);
  expect(await qpdfComplaints(bytes)).toEqual([]);
});

describe('filling fails for', () => {
  const PDF = formOf([
    '/FT/Tx/T(name)/MaxLen 5',
    `/FT/Tx/T(amount)${script('AFNumber_Format(2, 0, 0, 0, "", true);')}`,
    `/FT/Tx/T(secret)/Ff ${1 << 13}`,
    `/FT/Ch/T(land)/Ff ${1 << 17}/Opt[(de)(fr)]`,
    '/FT/Ch/T(list)/Opt[(de)(fr)]',
    `/FT/Btn/T(agree)${stateKeys('Ja')}`,
    `/FT/Btn/T(push)/Ff ${1 << 16}`,
    '/FT/Sig/T(sign)',
    '/FT/Tx/T(tiny)/Rect[300 300 306 320]',
    '/FT/Tx/T(plain)',
  ]);
  const CASES: Record<string, string> = {
    name: '6 characters, and the field takes 5',
    amount: 'does not have the format of the field',
    secret: 'password field',
    land: 'must be an option of the field: `de`, `fr`',
    list: 'several lines, and the field takes one option',
    agree: 'a state of the field: `Ja`',
    sign: 'a signature field, which `sign` signs',
    tiny: 'does not fit the field',
    plain: 'a line end, and the field takes one line',
  };
  const wrong: Record<string, string> = { list: 'de\nfr', plain: 'a\nb' };

  test('all wrong values at once, each by its entry', () => {
    const values = Object.fromEntries(Object.keys(CASES).map((name) => [name, wrong[name] ?? 'wrong ']));
    let failure: unknown;
    try {
      fill(PDF, values);
    } catch (error) {
      failure = error;
    }
    if (!(failure instanceof FormError)) throw failure;
    expect(failure.code).toBe('VALIDATION_ERROR');
    const issues = Object.values(CASES).map((issue, entry) => ({
      entry,
      part: 'value',
      issue: expect.stringContaining(issue),
    }));
    expect(failure.issues).toEqual(issues);
  });

  test('a character that no font has', () => {
    expect(() => fill(PDF, { plain: '\u{F8FF0}' })).toThrow(FormError);
  });

  test('a dynamic XFA form; the XFA beside other fields goes', () => {
    const dynamic = formOf([], { formKeys: '/XFA[]' });
    expect(() => fill(dynamic, {})).toThrow(expect.objectContaining({ code: 'UNPROCESSABLE' }));
    const { bytes, isXfaRemoved } = fill(formOf(['/FT/Tx/T(a)'], { formKeys: '/XFA[]' }), { a: 'x' });
    expect(isXfaRemoved).toBe(true);
    expect(bytes.toString('latin1')).not.toMatch(/\/XFA\s*\[/);
  });

  test('fields that share a list of places, which are too many together', () => {
    const count = 300;
    const places = Array.from({ length: count }, () => '<</Subtype/Widget/Rect[0 0 9 9]>>');
    const kids = `[${places.map((_, at) => `${FIRST + count + at} 0 R`).join(' ')}]`;
    const fields = places.map((_, at) => `/FT/Tx/T(f${at})/Kids ${FIRST + 2 * count} 0 R`);
    const pdf = formOf(fields, { more: [...places, kids] });
    expect(() => fill(pdf, {})).toThrow(expect.objectContaining({ code: 'DOCUMENT_TOO_COMPLEX' }));
  });
});

test('scripts of a form are not run, and that is reported', () => {
  const own = formOf([`/FT/Tx/T(a)${script('event.value = "x";')}`]);
  expect(fill(own, { a: '1' }).skipsScripts).toBe(true);
  expect(fill(formOf(['/FT/Tx/T(a)'], { formKeys: `/CO[${FIRST} 0 R]` }), { a: '1' }).skipsScripts).toBe(
    true,
  );
  expect(fill(formOf(['/FT/Tx/T(a)']), { a: '1' }).skipsScripts).toBe(false);
});

test.each([
  [32, 2],
  [4, 1],
])('the font of a form draws values only if its letters are known: flags %d', (flags, uses) => {
  const font =
    '<</Type/Font/Subtype/TrueType/BaseFont/Odd/FirstChar 32/LastChar 126' +
    `/Widths[${'500 '.repeat(95)}]/FontDescriptor 10 0 R>>`;
  const descriptor = `<</Type/FontDescriptor/FontName/Odd/Flags ${flags}/FontFile2 11 0 R>>`;
  const pdf = formOf(['/FT/Tx/T(a)'], { more: [font, descriptor, streamBody('', Buffer.from('program'))] });
  const odd = pdf
    .toString('latin1')
    .replace('/Helv 12 Tf', '/Oddf 12 Tf')
    .replace('/Helv 6 0 R', '/Oddf 9 0 R');
  const { bytes } = fill(Buffer.from(odd, 'latin1'), { a: 'Total' });
  expect(bytes.toString('latin1').split('/Font<</Oddf')).toHaveLength(1 + uses);
});
