import { type PdfDocument, Ref } from '@scriptorium/pdf/read';
import { type Bodies, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import type { Choices } from '../pdf-changes/random.ts';
import { type Edit, edited } from '../pdf-changes/revisions.ts';

const stream = (keys: string, data: string): Buffer => streamBody(keys, Buffer.from(data, 'latin1'));
const RESOURCES = '/Resources<</Font<</F1 10 0 R>>>>';
const BOX = '/BBox[0 0 60 20]';
const form = (data: string, keys = BOX + RESOURCES) => stream(`/Subtype/Form${keys}`, data);
const widget = (keys: string) => `<</Type/Annot/Subtype/Widget${keys}>>`;
const LAYER = '/D<</OFF[13 0 R]/AS[<</Event/Print/Category[/Print]/OCGs[13 0 R]>>]>>';

/** Two pages, the second one turned, with what updates may touch: shared resources, fields, annotations, and a layer for paper. */
export const richBodies = (): Bodies => [
  `<</Type/Catalog/Pages 2 0 R/AcroForm 14 0 R/OCProperties<</OCGs[13 0 R]${LAYER}>>>>`,
  '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 400 600]/Resources 9 0 R>>',
  '<</Type/Page/Parent 2 0 R/Contents[5 0 R 6 0 R]/Annots 21 0 R>>',
  '<</Type/Page/Parent 2 0 R/Rotate 90/Contents 7 0 R/Annots 22 0 R>>',
  stream('', 'BT /F1 12 Tf 50 500 Td (Agreement of 1000 Euro) Tj ET /X1 Do'),
  stream('', 'BT /F1 12 Tf 50 450 Td (Second 2000) Tj ET q 40 0 0 40 300 480 cm /I1 Do Q'),
  stream('', 'BT /F1 20 Tf 50 300 Td (Third 3000) Tj ET /X1 Do'),
  form('BT /F1 14 Tf 60 530 Td (Form 4000) Tj ET', `/BBox[0 0 400 600]${RESOURCES}`),
  '<</Font<</F1 10 0 R>>/XObject<</X1 8 0 R/I1 11 0 R>>/Properties<</L 13 0 R>>>>',
  '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  stream('/Subtype/Image/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray', '\0\x80\x80\0'),
  form('BT /F1 12 Tf 2 5 Td (100) Tj ET'),
  '<</Type/OCG/Name(Layer)/Usage<</Print<</PrintState/ON>>/View<</ViewState/OFF>>>>>>',
  '<</Fields[15 0 R 16 0 R 17 0 R]/SigFlags 3/DA(/F1 12 Tf 0 g)/DR<</Font<</F1 10 0 R>>>>>>',
  widget('/FT/Tx/T(Amount)/V(100)/DA(/F1 12 Tf 0 g)/F 4/Rect[50 400 110 420]/P 3 0 R/AP<</N 12 0 R>>'),
  widget('/FT/Btn/T(Box)/V/Off/AS/Off/F 4/Rect[250 400 270 420]/P 3 0 R/AP<</N<</Yes 18 0 R/Off 19 0 R>>>>'),
  widget('/FT/Sig/T(Later)/F 4/Rect[50 100 150 140]/P 3 0 R'),
  form('0 g 4 4 12 12 re f', '/BBox[0 0 20 20]'),
  form('', '/BBox[0 0 20 20]'),
  '<</Type/Annot/Subtype/Text/Contents(Seen)/F 4/Rect[360 560 380 580]/P 3 0 R>>',
  '[15 0 R 16 0 R 17 0 R 20 0 R]',
  '[]',
];

type Box = [number, number, number, number];
/** Beside what the pages show, and over it. */
const EMPTY = '60 200 120 220 | 150 250 210 270 | 300 50 360 70 | 20 20 80 40';
const PLACES = `${EMPTY} | ${EMPTY} | 48 495 200 515 | 48 400 110 420 | 300 480 340 520`.split(' | ');
/** Usual and odd values of keys of annotations; the place stands for `$`. */
const VALUES: Readonly<Record<string, string>> = {
  Rect: '[$] | [$] | [$] | [0 0 0 0] | [60 200 120 220 9] | [60 200] | null | [60 200 60.001 220] | [0 0 400 600]',
  F: '4 | 4 | 0 | 1 | 2 | 16 | 20 | 28 | 32 | 36 | 64 | 132 | 256 | 512 | -1 | 65540',
  AS: '/N | /Off | /Yes | (N)',
  Border: '[0 0 0] | [0 0 1] | [0 0 40] | [9 9 5] | [0 0 1[3 2]] | []',
  BS: '<</W 0>> | <</W 1/S/D/D[3]>> | <</W 30/S/B>> | <</W -9>>',
  C: '[1 1 1] | [0 0 0] | [] | [1 0]',
  IC: '[1 1 1] | [0]',
  CA: '0 | 1 | .3',
  LE: '[/OpenArrow/ClosedArrow] | /Diamond',
  RD: '[1 1 1 1] | [-300 -300 -300 -300]',
  DA: '(/F1 12 Tf 1 g) | (/F1 99 Tf 0 g)',
  RC: '(<body><p>Other</p></body>)',
  Contents: '(9000)',
  QuadPoints:
    '[60 220 120 220 60 200 120 200] | [48 515 200 515 48 495 200 495] | [60 220] | [0 600 400 600 0 0 400 0]',
  InkList: '[[60 205 70 210]] | [[48 505 200 505]] | []',
  L: '[60 205 110 215] | [48 505 200 505]',
  Vertices: '[60 200 120 200 120 220] | [48 495 200 495 200 515 48 515]',
  CL: '[60 200 70 210] | [48 505 200 505 60 205]',
  LL: '0 | 300',
  IT: '/FreeTextTypeWriter | /LineDimension | /PolygonCloud | /FreeTextCallout',
  Rotate: '90 | 45',
  Name: '/Note | /Approved | /Draft',
  Popup: '20 0 R | 15 0 R',
};
/** Kinds of comments, the key that each needs, and others. */
const KINDS = [
  'Text Name|Link Border BS QuadPoints|FreeText DA CL BS IC RD|Line L LL BS IC LE|Square BS IC RD|Circle BS IC RD|Stamp Name',
  'Polygon Vertices BS IC|PolyLine Vertices BS IC LE|Caret RD|Ink InkList BS|Popup C|Highlight QuadPoints|Underline QuadPoints',
  'Squiggly QuadPoints|StrikeOut QuadPoints',
].flatMap((line) => line.split('|'));
const COMMON = 'Contents AS Border C CA Popup RC IT Rotate'.split(' ');
const INLINE_IMAGE = 'q BI /W 1 /H 1 /BPC 8 /CS /G ID xEI Q Q 0 g 0 0 400 600 re f EI Q';
const CONTENTS = [
  ...[
    '',
    'n',
    '1 g 0 0 60 20 re f',
    '0 g 2 2 9 9 re f',
    'BT /F1 12 Tf 2 5 Td (9000) Tj ET',
    '/X1 Do',
    'q',
    '/S sh',
  ],
  ...[
    'q 400 0 0 600 -60 -200 cm /I1 Do Q',
    '/OC /L BDC 1 g -900 -900 9999 9999 re f',
    '/G gs 1 g 0 0 60 20 re f',
  ],
  ...['Q Q 1 g 0 0 400 600 re f', 'QQ 1 g 0 0 400 600 re f', INLINE_IMAGE, 'EMC BT 1 g 0 0 60 20 re f'],
];
const BOXES = [
  ...[BOX, BOX, BOX, '/BBox[0 0 0 0]', '/BBox[60 20 0 0]', '', '/BBox[0 0 60]', '/BBox[-900 -900 9999 9999]'],
  ...['0 0 0 0 0 0', '.01 0 0 1 0 0', '0 1 -1 0 0 0', '1 1 1 1 0 0', '1 0 0'].map(
    (each) => `${BOX}/Matrix[${each}]`,
  ),
  ...['/OC 13 0 R', '/Group<</S/Transparency/K true>>'].map((key) => BOX + key),
];
const STATES = ['/BM/Multiply', '/ca 0'].map((key) => `/Resources<</ExtGState<</G<<${key}>>>>>>`);
const LOOK_RESOURCES = [RESOURCES, '', '/Resources 9 0 R', ...STATES];

/** An update, and where it may show something: the number of a page, and a box. */
export interface RandomUpdate {
  bytes: Buffer;
  places: [number, ...Box][];
  isFilled: boolean;
}

export function randomUpdate(pdf: Buffer, choices: Choices): RandomUpdate {
  const made: RandomUpdate = { bytes: pdf, places: [], isFilled: false };
  made.bytes = edited(pdf, (edit) => {
    const change = choices.of([annotate, annotate, annotate, annotate, fill, addField]);
    change(edit, choices, made);
  });
  return made;
}

const listed = (document: PdfDocument, num: number): string => {
  const items = document.object(new Ref(num, 0))?.value;
  return (Array.isArray(items) ? items : []).join(' ');
};

const valueFor = (choices: Choices, name: string, place = '60 200 120 220', isUsual = false): string => {
  const values = VALUES[name]?.split(' | ') ?? [];
  return choices.of(values.slice(0, isUsual ? 1 : undefined)).replace('$', place);
};

function annotate({ put, add, document }: Edit, choices: Choices, { places }: RandomUpdate): void {
  const [page, place, isUsual] = [choices.of([3, 3, 3, 4]), choices.of(PLACES), choices.upTo(2) === 0];
  const [kind, needed, ...own] = choices.of(KINDS).split(' ');
  const more = choices.some([...COMMON, ...own]).filter(() => choices.upTo(4) === 0);
  const names = [...new Set(['Rect', 'F', needed ?? '', ...more])];
  const keys = names.map((name) => `/${name} ${valueFor(choices, name, place, isUsual)}`).join('');
  const look = choices.upTo(3) === 0 ? '' : `/AP ${looksOf(add, choices)}`;
  const annotation = add(`<</Type/Annot/Subtype/${kind}/P ${page} 0 R${keys}${look}>>`);
  const list = page === 3 ? 21 : 22;
  const known = listed(document, list);
  put(list, choices.upTo(4) === 0 ? `[${annotation} ${known}]` : `[${known} ${annotation}]`);
  for (const [, box] of keys.matchAll(/\/(?:Rect|QuadPoints) \[([^\]]*)\]/g))
    places.push([page, ...around(box)]);
}

