import type { Update } from '@scriptorium/pdf/update';
import { streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import type { GoodFile } from '../attack.ts';
import { CONTRACT, xmp } from './contract-pdf.ts';
import { fieldLook } from './documents.ts';
import { changeObject, updated } from './edit.ts';
import { type HonestChange, ref } from './honest-change.ts';
import { fieldsPdf, MORE } from './looks-that-lie.ts';

const stream = (keys: string, data: string) => streamBody(keys, Buffer.from(data, 'latin1'));
const FONT = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica';
const drawn =
  (value: string, content: string, font = `${FONT}>>`) =>
  (update: Update) => {
    const keys = `/Type/XObject/Subtype/Form/BBox[0 0 150 20]/Resources<</Font<</Helv ${font}>>>>`;
    changeObject(update, ref(CONTRACT.name), {
      V: `(${value})`,
      AP: `<</N ${update.add(stream(keys, content))}>>`,
    });
  };

/** The usual ways in which programs draw a value. */
export const LOOKS: HonestChange[] = [
  {
    name: 'filled in, on a ground with a frame',
    change: drawn(
      'Bob',
      '0.9 g 0 0 150 20 re f 0 G 1 w .5 .5 149 19 re S /Tx BMC q 2 2 146 16 re W n BT /Helv 12 Tf 0 g 2 5 Td (Bob) Tj ET Q EMC',
    ),
  },
  {
    name: 'filled in, white on black',
    change: drawn('Bob', '0 g 0 0 150 20 re f /Tx BMC BT 1 g /Helv 12 Tf 2 5 Td (Bob) Tj ET EMC'),
  },
  {
    name: 'filled in, in boxes for letters',
    change: drawn(
      'Bob',
      '50 0 m 50 20 l 100 0 m 100 20 l S BT /Helv 12 Tf 20 5 Td (B) Tj 50 0 Td (o) Tj 50 0 Td (b) Tj ET',
    ),
  },
  {
    name: 'filled in, with kerning',
    change: drawn('Bob', 'BT /Helv 12 Tf 2 5 Td [(B) 40 (o) -30 (b)] TJ ET'),
  },
  {
    name: 'filled in, in two lines',
    change: drawn('Ada Bob', 'BT /Helv 7 Tf 2 12 Td (Ada) Tj 0 -8 Td (Bob) Tj ET'),
  },
  {
    name: 'filled in, in coordinates from the top',
    change: drawn('Bob', 'q 1 0 0 -1 0 20 cm BT /Helv 12 Tf 1 0 0 -1 2 15 Tm (Bob) Tj ET Q'),
  },
  {
    name: 'filled in, with a font that says what it shows',
    change: (update: Update) => {
      const map =
        '1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> <0020> endbfrange';
      drawn(
        'Bob',
        'BT /Helv 12 Tf 2 5 Td (Bob) Tj ET',
        `${FONT}/ToUnicode ${update.add(stream('', map))}>>`,
      )(update);
    },
  },
].map((each) => ({ ...each, least: 2, modifications: ['FIELD_VALUE'] }));

/** XMP in the style of other programs, without new content. */
const saved = (tags: string) => (update: Update) => {
  const text = xmp('Agreement').toString('latin1');
  const body = text.slice(text.indexOf('<?xpacket'), text.indexOf('\nendstream'));
  const changed = body.replace(/<xmp:ModifyDate>.*<\/xmp:ModifyDate>/, tags);
  update.replace(ref(CONTRACT.metadata), stream('/Type/Metadata/Subtype/XML', changed));
};

export const SAVED: HonestChange[] = [
  {
    name: 'saved again, with a history',
    change: saved(
      '\n <xmpMM:History><rdf:Seq><rdf:li rdf:parseType="Resource"><stEvt:action>saved</stEvt:action></rdf:li></rdf:Seq></xmpMM:History>\n',
    ),
  },
  {
    name: 'saved again, with a name space',
    change: saved(
      '<xmp:ModifyDate xmlns:xmp="http://ns.adobe.com/xap/1.0/">2027</xmp:ModifyDate><pdf:Producer/>',
    ),
  },
].map((each) => ({ ...each, least: 1, modifications: ['METADATA'] }));

const filled =
  (num: number, value: string, shown: string, more: Record<string, string> = {}) =>
  (update: Update) =>
    changeObject(update, ref(num), { V: value, AP: `<</N ${update.add(fieldLook(shown))}>>`, ...more });
const { price, currency, list, secret } = MORE;

/** Changes of the other kinds of fields. */
export const OTHER_FIELDS: readonly GoodFile[] = (
  [
    ['a price with decimals', filled(price, '(200)', '200.00')],
    ['a price with thousands', filled(price, '(1234567.5)', '1,234,567.50')],
    [
      'a price as in Germany',
      filled(price, '(1234567.5)', '1.234.567,50'),
      'AFNumber_Format(2,2,0,0,"",true)',
    ],
    [
      'a price with a currency',
      filled(price, '(200)', '200,00 EUR'),
      'AFNumber_Format(2,3,0,0," EUR",false)',
    ],
    ['a debt', filled(price, '(-200)', '\\(200.00\\)'), 'AFNumber_Format(2,0,2,0,"",true)'],
    ['a rounded price', filled(price, '(0.126)', '0.13')],
    ['a share', filled(price, '(0.255)', '25.5%'), 'AFPercent_Format(1,0)'],
    ['a date', filled(price, '(2026-01-31)', '31.1.2026'), 'AFDate_FormatEx("d.m.yyyy")'],
    ['a telephone number', filled(price, '(1234567890)', '\\(123\\) 456-7890'), 'AFSpecial_Format(2)'],
    ['a currency', filled(currency, '(usd)', 'Dollar', { I: '[1]' })],
    ['an option', filled(list, '(Two)', 'One Two', { I: '[1]' })],
    ['a secret', filled(secret, '(xyz)', '***')],
    [
      'a choice',
      (update: Update) => {
        changeObject(update, ref(MORE.choice), { V: '/b' });
        changeObject(update, ref(MORE.a), { AS: '/Off' });
        changeObject(update, ref(MORE.b), { AS: '/b' });
      },
    ],
  ] as [what: string, change: (update: Update) => void, script?: string][]
).map(([what, change, script]) => ({
  name: `a signed contract into which ${what} is filled`,
  make: async (lab) => updated(await lab.sign(fieldsPdf(script)), change),
  signatures: 1,
  documentModified: 'permitted',
  modifications: ['FIELD_VALUE'],
}));
