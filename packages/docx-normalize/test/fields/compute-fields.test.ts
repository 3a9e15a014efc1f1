import { describe, expect, it } from '@jest/globals';
import { Budget } from '@scriptorium/ooxml/bounds';
import { openPackage } from '@scriptorium/ooxml/package';
import { cpuMsSince } from '@scriptorium/testing/cpu-time';
import { escapeXml, packageEntries } from '@scriptorium/testing/fixtures/docx';
import { zip } from '@scriptorium/testing/fixtures/zip';
import { computeFields } from '../../src/fields/compute-fields.ts';

const OFFICE = 'http://schemas.openxmlformats.org';
const W = `${OFFICE}/wordprocessingml/2006/main`;
const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const PROPERTIES = 'application/vnd.openxmlformats';

const run = (xml: string) => `<w:r>${xml}</w:r>`;
const text = (words: string) => run(`<w:t xml:space="preserve">${escapeXml(words)}</w:t>`);
const mark = (type: string) => run(`<w:fldChar w:fldCharType="${type}"/>`);
const instruction = (code: string) =>
  run(`<w:instrText xml:space="preserve">${escapeXml(code)}</w:instrText>`);
const p = (content: string) => `<w:p>${content}</w:p>`;
/** A complex field whose instruction may contain fields: texts and markup alternate. */
const field = (code: string | readonly string[], stored = 'stored') => {
  const pieces = typeof code === 'string' ? [code] : code;
  const inner = pieces.map((piece) => (piece.startsWith('<') ? piece : instruction(piece))).join('');
  return mark('begin') + inner + mark('separate') + text(stored) + mark('end');
};

interface Pieces {
  body: string;
  settings?: string;
  header?: string;
  language?: string;
}

function documentOf({ body, settings = '', header, language = 'en-US' }: Pieces): Buffer {
  const part = (name: string, type: string, relation: string, data: string) => ({
    name,
    type,
    relation,
    data,
  });
  const parts = [
    part(
      'word/settings.xml',
      `${WORD}.settings+xml`,
      'settings',
      `<w:settings xmlns:w="${W}">${settings}</w:settings>`,
    ),
    part(
      'word/styles.xml',
      `${WORD}.styles+xml`,
      'styles',
      `<w:styles xmlns:w="${W}"><w:docDefaults><w:rPrDefault><w:rPr><w:lang w:val="${language}"/></w:rPr></w:rPrDefault></w:docDefaults></w:styles>`,
    ),
    ...(header === undefined
      ? []
      : [
          part('word/header1.xml', `${WORD}.header+xml`, 'header', `<w:hdr xmlns:w="${W}">${header}</w:hdr>`),
        ]),
  ];
  const core =
    `<cp:coreProperties xmlns:cp="${OFFICE}/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">` +
    '<dc:title>Offer</dc:title><dc:creator>Ada King</dc:creator><cp:revision>7</cp:revision>' +
    '<dcterms:created>2020-03-05T08:09:00Z</dcterms:created><dcterms:modified>2021-12-24T18:30:05Z</dcterms:modified></cp:coreProperties>';
  const custom =
    `<Properties xmlns="${OFFICE}/officeDocument/2006/custom-properties" xmlns:vt="${OFFICE}/officeDocument/2006/docPropsVTypes">` +
    '<property name="Client"><vt:lpwstr>ACME &amp; Co</vt:lpwstr></property><property name="Amount"><vt:i4>1234567</vt:i4></property>' +
    '<property name="Due"><vt:filetime>2022-02-03T00:00:00Z</vt:filetime></property><property name="Paid"><vt:bool>true</vt:bool></property></Properties>';
  const links = parts.map(
    ({ name, relation }, at) =>
      `<Relationship Id="rId${at + 1}" Type="${OFFICE}/officeDocument/2006/relationships/${relation}" Target="${name.slice(5)}"/>`,
  );
  const relationships = (items: string) =>
    `<Relationships xmlns="${OFFICE}/package/2006/relationships">${items}</Relationships>`;
  const mainXml = `<w:document xmlns:w="${W}" xmlns:r="${OFFICE}/officeDocument/2006/relationships"><w:body>${body}</w:body></w:document>`;
  const entries = packageEntries({
    mainXml,
    parts: [
      { name: 'word/_rels/document.xml.rels', data: relationships(links.join('')) },
      ...parts.map(({ name, data }) => ({ name, data })),
      { name: 'docProps/core.xml', data: core },
      { name: 'docProps/custom.xml', data: custom },
    ],
  });
  const override = (name: string, type: string) => `<Override PartName="/${name}" ContentType="${type}"/>`;
  const types =
    parts.map(({ name, type }) => override(name, type)).join('') +
    override('docProps/core.xml', `${PROPERTIES}-package.core-properties+xml`) +
    override('docProps/custom.xml', `${PROPERTIES}-officedocument.custom-properties+xml`);
  const rootLinks =
    `<Relationship Id="c1" Type="${OFFICE}/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/>` +
    `<Relationship Id="c2" Type="${OFFICE}/officeDocument/2006/relationships/custom-properties" Target="docProps/custom.xml"/>`;
  return zip(
    entries.map((entry) => {
      const data = String(entry.data);
      if (entry.name === '[Content_Types].xml')
        return { ...entry, data: data.replace('</Types>', `${types}</Types>`) };
      if (entry.name !== '_rels/.rels') return entry;
      return { ...entry, data: data.replace('</Relationships>', `${rootLinks}</Relationships>`) };
    }),
  );
}

