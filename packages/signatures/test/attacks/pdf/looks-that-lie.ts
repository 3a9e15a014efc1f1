import type { Update } from '@scriptorium/pdf/update';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import type { Attack, AttackClass } from '../attack.ts';
import { CONTRACT, contractBodies } from './contract-pdf.ts';
import { fieldLook } from './documents.ts';
import { changeObject, updated } from './edit.ts';
import { ref } from './honest-change.ts';

const SOURCE = 'attacks on files that this service signed, 2026';
const stream = (keys: string, data: string) => streamBody(keys, Buffer.from(data, 'latin1'));
const widget = '/Type/Annot/Subtype/Widget/F 4/P 3 0 R';

/** Numbers of the objects after those of the contract. */
export const MORE = {
  symbols: 27,
  image: 28,
  currency: 29,
  list: 31,
  choice: 33,
  a: 34,
  b: 35,
  secret: 36,
  price: 37,
};

/** A contract with fields of the other kinds. The script formats the price. */
export function fieldsPdf(script = 'AFNumber_Format(2)'): Buffer {
  const bodies = contractBodies();
  bodies[2] = String(bodies[2]).replace('19 0 R]', '19 0 R 29 0 R 31 0 R 34 0 R 35 0 R 36 0 R 37 0 R]');
  bodies[5] = String(bodies[5])
    .replace('19 0 R]', '19 0 R 29 0 R 31 0 R 33 0 R 36 0 R 37 0 R]')
    .replace('/Helv 5 0 R', '/Helv 5 0 R/ZaDb 27 0 R');
  const action = `/AA<</F<</S/JavaScript/JS(${script.replace(/[()]/g, '\\$&')})>>>>`;
  return classicPdf([
    ...bodies,
    '<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>',
    stream('/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray', 'x'),
    `<<${widget}/FT/Ch/Ff 131072/T(currency)/Opt[[(eur)(Euro)][(usd)(Dollar)]]/V(eur)/Rect[220 400 370 420]/AP<</N 30 0 R>>>>`,
    fieldLook('Euro'),
    `<<${widget}/FT/Ch/T(list)/Opt[(One)(Two)]/V(One)/I[0]/Rect[220 370 370 390]/AP<</N 32 0 R>>>>`,
    fieldLook('One Two'),
    '<</FT/Btn/Ff 32768/T(choice)/V/a/Kids[34 0 R 35 0 R]>>',
    `<<${widget}/Parent 33 0 R/AS/a/Rect[220 340 240 360]/AP<</N<</a 15 0 R/Off 16 0 R>>>>>>`,
    `<<${widget}/Parent 33 0 R/AS/Off/Rect[250 340 270 360]/AP<</N<</b 15 0 R/Off 16 0 R>>>>>>`,
    `<<${widget}/FT/Tx/Ff 8192/T(secret)/V(abc)/Rect[220 310 370 330]>>`,
    `<<${widget}/FT/Tx/T(price)/V(100)${action}/Rect[220 280 370 300]/AP<</N 38 0 R>>>>`,
    fieldLook('100.00'),
  ]);
}

/** The look of a field of 150 × 20 points. */
const look = (content: string, resources = '/Font<</Helv 5 0 R/ZaDb 27 0 R>>', keys = '') =>
  stream(`/Type/XObject/Subtype/Form/BBox[0 0 150 20]/Resources<<${resources}>>${keys}`, content);
const text = (words: string, state = '', place = '2 5 Td') =>
  `/Tx BMC q BT ${state} /Helv 12 Tf ${place} (${words}) Tj ET Q EMC`;
const doubtful = (name: string, change: (update: Update) => void, pdf = fieldsPdf()): Attack => ({
  name,
  verdict: 'indeterminate',
  codes: ['MODIFICATION_DOUBTFUL'],
  make: async (lab) => updated(await lab.sign(pdf), change),
});
/** The contract with other bytes, as many, in a place. */
const rewritten = (from: string, to: string): Buffer =>
  Buffer.from(fieldsPdf().toString('latin1').replace(from, to), 'latin1');
