import { crc32 } from 'node:zlib';
import { documentOf, NAMESPACES, wordType, wordXml } from '@scriptorium/testing/fixtures/hostile/document';

const SYLLABLES =
  'sup ply pay ment a gree par ty no tice war ran de liv er con tract li a bil ty term ser vice or'.split(
    ' ',
  );
const VOCABULARY = 1_500;
const CLAUSES = 300;
const WORDS_A_PARAGRAPH = 45;
const STYLES = 90;

/** The same numbers in each run: a benchmark is repeatable. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

export function run(text: string, style = ''): string {
  return `<w:r>${style}<w:t xml:space="preserve">${text}</w:t></w:r>`;
}

function vocabulary(next: () => number): string[] {
  const syllable = () => SYLLABLES[Math.floor(next() * SYLLABLES.length)] ?? '';
  return Array.from({ length: VOCABULARY }, () => syllable() + syllable() + syllable());
}

function prose(next: () => number, words: readonly string[]): string {
  const word = () => words[Math.floor(next() * words.length)] ?? '';
  const id = () =>
    Math.floor(next() * 0xffffffff)
      .toString(16)
      .toUpperCase()
      .padStart(8, '0');
  const text = Array.from({ length: WORDS_A_PARAGRAPH }, word);
  const bold = '<w:rPr><w:b/><w:bCs/></w:rPr>';
  return (
    `<w:p w:rsidR="${id()}" w:rsidRDefault="${id()}"><w:pPr><w:pStyle w:val="BodyText"/><w:numPr><w:ilvl w:val="0"/>` +
    `<w:numId w:val="1"/></w:numPr><w:spacing w:after="120"/></w:pPr>${run(`${text.slice(0, 6).join(' ')} `, bold)}` +
    `${run(text.slice(6).join(' '))}</w:p>`
  );
}

function styles(): string {
  const style = (index: number) =>
    `<w:style w:type="paragraph" w:styleId="Style${index}"><w:name w:val="Style ${index}"/><w:basedOn w:val="Normal"/>` +
    `<w:pPr><w:spacing w:before="${index * 20}" w:after="${index * 10}"/></w:pPr><w:rPr><w:sz w:val="${16 + (index % 20)}"/></w:rPr></w:style>`;
  const known =
    '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>' +
    '<w:style w:type="paragraph" w:styleId="BodyText"><w:name w:val="Body Text"/><w:basedOn w:val="Normal"/></w:style>';
  return wordXml(known + Array.from({ length: STYLES }, (_, index) => style(index)).join(''), 'styles', '');
}

function numbering(): string {
  const levels = Array.from(
    { length: 9 },
    (_, level) =>
      `<w:lvl w:ilvl="${level}"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%${level + 1}."/></w:lvl>`,
  );
  return wordXml(
    `<w:abstractNum w:abstractNumId="0">${levels.join('')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`,
    'numbering',
    '',
  );
}

const THEME =
  '<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Office"><a:themeElements>' +
  `<a:clrScheme name="Office">${['dk1', 'lt1', 'dk2', 'lt2', 'accent1', 'accent2', 'accent3', 'accent4', 'accent5', 'accent6', 'hlink', 'folHlink'].map((name, index) => `<a:${name}><a:srgbClr val="${(index * 1_234_567).toString(16).padStart(6, '0').slice(-6)}"/></a:${name}>`).join('')}</a:clrScheme>` +
  '<a:fontScheme name="Office"><a:majorFont><a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/></a:majorFont>' +
  '<a:minorFont><a:latin typeface="Calibri"/><a:ea typeface=""/><a:cs typeface=""/></a:minorFont></a:fontScheme></a:themeElements></a:theme>';

/**
 * A contract with styles, numbering, theme and a header, by default of about 50 KB; `content` is placed among its
 * clauses.
 */
export function contractWith(
  content: readonly string[],
  { clauses = CLAUSES, header = 'Framework agreement' } = {},
): Buffer {
  const next = numbers(7);
  const words = vocabulary(next);
  const every = Math.max(1, Math.floor(clauses / content.length));
  let body = '';
  let used = 0;
  for (let index = 0; index < clauses; index++) {
    body += prose(next, words);
    if (index % every === every - 1 && used < content.length) body += content[used++];
  }
  body += content.slice(used).join('');
  const section =
    '<w:sectPr><w:headerReference w:type="default" r:id="rId4"/><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>';
  return documentOf({
    mainXml: `<w:document ${NAMESPACES}><w:body>${body}${section}</w:body></w:document>`,
    links: [
      { id: 'rId1', kind: 'styles', target: 'styles.xml' },
      { id: 'rId2', kind: 'numbering', target: 'numbering.xml' },
      { id: 'rId3', kind: 'theme', target: 'theme/theme1.xml' },
      { id: 'rId4', kind: 'header', target: 'header1.xml' },
    ],
    parts: [
      { name: 'word/styles.xml', data: styles(), type: wordType('styles') },
      { name: 'word/numbering.xml', data: numbering(), type: wordType('numbering') },
      {
        name: 'word/theme/theme1.xml',
        data: THEME,
        type: 'application/vnd.openxmlformats-officedocument.theme+xml',
      },
      {
        name: 'word/header1.xml',
        data: wordXml(paragraph(run(header)), 'hdr', ''),
        type: wordType('header'),
      },
    ],
  });
}

export function paragraph(inner: string): string {
  return `<w:p>${inner}</w:p>`;
}

function cells(texts: readonly string[]): string {
  const cell = (inner: string) =>
    `<w:tc><w:tcPr><w:tcW w:w="1500" w:type="dxa"/></w:tcPr><w:p>${inner}</w:p></w:tc>`;
  return texts.map((text) => cell(run(text))).join('');
}

export function row(texts: readonly string[]): string {
  return `<w:tr><w:trPr><w:cantSplit/></w:trPr>${cells(texts)}</w:tr>`;
}

/** A table with a header row and these rows, as XML. */
export function table(columns: readonly string[], rows: string): string {
  const grid = '<w:gridCol w:w="1500"/>'.repeat(columns.length);
  const header = row(columns).replace('<w:trPr>', '<w:trPr><w:tblHeader/>');
  return `<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>${grid}</w:tblGrid>${header}${rows}</w:tbl>`;
}

/** A content control with this tag around XML. */
export function control(tag: string, content: string): string {
  return `<w:sdt><w:sdtPr><w:tag w:val="${tag}"/><w:id w:val="${crc32(tag) % 0x7fffffff}"/></w:sdtPr><w:sdtContent>${content}</w:sdtContent></w:sdt>`;
}