const textOf = (xml: string) =>
  [...xml.matchAll(/<w:t[ >][^<]*?>?([^<>]*)<\/w:t>/g)].map(([, words]) => words).join('');

async function computed(pieces: Pieces) {
  const bytes = await computeFields(documentOf(pieces), new Date(), new Budget());
  const { main, parts } = await openPackage(bytes);
  const xml = main.xml ?? '';
  return {
    xml,
    shown: textOf(xml),
    header: textOf(parts.get('word/header1.xml')?.xml ?? ''),
    instructions: [...xml.matchAll(/<w:instrText[^>]*>([^<]*)/g)].map(([, code]) => code),
  };
}

const shownOf = async (code: string | readonly string[], more: Partial<Pieces> = {}) =>
  (await computed({ ...more, body: p(field(code)) + (more.body ?? '') })).shown;

describe('a field shows', () => {
  it.each([
    ['AUTHOR', 'Ada King'],
    ['TITLE \\* Upper', 'OFFER'],
    ['DOCPROPERTY Client', 'ACME &amp; Co'],
    ['DOCPROPERTY "Amount" \\# "#,##0"', '1,234,567'],
    ['DOCPROPERTY Paid', 'Y'],
    ['DOCPROPERTY Due \\@ "d MMMM yyyy"', '3 February 2022'],
    ['INFO Title', 'Offer'],
    ['CREATEDATE \\@ "yyyy-MM-dd HH:mm"', '2020-03-05 08:09'],
    ['SAVEDATE \\@ "dddd, MMM d, yy h:mm am/pm"', 'Friday, Dec 24, 21 6:30 PM'],
    ['REVNUM', '7'],
    ['QUOTE "plain words"', 'plain words'],
    ['SECTION', '1'],
    ['= 2 + 3 * 4', '14'],
    ['= (1 + 2) ^ 2 / 3 - 10%', '2.9'],
    ['= SUM(1, 2, MAX(3; 4)) \\# "0.00 EUR"', '7.00 EUR'],
    ['= ROUND(2.675, 2)', '2.68'],
    ['= 14 \\* Roman', 'XIV'],
    ['= 14 \\* roman', 'xiv'],
    ['= 28 \\* alphabetic', 'bb'],
    ['= 21 \\* CardText', 'twenty-one'],
    ['= 1012 \\* OrdText \\* FirstCap', 'One thousand twelfth'],
    ['= 113 \\* Ordinal', '113th'],
    ['= 255 \\* Hex', 'FF'],
    ['= 1234.5 \\# "#,##0.00;(#,##0.00)"', '1,234.50'],
    ['= -1234.5 \\# "#,##0.00;(#,##0.00)"', '(1,234.50)'],
    ['IF 3 > 2 "yes" "no"', 'yes'],
    ['IF "b" < "a" "yes" "no"', 'no'],
    ['IF "Invoice" = "Inv*" "yes" "no"', 'yes'],
    ['IF 10 = 10.0 same different', 'same'],
    ['COMPARE 1 <> 2', '1'],
  ])('%s as %s', async (code, shown) => {
    expect(await shownOf(code)).toBe(shown);
  });

  it.each([
    [
      'a property in a condition',
      ['IF ', field('DOCPROPERTY Client'), ' = "ACME & Co" "known" "new"'],
      'known',
    ],
    ['a comparison without spaces', ['IF ', field('DOCPROPERTY Amount'), '>100 "much" "little"'], 'much'],
    ['a chosen field', ['IF 1 = 1 "by ', field('AUTHOR'), '" "nobody"'], 'by Ada King'],
    ['a computation', ['= ', field('DOCPROPERTY Amount'), ' / 2 \\# "0"'], '617284'],
    ['a nested formula', ['= 2 * ', field(['= 1 + ', field('REVNUM')])], '16'],
  ])('%s from the fields inside', async (_name, code, shown) => {
    expect(await shownOf(code as string[])).toBe(shown);
  });

  it('a variable of the document', async () => {
    const settings = '<w:docVars><w:docVar w:name="Rate" w:val="19 %"/></w:docVars>';
    expect(await shownOf('DOCVARIABLE rate', { settings })).toBe('19 %');
  });

  it('words and numbers of the language of the document', async () => {
    const settings = '<w:decimalSymbol w:val=","/>';
    const german = { language: 'de-DE', settings };
    expect(await shownOf('SAVEDATE \\@ "dddd, d. MMMM yyyy"', german)).toBe('Freitag, 24. Dezember 2021');
    expect(await shownOf('= 1234,5 * 2 \\# "#.##0,00 €"', german)).toBe('2.469,00 €');
  });

  it('a text that is set before it, and the text of a bookmark', async () => {
    const bookmark = `<w:bookmarkStart w:id="1" w:name="Total"/>${text('12.50')}<w:bookmarkEnd w:id="1"/>`;
    const body =
      p(bookmark) +
      p(field('SET Kind "gold"', '')) +
      p(field('= Total * 2')) +
      p(field(['IF ', field('REF Kind'), ' = gold "A" "B"']));
    expect((await computed({ body })).shown).toMatch(/^12\.50.*25A$/);
  });

  it('the cells of its table', async () => {
    const row = (...cells: string[]) =>
      `<w:tr>${cells.map((cell) => `<w:tc>${p(cell)}</w:tc>`).join('')}</w:tr>`;
    const body = `<w:tbl>${row(text('A'), text('10'))}${row(text('B'), text('2.5'))}${row(text('Sum'), field('=SUM(ABOVE) \\# "0.0"'))}${row(text('First'), field('= B1 + B2 \\# 0.0'))}</w:tbl>`;
    expect((await computed({ body })).shown).toBe('A10B2.5Sum12.5First12.5');
  });

  it('the number of a note', async () => {
    const note = (id: number) => run(`<w:footnoteReference w:id="${id}"/>`);
    const marked = `<w:bookmarkStart w:id="1" w:name="note"/>${note(3)}<w:bookmarkEnd w:id="1"/>`;
    expect((await computed({ body: p(note(2) + marked) + p(field('NOTEREF note \\h')) })).shown).toBe('2');
  });

  it('its section, also in a header of one section', async () => {
    const end = '<w:p><w:pPr><w:sectPr/></w:pPr></w:p>';
    const last = '<w:sectPr><w:headerReference w:type="default" r:id="rId3"/></w:sectPr>';
    const { shown, header } = await computed({
      body: p(field('SECTION')) + end + p(field('SECTION')) + last,
      header: p(field('SECTION')),
    });
    expect([shown, header]).toEqual(['12', '2']);
  });
});

