import { describe, expect, test } from '@jest/globals';
import { streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { pdfText } from '@scriptorium/testing/judges/pdf';
import { Page } from '@scriptorium/testing/rendered-page';
import { describeForm, fillForm } from '../../src/face/forms.ts';
import { FIRST, fill, formOf, stateKeys } from './forms.ts';

const currentOf = (pdf: Buffer) =>
  Object.fromEntries(describeForm(pdf).map(({ name, current }) => [name, current]));
const kid = (keys: string, at = 0) =>
  `/Parent ${FIRST} 0 R/Rect[50 ${500 - 20 * at} 250 ${515 - 20 * at}]${keys}`;
/** The second field is on the page only. */
const unlisted = (first: string, second: string) =>
  Buffer.from(
    formOf([first, second])
      .toString('latin1')
      .replace(`/Fields[${FIRST} 0 R ${FIRST + 1} 0 R]`, `/Fields[${FIRST} 0 R      ]`),
    'latin1',
  );
const statesOf = (bytes: Buffer) =>
  [...bytes.toString('latin1').matchAll(/\/(?:AS|V)\s*\/(\w+)/g)].map(([, name]) => name);
const failure = (code: string, issue: string) =>
  expect.objectContaining({
    code,
    issues: [expect.objectContaining({ issue: expect.stringContaining(issue) })],
  });
const LIST = `/FT/Ch/T(a)/Ff ${1 << 21}`;

describe('a field is shown alike', () => {
  test('in widgets that only its page lists', async () => {
    for (const second of [`/Parent ${FIRST} 0 R`, '/FT/Tx/T(a)']) {
      const { bytes, filled } = fill(unlisted('/FT/Tx/T(a)', second), { a: 'twice' });
      expect(filled).toBe(2);
      expect((await pdfText(bytes)).split('twice')).toHaveLength(3);
    }
  });

  test('in the widgets below one that is a widget itself', () => {
    const pdf = formOf([`/T(a)/FT/Tx/Subtype/Widget/Rect[300 500 350 520]/Kids[9 0 R]`, kid('')]);
    expect(fill(pdf, { a: 'x' }).filled).toBe(2);
  });

  test('and no widget has a value of its own, nor one from above', () => {
    const own = fill(formOf(['/T(a)/FT/Tx/Kids[9 0 R]', kid('/V(old)')]), { a: 'new' });
    expect(own.bytes.includes('(old)')).toBe(false);
    const above = formOf(['/T(a)/FT/Tx/V(old)/Kids[9 0 R]', kid('/T(b)')]);
    expect(currentOf(fill(above, { 'a.b': '' }).bytes)).toEqual({ 'a.b': '' });
  });

  test('or refused, if a widget is no object of its own', () => {
    const pdf = formOf(['/T(a)/FT/Tx/Kids[<</Subtype/Widget/Rect[50 500 250 520]>>]']);
    expect(() => fill(pdf, { a: 'x' })).toThrow(expect.objectContaining({ code: 'INVALID_FILE_FORMAT' }));
  });
});

test('a signature that only its page lists keeps its bytes', () => {
  const signature = '<</Type/Sig/Filter/Adobe.PPKLite/ByteRange[0 1 2 3]/Contents<00>>>';
  const pdf = unlisted('/FT/Tx/T(a)', `/FT/Sig/T(s)/V${signature}`);
  const { bytes } = fill(pdf, { a: 'x' });
  expect(bytes.subarray(0, pdf.length).equals(pdf)).toBe(true);
  expect(() => fill(pdf, { a: 'x' }, true)).toThrow(expect.objectContaining({ code: 'DOCUMENT_LOCKED' }));
});

test('a name of fields of different kinds is refused', () => {
  const pdf = formOf(['/FT/Tx/T(a)', '/FT/Ch/T(a)', '/FT/Tx/T(b)']);
  expect(() => fill(pdf, { a: 'x' })).toThrow(failure('VALIDATION_ERROR', 'of different kinds'));
  expect(fill(pdf, { b: 'x' }).filled).toBe(1);
});

describe('of buttons,', () => {
  const radio = (keys: string, ...kids: string[]) =>
    formOf([
      `/FT/Btn/Ff ${1 << 15}/T(a)${keys}/Kids[9 0 R 10 0 R]`,
      ...kids.map((states, at) => kid(states, at)),
    ]);

  test('two that share a state but not a value are not told apart', () => {
    const pdf = radio('/Opt[(cash)(card)]', stateKeys('J'), stateKeys('J'));
    expect(() => fill(pdf, { a: 'card' })).toThrow(
      failure('VALIDATION_ERROR', 'that of another one: `cash`'),
    );
  });

  test('one without a look gets a state of its own, and a check box that of the others', () => {
    expect(statesOf(fill(radio('', stateKeys('1'), ''), { a: '1' }).bytes)).toEqual(['1', '1', 'Off']);
    const boxes = formOf(['/FT/Btn/T(a)/Kids[9 0 R 10 0 R]', kid(stateKeys('Ja')), kid('', 1)]);
    expect(statesOf(fill(boxes, { a: 'true' }).bytes)).toEqual(['Ja', 'Ja', 'Ja']);
  });

  test('a state that a form names without a look gets one', () => {
    const { bytes } = fill(formOf(['/FT/Btn/T(a)/AP<</N<</Ja null/Off null>>>>']), { a: 'true' });
    expect(statesOf(bytes)).toEqual(['Ja', 'Ja']);
    expect(bytes.toString('latin1')).toMatch(/\/N<<\/Ja \d+ 0 R/);
  });

  test('those that are only drawn keep their state', () => {
    const on = '/AS/0/AP<</N<</0 7 0 R>>>>';
    expect(statesOf(fill(radio('/V/0/Opt[(1)(0)]', on, ''), {}).bytes)).toEqual(['0', '0', 'Off']);
  });
});

describe('values that fields have are drawn', () => {
  test('as they are, even where they would not be filled', async () => {
    const pdf = formOf([
      '/FT/Tx/T(a)/MaxLen 3/V(too long)',
      `/FT/Ch/T(b)/Ff ${1 << 17}/Opt[(x)]/V(gone)`,
      `/FT/Btn/T(c)/V/Ja${stateKeys('Ja')}`,
    ]);
    const { bytes } = fill(pdf, {}, true);
    expect(await pdfText(bytes)).toMatch(/too long\s+gone/);
  });

  test('or readers are still asked to, and nothing is flattened', () => {
    const fields = ['/FT/Tx/T(a)', '/FT/Tx/T(narrow)/Rect[300 300 306 320]/V(wide)'];
    const pdf = formOf(fields, { formKeys: '/NeedAppearances true' });
    expect(fill(pdf, { a: 'x' }).bytes.includes('/NeedAppearances true')).toBe(true);
    expect(() => fill(pdf, { a: 'x' }, true)).toThrow(/`narrow` cannot be drawn: it does not fit/);
    const button = formOf(['/FT/Tx/T(a)', `/FT/Btn/T(b)/Ff ${1 << 16}/MK<</CA(Send)>>`], {
      formKeys: '/NeedAppearances true',
    });
    expect(fill(button, { a: 'x' }).bytes.includes('/NeedAppearances true')).toBe(true);
    expect(fill(button, { a: 'x' }, true).filled).toBe(1);
  });
});

describe('flattening is refused where it would lose', () => {
  test('the value of a field that no page shows', () => {
    const pdf = formOf(['/FT/Tx/T(a)/F 2', '/FT/Tx/T(b)']);
    expect(() => fill(pdf, { a: 'x' }, true)).toThrow(failure('VALIDATION_ERROR', 'that no page shows'));
    expect(fill(pdf, { a: '', b: 'x' }, true).filled).toBe(2);
  });

  test('choices below the end of a list', () => {
    const pdf = formOf([`${LIST}/Opt[(1)(2)(3)(4)(5)(6)(7)]/Rect[50 400 200 430]`]);
    expect(() => fill(pdf, { a: '1\n7' }, true)).toThrow(failure('VALIDATION_ERROR', 'cannot show at once'));
    expect(fill(pdf, { a: '1\n7' }).filled).toBe(1);
  });
});

describe('a flattened field is shown on its page', () => {
  const CONTENT = 'BT /F1 12 Tf 50 500 Td (Agreement) Tj ET';
  const replaced = (pdf: Buffer, old: string, text: string) =>
    Buffer.from(pdf.toString('latin1').replace(old, text.padEnd(old.length)), 'latin1');

  test('in its place, whatever the page leaves open or restores', () => {
    const areaOf = (content: string) =>
      new Page(fill(replaced(formOf(['/FT/Tx/T(a)']), CONTENT, content), { a: 'x' }, true).bytes).areaOf([
        0, 0, 0,
      ]);
    const plain = areaOf('');
    expect(plain).toBeDefined();
    for (const content of ['Q Q 2 0 0 2 0 0 cm', 'q q 2 0 0 2 0 0 cm', 'BT 3 Tr /Span BMC'])
      expect({ content, area: areaOf(content) }).toEqual({ content, area: plain });
  });

  test('upright, if it does not turn with its page', () => {
    const [field, page] = [
      '/FT/Tx/T(a)/F 20/MK<</BC[1 0 0]>>/Rect[150 300 250 340]',
      { pageKeys: '/Rotate 90' },
    ];
    const [shown, flat] = [false, true].map((flatten) =>
      new Page(fill(formOf([field], page), { a: 'x' }, flatten).bytes).areaOf([255, 0, 0]),
    );
    expect(shown?.right).toBeGreaterThan((shown?.left ?? 0) + 2 * ((shown?.bottom ?? 0) - (shown?.top ?? 0)));
    expect(flat).toEqual(shown);
  });

  test('beside what was flattened before', async () => {
    const old = streamBody(
      '/Type/XObject/Subtype/Form/BBox[0 0 99 20]/Resources<</Font<</F 6 0 R>>>>',
      Buffer.from('BT /F 9 Tf (earlier) Tj ET'),
    );
    const names = Array.from({ length: 20 }, (_, at) => `/Flat1_${at} ${FIRST + 1} 0 R`).join('');
    const pdf = formOf(['/FT/Tx/T(a)'], { more: [old, `<<${names}>>`] });
    const shown = replaced(pdf, CONTENT, `/Flat1_${FIRST + 3} Do`);
    const named = replaced(shown, '/Font<</F1 5 0 R>>', `/XObject ${FIRST + 2} 0 R`);
    const text = await pdfText(fill(named, { a: 'later' }, true).bytes);
    expect(text).toContain('earlier');
    expect(text).toContain('later');
  });
});

test('a value has the format of its field, and is a real day, time or number', () => {
  const shows = (format: string, value: string) =>
    fill(formOf([`/FT/Tx/T(a)/AA<</F<</S/JavaScript/JS(${format.replace(/[()]/g, '\\$&')})>>>>`]), {
      a: value,
    });
  const [date, time, number] = [
    'AFDate_FormatEx("d.m.yyyy")',
    'AFTime_Format(0)',
    'AFNumber_Format(0,0,0,0,"",true)',
  ];
  for (const [format, value] of [
    [date, '2026-02-29'],
    [date, '29.13.2026'],
    [time, '24:00'],
    [time, '7:60'],
    [number, '12345678901234567890'],
  ] as const)
    expect(() => shows(format, value)).toThrow(failure('VALIDATION_ERROR', 'does not have the format'));
  expect(currentOf(shows(date, '2028-02-29').bytes)).toEqual({ a: '29.2.2028' });
  expect(currentOf(shows(time, '7:05').bytes)).toEqual({ a: '07:05' });
});

describe('the new file', () => {
  test('has no line for each of the numbers between objects far apart', () => {
    const [before = '', after = ''] = formOf(['/FT/Tx/T(a)']).toString('latin1').split('xref\n0');
    const far = '8388000 0 obj\n<<>>\nendobj\n';
    const entry = `8388000 1\n${String(before.length).padStart(10, '0')} 00000 n \ntrailer`;
    const table = after
      .replace('trailer', entry)
      .replace(/\d+(?=\s+%%EOF)/, (at) => String(Number(at) + far.length));
    const pdf = Buffer.from(`${before}${far}xref\n0${table}`, 'latin1');
    expect(fill(pdf, { a: 'x' }).bytes.length).toBeLessThan(10_000);
  });

  test('may have more objects than a function takes arguments', () => {
    const pdf = formOf(['/FT/Tx/T(a)'], { more: Array<string>(150_000).fill('0') });
    expect(fill(pdf, { a: 'x' }).filled).toBe(1);
  });
});

test('letters from right to left are in their order, and not in cells', async () => {
  const font = `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[97/uni05D0/uni05D1/uni05D2]>>>>`;
  const pdf = formOf([`/FT/Tx/T(a)/DA(/Hebr 12 Tf 0 g)`, `/FT/Tx/T(b)/Ff ${1 << 24}/MaxLen 9`], {
    more: [font],
  });
  const own = Buffer.from(
    pdf.toString('latin1').replace('/Helv 6 0 R>>', `/Hebr ${FIRST + 2} 0 R>>`),
    'latin1',
  );
  const { bytes } = fill(own, { a: 'בגא' });
  expect(bytes.toString('latin1')).not.toMatch(/\/Hebr 12 Tf </);
  expect((await pdfText(bytes)).replace(/[^\u0590-\u05ff]/g, '')).toBe('בגא');
  expect(() => fill(pdf, { b: 'שלום' })).toThrow(failure('VALIDATION_ERROR', 'from right to left'));
});

test('options of the same value differ by their place', () => {
  const pdf = formOf([`/FT/Ch/T(a)/Ff ${1 << 17}/Opt[[(x)(A)][(x)(B)]]`]);
  expect(fill(pdf, { a: 'B' }).bytes.toString('latin1')).toMatch(/\/V\s*\(x\)\s*\/I\s*\[1\]/);
});

test('control characters are refused, because no reader shows them', () => {
  const pdf = formOf(['/FT/Tx/T(a)', `/FT/Ch/T(b)/Ff ${(1 << 17) | (1 << 18)}`]);
  for (const text of ['a\0b', '\u001ben\u001bb', 'a\u007fb', 'a\u0085b', 'a\u2028b'])
    expect(() => fill(pdf, { a: text })).toThrow(failure('VALIDATION_ERROR', 'a control character'));
  expect(() => fill(pdf, { b: 'a\rb' })).toThrow(failure('VALIDATION_ERROR', 'a control character'));
});

describe('a form is too complex with', () => {
  const many = (count: number, keys: string, widget: string, more: string[] = []) =>
    formOf(
      [
        `${keys}/T(a)/Kids[${Array.from({ length: count }, (_, at) => `${FIRST + 1 + at} 0 R`).join(' ')}]`,
        ...Array.from({ length: count }, () => `/Parent ${FIRST} 0 R${widget}`),
      ],
      { more },
    );
  const tooComplex = expect.objectContaining({ code: 'DOCUMENT_TOO_COMPLEX' });

  test('long texts that many values and options share', () => {
    const refs = `[${`${FIRST + 1} 0 R `.repeat(600)}]`;
    for (const key of ['V', 'Opt']) {
      const pdf = formOf([`${LIST}/${key}${refs}`], { more: [`(${'x'.repeat(100_000)})`] });
      expect(() => describeForm(pdf)).toThrow(tooComplex);
    }
  });

  test('a long text in many places', () => {
    const pdf = many(50, `/FT/Tx/Ff ${1 << 12}`, '/Rect[0 0 9999 9999]');
    expect(() => fill(pdf, { a: 'word '.repeat(9_000) })).toThrow(tooComplex);
  });

  test('large facts of buttons that many places share', () => {
    const facts = `<</CA(${'x'.repeat(100_000)})>>`;
    const pdf = many(30, `/FT/Btn/Ff ${1 << 16}`, `/Rect[0 0 9 9]/MK ${FIRST + 31} 0 R`, [facts]);
    const empty = () =>
      fillForm(pdf, [{ name: 'a', value: null }], { flatten: false, onUnmatched: () => undefined });
    expect(empty).toThrow(tooComplex);
  });

  test('no size of letters that takes long to make smaller', () => {
    const pdf = formOf([`/FT/Tx/T(a)/Ff ${1 << 12}/DA(/Helv 999999999 Tf 0 g)/Rect[0 0 300 100]`]);
    expect(fill(pdf, { a: 'one two three four five six seven' }).filled).toBe(1);
    const far = formOf(['/FT/Tx/T(a)/Rect[0 0 999999999999999999999999 300]']);
    expect(() => fill(far, { a: 'x' })).toThrow(expect.objectContaining({ code: 'INVALID_FILE_FORMAT' }));
  });
});