const filled = (
  name: string,
  value: string,
  drawn: (update: Update) => Buffer | string,
  num: number = CONTRACT.amount,
  pdf?: Buffer,
) =>
  doubtful(
    name,
    (update) =>
      changeObject(update, ref(num), { V: value, RV: undefined, AP: `<</N ${update.add(drawn(update))}>>` }),
    pdf,
  );
const shown = (name: string, value: string, content: string, resources?: string, keys?: string) =>
  filled(name, `(${value})`, () => look(content, resources, keys));
/** A visible path beside the hidden text `200`. */
const SEEN = '2 2 m 10 18 l 20 2 l 30 18 l S';

const HIDDEN: Attack[] = (
  [
    ['are invisible, and an image is seen', `${text('200', '3 Tr')} q 150 0 0 20 0 0 cm /I Do Q`],
    ['are invisible, and lines are seen', `${text('200', '3 Tr')} ${SEEN}`],
    ['are white', `${text('200', '1 g')} ${SEEN}`],
    ['have the color of their ground', `0.5 g 0 0 150 20 re f ${text('200', '0.5 g')}`],
    ['are transparent', `/G gs ${text('200')}`],
    ['are masked', `/S gs ${text('200')}`],
    ['lie beside the field', `${text('200', '', '900 5 Td')} ${SEEN}`],
    ['lie below a field of one line', `${text('200', '', '2 -40 Td')} ${SEEN}`],
    ['are painted over', `${text('200')} 1 g 0 0 150 20 re f`],
    ['are too small', `BT /Helv .5 Tf 2 5 Td (200) Tj ET ${SEEN}`],
    ['are on a layer', '/OC /MC0 BDC BT /Helv 12 Tf 2 5 Td (200) Tj ET EMC'],
    ['are upside down', 'BT /Helv 12 Tf -1 0 0 -1 100 15 Tm (200) Tj ET'],
    ['have another text for machines', '/Span<</ActualText(900)>>BDC BT /Helv 12 Tf 2 5 Td (200) Tj ET EMC'],
    ['have drawn digits beside them', `${text('200')} 30 5 7 9 re S 40 5 7 9 re S`],
    ['have curves beside them', `${text('200')} 30 5 m 35 0 40 0 45 5 c S`],
    ['lie under a broad line', `${text('200')} 1 G 20 w 0 9 m 150 9 l S`],
    ['lie under many lines', `${text('200')} 1 G 3 w 0 5 m 150 5 l S 0 8 m 150 8 l S 0 11 m 150 11 l S`],
    ['lie on a broad line of their color', `20 w 0 9 m 150 9 l S ${text('200')}`],
    ['are written over each other', 'BT /Helv 12 Tf 2 5 Td (2) Tj 0 0 Td (0) Tj 0 0 Td (0) Tj ET'],
    ['stand in another order', 'BT /Helv 12 Tf 60 5 Td (2) Tj -40 0 Td (00) Tj ET'],
  ] as const
).map(([what, content]) =>
  shown(
    `the words of a look ${what}`,
    '200',
    content,
    '/Font<</Helv 5 0 R>>/XObject<</I 28 0 R>>/ExtGState<</G<</ca 0>>/S<</SMask<</S/Alpha/G 16 0 R>>>>>>',
  ),
);

const GLYPH = '500 0 d0 0 0 500 700 re f';