/** A note may have an icon at its corner, and on a page that is turned it does not turn with it. */
function around(box = ''): Box {
  const numbers = box.split(' ').map(Number).slice(0, 8);
  const xs = numbers.filter((_, index) => index % 2 === 0);
  const ys = numbers.filter((_, index) => index % 2 === 1);
  const [left, bottom, right, top] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  const side = Math.max(24, right - left, top - bottom);
  return [left - side, top - side, left + side, top + side];
}

function looksOf(add: Edit['add'], choices: Choices): string {
  const one = () => add(form(choices.of(CONTENTS), choices.of(BOXES) + choices.of(LOOK_RESOURCES)));
  const states = () => `<</N ${one()}/Off ${one()}>>`;
  const normal = choices.of([one, one, one, one, states, () => '<<>>', () => '8 0 R', () => '11 0 R'])();
  return `<</N ${normal}${choices.upTo(8) === 0 ? `/D ${one()}` : ''}>>`;
}

function fill({ set, add }: Edit, choices: Choices, made: RandomUpdate): void {
  made.isFilled = true;
  made.places.push([3, 50, 400, 110, 420], [3, 250, 400, 270, 420]);
  if (choices.upTo(4) === 0) {
    set(16, { V: '/Yes', AS: choices.of(['/Yes', '/Yes', '/Off']) });
    return;
  }
  const value = choices.of(['200', '9', 'Ada']);
  const end = choices.of([
    '',
    '',
    '',
    ' /X1 Do',
    ' 1 g -50 -50 999 999 re f',
    ' Q 1 g 0 0 400 600 re f',
    ' QQ',
    ' EMC',
  ]);
  const look = form(
    `/Tx BMC q BT /F1 12 Tf 0 g 2 5 Td (${value}) Tj ET Q EMC${end}`,
    choices.of(BOXES) + RESOURCES,
  );
  const style = choices.of(['', '', 'DA', 'BS', 'F', 'Border', 'C']);
  set(15, {
    V: `(${value})`,
    AP: `<</N ${add(look)}>>`,
    ...(style && { [style]: valueFor(choices, style) }),
  });
}

function addField({ set, put, add, document }: Edit, choices: Choices, { places }: RandomUpdate): void {
  const rect = valueFor(choices, 'Rect', choices.of(PLACES));
  const look = choices.upTo(2) === 0 ? '' : `/AP ${looksOf(add, choices)}`;
  const field = add(widget(`/FT/Sig/T(New)/P 3 0 R/Rect ${rect}/F ${valueFor(choices, 'F')}${look}`));
  const known = listed(document, 21);
  set(14, { Fields: `[${known.replace(' 20 0 R', '')} ${field}]` });
  put(21, `[${known} ${field}]`);
  if (rect.startsWith('[')) places.push([3, ...around(rect.slice(1, -1))]);
}
