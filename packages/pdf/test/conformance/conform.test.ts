import { describe, expect, test } from '@jest/globals';
import { classicPdf, streamBody } from '@scriptorium/testing/fixtures/pdf/build';
import { onePage } from '@scriptorium/testing/fixtures/pdf/documents';
import { qpdfComplaints } from '@scriptorium/testing/judges/pdf';
import { conform, repairTexts } from '../../src/face/conformance.ts';
import { openPdf } from '../../src/face/read.ts';

const XMP = '<x:xmpmeta><rdf:RDF><xmp:CreateDate>0000-00-00T00:00:00Z</xmp:CreateDate></rdf:RDF></x:xmpmeta>';

/** A page with these entries of the catalog, of the page, and further objects from number 6 on. */
function pdfWith({ catalog = '', page = '', objects = [] as string[] }): Buffer {
  const all = [
    `<</Type/Catalog/Pages 2 0 R/Metadata 4 0 R/Lang(en)${catalog}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R${page}>>`,
    `<</Type/Metadata/Subtype/XML/Length ${XMP.length}>>\nstream\n${XMP}\nendstream`,
    "<</CreationDate(D:20240229101112+01'00')>>",
    ...objects,
  ];
  const body = all.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.7\n${body}trailer\n<</Root 1 0 R/Info 5 0 R>>\n`, 'latin1');
}

const TAGS = '/MarkInfo<</Marked true>>/StructTreeRoot 6 0 R';
const ua = { pdfua: true, title: 'Title' };

describe('a PDF that is completed', () => {
  test.each(['0000-00-00T00:00:00Z', '2020-01-01T00:00:00Z'])(
    '%s is the date of its information dictionary',
    (date) => {
      const before = Buffer.from(
        pdfWith({}).toString('latin1').replace('0000-00-00T00:00:00Z', date),
        'latin1',
      );
      const { bytes } = conform(before, { pdfa: '2b', pdfua: false });
      expect(bytes.length).toBe(before.length);
      expect(bytes.toString('latin1')).toContain('<xmp:CreateDate>2024-02-29T09:11:12Z<');
    },
  );

  test('has a title without the signs that XML does not allow', () => {
    const { bytes } = conform(pdfWith({}), { pdfua: true, title: 'A <b> & \u0001c' });
    const { document } = openPdf(bytes);
    const info = document.dict(document.trailer, 'Info');
    expect(info && document.get(info, 'Title')).toMatchObject({ text: 'A <b> & c' });
    expect(bytes.toString('latin1')).toContain('>A &lt;b&gt; &amp; c</rdf:li>');
  });

  test('lists the characters that a font for PDF/A-1 names', () => {
    const page = '/Resources<</Font<</A 6 0 R>>>>';
    const plain = '/Encoding 256 array dup 1 /A put dup 2/uni4E00 put dup 3 /.notdef put readonly def';
    const objects = [
      '<</Subtype/Type1/BaseFont/ABCDEF+X/FontDescriptor 7 0 R>>',
      '<</Type/FontDescriptor/FontFile 8 0 R>>',
      `<</Length ${plain.length + 19}/Length1 ${plain.length}>>\nstream\n${plain}dup 4 /Encrypted put\nendstream`,
    ];
    const { bytes, missing } = conform(pdfWith({ page, objects }), { pdfa: '1b', pdfua: false });
    expect(missing.map(({ what }) => what)).not.toContain('list of characters');
    expect(bytes.toString('latin1')).toMatch(/CharSet ?\(\/A\/uni4E00\)/);
  });

  test('is not changed if it claims no PDF/UA and has dates', () => {
    const { bytes } = conform(pdfWith({}), { pdfa: '2b', pdfua: false });
    expect(conform(bytes, { pdfa: '2b', pdfua: false }).bytes.equals(bytes)).toBe(true);
  });
});

/** As LibreOffice 25.2 writes it: texts are escaped twice, and 2 KiB of padding follow. */
const xmpOf = (texts: readonly string[]): string => {
  const [title, author, subject, keywords] = texts.map((text) =>
    ['&', '<', '>', '"', "'"]
      .reduce((escaped, sign, at) => {
        const name = ['amp', 'lt', 'gt', 'quot', 'apos'][at];
        return escaped.replaceAll(sign, `&${name};`);
      }, text)
      .replaceAll('&', '&amp;'),
  );
  const alternatives = (text = '') =>
    `\n <rdf:Alt>\n <rdf:li xml:lang="x-default">${text}</rdf:li>\n </rdf:Alt>\n`;
  return (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n<rdf:RDF>' +
    `<dc:title>${alternatives(title)}</dc:title>` +
    `<dc:creator>\n <rdf:Seq>\n <rdf:li>${author}</rdf:li>\n </rdf:Seq>\n</dc:creator>` +
    `<dc:description>${alternatives(subject)}</dc:description><pdf:Keywords>${keywords}</pdf:Keywords>` +
    `</rdf:RDF>\n${' '.repeat(2000)}<?xpacket end="w"?>`
  );
};

const KEYS = ['Title', 'Author', 'Subject', 'Keywords'];
const utf16 = (text: string) => `<${Buffer.from(`\ufeff${text}`, 'utf16le').swap16().toString('hex')}>`;

/** A PDF with these texts in its information dictionary, and in its XMP as LibreOffice writes them. */
function pdfOfTexts(texts: readonly string[]): Buffer {
  const info = `<<${KEYS.map((key, at) => `/${key}${utf16(texts[at] ?? '')}`).join('')}>>`;
  const xmp = streamBody('/Type/Metadata/Subtype/XML', Buffer.from(xmpOf(texts)));
  return classicPdf(onePage('', '/Metadata 6 0 R', [xmp, info]), '/Info 7 0 R');
}

describe('the XMP of LibreOffice', () => {
  test('says the texts of the information dictionary, and nothing else moves', async () => {
    const texts = [`Q&A: "Rules" for Bob's <team>`, 'A &amp; B', 'a\rb\tc 😀', '\ufffe&\uffff"k"'];
    const before = pdfOfTexts(texts);
    const after = repairTexts(before);
    expect(after.length).toBe(before.length);
    expect(await qpdfComplaints(after)).toEqual([]);
    const xmp = after.toString('utf8');
    for (const text of [
      'Q&amp;A: "Rules" for Bob\'s &lt;team&gt;',
      'A &amp;amp; B',
      'a&#13;b\tc 😀',
      '&amp;"k"',
    ])
      expect(xmp).toContain(`>${text}<`);
    const { document } = openPdf(after);
    const info = document.dict(document.trailer, 'Info');
    const written = KEYS.map((key) => info && document.get(info, key));
    expect(written).toMatchObject([...texts.slice(0, 3), '&"k"'].map((text) => ({ text })));
  });

  test('stays as it is if it is right, or has no room', () => {
    const plain = pdfOfTexts(['Title', 'Ada', 'Subject', 'k']);
    expect(repairTexts(plain)).toBe(plain);
    const without = Buffer.from(plain.toString('latin1').replace('<?xpacket end', '<?xpacket &nd'), 'latin1');
    expect(repairTexts(without)).toBe(without);
  });
});

