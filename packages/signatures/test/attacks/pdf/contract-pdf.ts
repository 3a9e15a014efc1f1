import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { fieldLook } from './documents.ts';

/** Object numbers of `contractPdf`. */
export const CONTRACT = {
  catalog: 1,
  page: 3,
  form: 6,
  /** A node of the form without a type: `buyer`, which holds `name` and `city`. */
  buyer: 7,
  nameLook: 8,
  name: 10,
  city: 11,
  /** A check box in the state off. */
  paid: 12,
  /** A text field with rich text. */
  amount: 13,
  /** A note by Ada. */
  note: 14,
  paidOn: 15,
  paidOff: 16,
  signature: 19,
  structure: 20,
  document: 21,
  parentTree: 22,
  paragraph: 23,
  figure: 24,
  metadata: 25,
  info: 26,
} as const;

const stream = (keys: string, data: string): Buffer => streamBody(keys, Buffer.from(data, 'latin1'));
const form = (keys: string, data: string): Buffer =>
  stream(`/Type/XObject/Subtype/Form/BBox[0 0 20 20]${keys}`, data);

const bytesOf = (body: string): Buffer => Buffer.from(body, 'latin1');

/** A payment code of squares of 3 points, at (300, 40); deterministic noise. */
const code = Array.from({ length: 400 }, (_, at) => at)
  .filter((at) => (at * 2_654_435_761) % 97 < 48)
  .map((at) => `${300 + (at % 20) * 3} ${40 + Math.floor(at / 20) * 3} 3 3 re`)
  .join(' ');

export const xmp = (title: string, saved = '2026-01-01T00:00:00Z'): Buffer =>
  stream(
    '/Type/Metadata/Subtype/XML',
    `<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description><dc:title>${title}</dc:title><xmp:ModifyDate>${saved}</xmp:ModifyDate></rdf:Description></rdf:RDF></x:xmpmeta>`,
  );

/** Bodies of a tagged contract: a form of several levels, a drawn payment code, a note, metadata. */
export const contractBodies = (): (string | Buffer)[] => [
  '<</Type/Catalog/Pages 2 0 R/AcroForm 6 0 R/StructTreeRoot 20 0 R/MarkInfo<</Marked true>>/Lang(en)/Metadata 25 0 R>>',
  '<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 400 600]>>',
  '<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>/Annots[10 0 R 11 0 R 12 0 R 13 0 R 14 0 R 19 0 R]/StructParents 0/Tabs/S>>',
  stream(
    '',
    `/P<</MCID 0>>BDC BT /F1 12 Tf 50 500 Td (Agreement) Tj ET EMC /Figure<</MCID 1>>BDC ${code} f EMC 50 550 m 350 550 l S`,
  ),
  '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  '<</Fields[7 0 R 12 0 R 13 0 R 19 0 R]/DA(/Helv 12 Tf 0 g)/DR<</Font<</Helv 5 0 R>>>>>>',
  '<</T(buyer)/Kids[10 0 R 11 0 R]>>',
  bytesOf(fieldLook('Ada')),
  bytesOf(fieldLook('Wien')),
  '<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Ada)/Parent 7 0 R/F 4/Rect[50 400 200 420]/P 3 0 R/AP<</N 8 0 R>>>>',
  '<</Type/Annot/Subtype/Widget/FT/Tx/T(city)/V(Wien)/Parent 7 0 R/F 4/Rect[50 370 200 390]/P 3 0 R/AP<</N 9 0 R>>>>',
  '<</Type/Annot/Subtype/Widget/FT/Btn/T(paid)/V/Off/AS/Off/F 4/Rect[50 340 70 360]/P 3 0 R/AP<</N<</Yes 15 0 R/Off 16 0 R>>>>>>',
  '<</Type/Annot/Subtype/Widget/FT/Tx/Ff 33554432/T(amount)/V(100)/RV(<body><p>100</p></body>)/F 4/Rect[50 310 200 330]/P 3 0 R/AP<</N 17 0 R>>>>',
  '<</Type/Annot/Subtype/Text/Contents(Read by Ada)/T(Ada)/F 4/Rect[360 560 380 580]/P 3 0 R/AP<</N 18 0 R>>>>',
  form('', '2 2 m 18 18 l 2 18 m 18 2 l S'),
  form('', ''),
  bytesOf(fieldLook('100')),
  form('', '1 w 2 2 16 16 re S'),
  '<</Type/Annot/Subtype/Widget/FT/Sig/T(Signature)/F 4/Rect[50 100 250 160]/P 3 0 R>>',
  '<</Type/StructTreeRoot/K 21 0 R/ParentTree 22 0 R/ParentTreeNextKey 1>>',
  '<</Type/StructElem/S/Document/P 20 0 R/K[23 0 R 24 0 R]>>',
  '<</Nums[0[23 0 R 24 0 R]]>>',
  '<</Type/StructElem/S/P/P 21 0 R/Pg 3 0 R/K 0>>',
  '<</Type/StructElem/S/Figure/Alt(Payment code)/P 21 0 R/Pg 3 0 R/K 1>>',
  xmp('Agreement'),
  '<</Title(Agreement)/Producer(A)/ModDate(D:20260101000000Z)>>',
];

export const contractPdf = (): Buffer => classicPdf(contractBodies(), '/Info 26 0 R');