describe('a field that cannot be computed stays:', () => {
  it.each([
    'FILENAME',
    'USERNAME',
    'DOCPROPERTY Unknown',
    'DOCVARIABLE Unknown',
    '= UNKNOWN(1)',
    '= 1 / 0',
    'IF 1 = ',
    'NOTEREF nowhere',
    'PRINTDATE',
  ])('%s', async (code) => {
    const { shown, instructions } = await computed({ body: p(field(code)) });
    expect([shown, instructions]).toEqual(['stored', [code]]);
  });

  it('a condition on the page', async () => {
    const { shown } = await computed({ body: p(field(['IF ', field('PAGE', '1'), ' = 1 "a" "b"'])) });
    expect(shown).toMatch(/stored$/);
  });

  it('words in a language other than English', async () => {
    const { shown } = await computed({ body: p(field('= 3 \\* CardText')), language: 'de-DE' });
    expect(shown).toBe('stored');
  });

  it('a locked field', async () => {
    const locked = field('AUTHOR').replace('w:fldCharType="begin"', 'w:fldCharType="begin" w:fldLock="1"');
    expect((await computed({ body: p(locked) })).shown).toBe('stored');
  });
});

describe('an update of fields', () => {
  it('keeps the look of the result', async () => {
    const bold = '<w:r><w:rPr><w:b/></w:rPr><w:t>old</w:t></w:r>';
    const body = p(mark('begin') + instruction('AUTHOR') + mark('separate') + bold + mark('end'));
    expect((await computed({ body })).xml).toContain(
      '<w:rPr><w:b/></w:rPr><w:t xml:space="preserve">Ada King</w:t>',
    );
  });

  it('fills fields without a result, and simple ones', async () => {
    const empty = mark('begin') + instruction('AUTHOR') + mark('end');
    const simple = `<w:fldSimple w:instr="TITLE">${text('old')}</w:fldSimple><w:fldSimple w:instr="TITLE"/>`;
    expect((await computed({ body: p(empty + simple) })).shown).toBe('Ada KingOfferOffer');
  });

  it('leaves the fields to the engine that it updates itself', async () => {
    const { instructions } = await computed({
      body: p(field('PAGE') + field('NUMPAGES') + field('REF x') + field('SECTIONPAGES')),
    });
    expect(instructions.map((code) => code?.trim())).toEqual(['PAGE', 'NUMPAGES', 'REF x', 'NUMPAGES']);
  });

  const cell = (content: string) => `<w:tc>${p(content)}</w:tc>`;
  const beside = (first: string, formula: string) =>
    `<w:tbl><w:tr>${cell(text(first))}${cell(field(formula, '0'))}</w:tr></w:tbl>`;
  const bookmark = `<w:bookmarkStart w:id="1" w:name="b"/>${text('x'.repeat(9_000))}<w:bookmarkEnd w:id="1"/>`;

  it.each([
    ['many patterns', p(bookmark) + p(field('IF b = "*a*a*a*a" "1" "2"')).repeat(5_000), '2', 10_000],
    ['a long cell', beside(`${'no number '.repeat(25_000)}(7)`, '= SUM(LEFT)'), '-7', 2_000],
    // It is read again and again, until the formula stays.
    ['one cell many times', beside('x'.repeat(1_000_000), `= SUM(${'A1,'.repeat(3_000)}1)`), 'x0', 3_000],
    // A pattern that is longer than any of Word stays.
    ['a long pattern', p(field(`IF "${'a'.repeat(400_000)}" = "*${'a'.repeat(200_000)}b" 1 2`)), 'd', 2_000],
  ])('takes linear time for %s', async (_, body, end, cpuMsMax) => {
    const startedAt = process.cpuUsage();
    expect((await computed({ body })).shown.slice(-end.length)).toBe(end);
    expect(cpuMsSince(startedAt)).toBeLessThan(cpuMsMax);
  });
});