export const looksThatLie: AttackClass = {
  name: 'Looks that lie',
  source: SOURCE,
  attacks: [
    ...HIDDEN,
    shown('the value is cut off', '1000000', `q 0 0 22 20 re W n ${text('1000000')} Q`),
    shown(
      'the rest of the value is far away',
      '1000000',
      '/Tx BMC BT /Helv 12 Tf 2 5 Td (100) Tj 400 0 Td (0000) Tj ET EMC',
    ),
    shown(
      'it has an encryption of its own, and is empty in Poppler',
      '200',
      text('200'),
      undefined,
      '/Filter[/Crypt]',
    ),
    shown('digits stand together that stand apart in the value', '1 1/2', text('11/2')),
    shown('digits stand apart that stand together in the value', '200', text('2 00')),
    shown('digits are moved apart', '200', 'BT /Helv 12 Tf 2 5 Td [(2)-400(00)] TJ ET'),
    ...[{ DA: '(/Helv 12 Tf 1 g)' }, { DA: '(/Helv .1 Tf 0 g)' }, { MK: '<</BG[0]>>' }].map((style) =>
      doubtful(
        `readers that show fields for filling in hide the value by ${Object.values(style)}`,
        (update) => {
          const look = update.add(fieldLook('200'));
          changeObject(update, ref(CONTRACT.name), { V: '(200)', ...style, AP: `<</N ${look}>>` });
        },
      ),
    ),
    shown('the font is missing, and readers take another', '200', text('1000000').replace('/Helv', '/Nope')),
    filled('the look has no resources, and readers look for its font elsewhere', '(200)', () =>
      stream('/Type/XObject/Subtype/Form/BBox[0 0 150 20]', text('200')),
    ),
    shown('the last digits are outside of the field', '1000000', text('1000000', '', '115 5 Td')),
    shown('wide letters push the end out of the field', 'WWWWWWWWWWWWWWWW1', text('WWWWWWWWWWWWWWWW1')),
    filled(
      'the last line is below a field of many lines',
      '(Pay 100\\n000)',
      () => look('BT /Helv 12 Tf 2 5 Td (Pay 100) Tj 0 -14 Td (000) Tj ET'),
      CONTRACT.amount,
      rewritten('/Ff 33554432', '/Ff 00004096'),
    ),
    filled(
      'a field lies over another one',
      '(200)',
      () => fieldLook('200'),
      CONTRACT.amount,
      rewritten('/Rect[220 280 370 300]', '/Rect[050 310 200 330]'),
    ),
    filled('a new font has a program of its own', '(200)', (update) => {
      const program = update.add(stream('', 'OTTO'));
      const font = `<</Type/Font/Subtype/TrueType/BaseFont/AAAAAA+Arial/Encoding/WinAnsiEncoding/FontDescriptor<</Type/FontDescriptor/FontName/AAAAAA+Arial/Flags 32/FontFile2 ${program}>>>>`;
      return look(text('200'), `/Font<</Helv ${font}>>`);
    }),
    shown(
      'a font has no glyph for a letter',
      '200',
      text('200'),
      '/Font<</Helv<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 48/LastChar 49/Widths[556 556]>>>>',
    ),
    shown('a symbol stands beside another value', '200', `${text('1000000')} BT /ZaDb 12 Tf (4) Tj ET`),
    shown('a look is turned upside down', '66', text('66'), undefined, '/Matrix[-1 0 0 -1 150 20]'),
    shown(
      'the letters of a font have no width',
      '200',
      text('200'),
      '/Font<</Helv<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 48/LastChar 50/Widths[0 0 0]>>>>',
    ),
    shown(
      'the letters of a font go backwards',
      '12',
      text('12'),
      '/Font<</Helv<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 48/LastChar 50/Widths[-600 -600 -600]>>>>',
    ),
    doubtful('a value is packed, and its look shows the package', (update) => {
      const value = update.add(stream('/Filter/ASCIIHexDecode', '323030'));
      changeObject(update, ref(CONTRACT.name), {
        V: value.toString(),
        AP: `<</N ${update.add(fieldLook('323030'))}>>`,
      });
    }),
    filled('a power is shown as its digits', '<FEFF0031003000B2>', () => fieldLook('102')),
    {
      ...doubtful('words under the finger are not seen', (update) => {
        const [rest, pressed] = [fieldLook('200'), look(`${text('200', '3 Tr')} ${SEEN}`)].map((each) =>
          update.add(each),
        );
        changeObject(update, ref(CONTRACT.amount), {
          V: '(200)',
          RV: undefined,
          AP: `<</N ${rest}/D ${pressed}>>`,
        });
      }),
      verdict: 'invalid',
      codes: ['MODIFICATION_FORBIDDEN'],
    },
    filled('a font says that its digits are others', '(200)', (update) => {
      const map =
        '1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <39> <0032> <38> <0030> endbfchar';
      const font = `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode ${update.add(stream('', map))}>>`;
      return look(text('988'), `/Font<</Helv ${font}>>`);
    }),
    filled('a new font draws its digits', '(200)', (update) => {
      const glyph = update.add(stream('', GLYPH));
      const font = `<</Type/Font/Subtype/Type3/FontBBox[0 0 500 700]/FontMatrix[.001 0 0 .001 0 0]/CharProcs<</two ${glyph}/zero ${glyph}>>/Encoding<</Differences[48/zero/one/two]>>/FirstChar 48/LastChar 50/Widths[500 500 500]>>`;
      return look(text('200'), `/Font<</Helv ${font}>>`);
    }),
    doubtful('a state without a name shows another value', (update) =>
      changeObject(update, ref(CONTRACT.amount), {
        V: '(200)',
        RV: undefined,
        AP: `<</N<</Off ${update.add(fieldLook('1000000'))}>>>>`,
      }),
    ),
    filled('a value is a number', '1000000', () => look('')),
    filled('a value is a dictionary', '<</A 1>>', () => look('')),
    filled('a value is a name', '/200', () => fieldLook('200')),
    filled('a secret is shown as another text', '(x)', () => fieldLook('1000000'), MORE.secret),
    filled('a formatted number has more digits', '(200)', () => fieldLook('200000'), MORE.price),
    filled('a formatted number has fewer digits', '(200000)', () => fieldLook('200'), MORE.price),
    filled('a formatted number lost its point', '(1.50)', () => fieldLook('150'), MORE.price),
    filled(
      'a formatted number has its digits in another order',
      '(1234)',
      () => fieldLook('4,321'),
      MORE.price,
    ),
    filled('a formatted number lost its sign', '(-200)', () => fieldLook('200.00'), MORE.price),
    filled(
      'a formatted number has three decimals that may be thousands',
      '(200)',
      () => fieldLook('200.000'),
      MORE.price,
    ),
    doubtful('a list is emptied and shows more than its options', (update) =>
      changeObject(update, ref(MORE.list), {
        V: undefined,
        I: undefined,
        AP: `<</N ${update.add(fieldLook('One Two Million'))}>>`,
      }),
    ),
    doubtful('another option is marked than is chosen', (update) =>
      changeObject(update, ref(MORE.list), { V: '(Two)', I: '[0]' }),
    ),
    doubtful('a box gets a state of its own', (update) =>
      changeObject(update, ref(CONTRACT.paid), {
        V: '/Maybe',
        AS: '/Maybe',
        AP: `<</N<</Yes 15 0 R/Off 16 0 R/Maybe ${update.add(fieldLook('Not paid'))}>>>>`,
      }),
    ),
    doubtful('a box has the value of no state', (update) =>
      changeObject(update, ref(CONTRACT.paid), { V: '/Approved' }),
    ),
    doubtful('a box has a text for its value', (update) =>
      changeObject(update, ref(CONTRACT.paid), { V: '(Yes)' }),
    ),
    doubtful('a box is ticked and its tick has no length', (update) => {
      const tick = stream('/Type/XObject/Subtype/Form/BBox[0 0 20 20]', '0 0 m 0 0 l S');
      changeObject(update, ref(CONTRACT.paid), {
        V: '/Yes',
        AS: '/Yes',
        AP: `<</N<</Yes ${update.add(tick)}/Off 16 0 R>>>>`,
      });
    }),
    doubtful('a choice has the value of none of its buttons', (update) => {
      changeObject(update, ref(MORE.choice), { V: '/c' });
      changeObject(update, ref(MORE.a), { AS: '/Off' });
    }),
    {
      name: 'a rich text hides a part of itself from those who pass over tags',
      codes: ['MODIFICATION_FORBIDDEN'],
      make: async (lab) =>
        updated(await lab.sign(fieldsPdf()), (update) =>
          changeObject(update, ref(CONTRACT.amount), {
            V: '(200)',
            RV: '(<body><p>200<![CDATA[999]]></p></body>)',
            AP: `<</N ${update.add(fieldLook('200'))}>>`,
          }),
        ),
    },
  ],
};