describe('a PDF is reported to lack', () => {
  test('tags, also if they are not marked as such', () => {
    const tree = ['<</Type/StructTreeRoot>>'];
    const missing = (catalog: string) => conform(pdfWith({ catalog, objects: tree }), ua).missing;
    expect(missing(TAGS)).toEqual([]);
    for (const catalog of ['', '/StructTreeRoot 6 0 R', '/MarkInfo<</Marked true>>'])
      expect(missing(catalog)).toEqual([{ what: 'tags', count: 1 }]);
  });

  test('texts of figures and formulas, also of those with a role', () => {
    const objects = [
      '<</Type/StructTreeRoot/RoleMap<</Picture/Photo/Photo/Figure>>/K[7 0 R 8 0 R 9 0 R 10 0 R]>>',
      '<</S/Picture>>',
      '<</S/Formula/K 6 0 R>>',
      '<</S/Figure/Alt(A dog)>>',
      '<</S/Formula/ActualText(a+b)>>',
    ];
    const { missing } = conform(pdfWith({ catalog: TAGS, objects }), ua);
    expect(missing).toEqual([{ what: 'alternative text', count: 2 }]);
  });

  test('tags of links', () => {
    const link = '/Subtype/Link/Contents(x)';
    const page = `/Annots[<<${link}>><<${link}/StructParent 1>><</Subtype/Text>>]`;
    const { missing } = conform(pdfWith({ catalog: TAGS, page, objects: ['<</K[]>>'] }), ua);
    expect(missing).toEqual([{ what: 'tag of a link', count: 1 }]);
  });

  test('levels of headings, in reading order', () => {
    const headings = (levels: readonly number[]) => {
      const kids = levels.map((level) => `<</S/H${level}>>`).join('');
      return conform(pdfWith({ catalog: TAGS, objects: [`<</K[<</S/Sect/K[${kids}]>>]>>`] }), ua).missing;
    };
    expect(headings([1, 2, 3, 1, 2])).toEqual([]);
    expect(headings([1, 3, 2, 4, 2])).toEqual([{ what: 'heading level', count: 2 }]);
    expect(headings([2])).toEqual([{ what: 'heading level', count: 1 }]);
  });

  test('lists of the characters of fonts, which only PDF/A-1 wants', () => {
    const page = '/Resources<</Font<</A 6 0 R/B 7 0 R>>>>';
    const font = (name: string, more: string) =>
      `<</Subtype/Type1/BaseFont/${name}/FontDescriptor<</FontFile3 4 0 R${more}>>>>`;
    const objects = [font('ABCDEF+X', ''), font('ABCDEF+Y', '/CharSet(/a)')];
    const missing = (pdfa: '1b' | '2b') =>
      conform(pdfWith({ page, objects }), { pdfa, pdfua: false }).missing.filter(
        ({ what }) => what === 'list of characters',
      );
    expect(missing('1b')).toEqual([{ what: 'list of characters', count: 1 }]);
    expect(missing('2b')).toEqual([]);
  });

  test('fonts in the file, each once, and the profile of colors', () => {
    const page = '/Resources<</Font<</A 6 0 R/B 6 0 R/C 7 0 R/D 8 0 R>>>>';
    const objects = [
      '<</Subtype/TrueType/FontDescriptor<</FontName/A>>>>',
      '<</Subtype/Type1/BaseFont/Helvetica>>',
      '<</Subtype/Type0/DescendantFonts[<</FontDescriptor<</FontFile2 4 0 R>>>>]>>',
    ];
    expect(conform(pdfWith({ page, objects }), { pdfa: '2b', pdfua: false }).missing).toEqual([
      { what: 'embedded font', count: 2 },
      { what: 'output intent', count: 1 },
    ]);
  });
});
