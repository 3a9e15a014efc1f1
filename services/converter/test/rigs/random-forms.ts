import { placeText } from '@scriptorium/contracts/jobs/rows';
import { escapeXml } from '@scriptorium/testing/fixtures/docx';
import { docxOf, NAMESPACES } from './documents.ts';

/** Numbers from 0 to 1, the same for each seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A document with places, and as many rows of texts for them as are asked for. */
export interface RandomForm {
  places: number;
  /** The document with these texts at its places. */
  document(texts: readonly string[]): Buffer;
  texts(): string[];
}

const RUN_PROPERTIES = [
  '',
  '<w:b/>',
  '<w:i/><w:color w:val="C00000"/>',
  '<w:sz w:val="40"/>',
  '<w:rStyle w:val="Strong"/>',
  '<w:rFonts w:ascii="Carlito" w:hAnsi="Carlito"/><w:u w:val="single"/>',
  '<w:highlight w:val="yellow"/><w:caps/>',
  '<w:vertAlign w:val="superscript"/>',
  '<w:spacing w:val="40"/><w:shd w:val="clear" w:fill="DDEEFF"/>',
];
const PARAGRAPH_PROPERTIES = [
  '',
  '<w:jc w:val="both"/>',
  '<w:jc w:val="center"/><w:spacing w:before="200" w:after="300"/>',
  '<w:pStyle w:val="Heading1"/>',
  '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>',
  '<w:ind w:left="700" w:hanging="300"/><w:keepNext/>',
  '<w:tabs><w:tab w:val="right" w:pos="9000"/></w:tabs>',
  '<w:pBdr><w:bottom w:val="single" w:sz="8" w:color="0000FF"/></w:pBdr>',
];
const WORDS = 'Vellum, quills and ink of oak gall are bound to the lectern (see § 4) – 12,50 € each'.split(
  ' ',
);
const TEXTS = [
  'x',
  '7',
  'Ada',
  ' spaced  twice ',
  'Grüße aus Ærø',
  '漢字とかな、한글',
  'Ελλάδα и Россия',
  '½ ≤ ∑ ★ → ™',
  'non\u00a0breaking\u2011hyphen and soft\u00adhyphen',
  'office affluent fjord',
  '<b>&amp;</b>',
  'a-very-long-word-'.repeat(12),
];

export function randomForm(seed: number): RandomForm {
  const random = randomFrom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const words = (count: number) => Array.from({ length: count }, () => pick(WORDS)).join(' ');
  let places = 0;
  const piece = (text: string) =>
    `<w:r><w:rPr>${pick(RUN_PROPERTIES)}</w:rPr><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r>`;
  const field = (name: string) => `<w:fldSimple w:instr=" ${name} ">${piece('1')}</w:fldSimple>`;
  const place = () => piece(placeText(places++));
  const contents = [
    () => place(),
    () => piece('Name: ') + place(),
    () => place() + place(),
    () => piece(words(8)) + place() + piece(words(3)) + place() + piece('.'),
    () => `${place()}<w:r><w:tab/></w:r>${place()}`,
    () => `${piece(`${words(2)}${placeText(places++)}`)}<w:r><w:br/></w:r>${place()}`,
    () => piece(words(40)),
    () => `${piece('of ')}${field('NUMPAGES')}${piece(' pages ')}${place()}`,
  ];
  const paragraph = () => `<w:p><w:pPr>${pick(PARAGRAPH_PROPERTIES)}</w:pPr>${pick(contents)()}</w:p>`;
  const repeat = (count: number, make: () => string) => Array.from({ length: count }, make).join('');
  const table = () => {
    const columns = 1 + below(4);
    const cell = () =>
      `<w:tc><w:tcPr><w:tcW w:w="${9000 / columns}" w:type="dxa"/></w:tcPr>${paragraph()}</w:tc>`;
    const row = () => `<w:tr>${repeat(columns, cell)}</w:tr>`;
    const grid = `<w:tblGrid>${`<w:gridCol w:w="${9000 / columns}"/>`.repeat(columns)}</w:tblGrid>`;
    return `<w:tbl><w:tblPr><w:tblW w:w="9000" w:type="dxa"/></w:tblPr>${grid}${repeat(1 + below(4), row)}</w:tbl>${paragraph()}`;
  };
  const body = repeat(2 + below(8), () => (random() < 0.2 ? table() : paragraph()));
  const header = `<w:hdr ${NAMESPACES}><w:p>${piece('Page ')}${field('PAGE')}${piece(' of ')}${field('NUMPAGES')}${place()}</w:p></w:hdr>`;
  const footer = `<w:ftr ${NAMESPACES}>${paragraph()}</w:ftr>`;
  const parts = [
    { name: 'header1.xml', kind: 'header', data: header },
    { name: 'footer1.xml', kind: 'footer', data: footer },
    { name: 'numbering.xml', kind: 'numbering', data: NUMBERING },
  ];
  const section =
    '<w:headerReference w:type="default" r:id="rId2"/><w:footerReference w:type="default" r:id="rId3"/>';
  const withTexts = (xml: string, texts: readonly string[]) =>
    xml.replace(/\u{F5C0}(\d+)\u{F5C1}/gu, (_, number) => escapeXml(texts[Number(number)] ?? ''));
  return {
    places,
    document: (texts) =>
      docxOf(
        withTexts(body, texts),
        parts.map((part) => ({ ...part, data: withTexts(part.data, texts) })),
        section,
      ),
    texts: () =>
      Array.from({ length: places }, () => {
        if (random() < 0.1) return words(20 + below(300));
        return random() < 0.5 ? pick(TEXTS) : words(1 + below(6));
      }),
  };
}

const NUMBERING = `<w:numbering ${NAMESPACES}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/>
<w:numFmt w:val="decimal"/><w:lvlText w:val="%1)"/><w:pPr><w:ind w:left="720" w:hanging="360"/></w:pPr></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;
