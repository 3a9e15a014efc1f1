import { DOCX_MAIN_TYPE, newPackage } from '@scriptorium/ooxml/package';

/** Fonts that most documents use; the last three replace Times New Roman, Arial and Courier New. */
const FONTS = ['Carlito', 'Caladea', 'DejaVu Sans', 'Liberation Serif', 'Liberation Sans', 'Liberation Mono'];
const STYLES = ['', '<w:b/>', '<w:i/>', '<w:b/><w:i/>'];

const OFFICE = 'http://schemas.openxmlformats.org';
const RELATIONSHIP = `${OFFICE}/officeDocument/2006/relationships`;
const WORD_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const NAMESPACES = `xmlns:w="${OFFICE}/wordprocessingml/2006/main" xmlns:r="${RELATIONSHIP}"`;

function docx(body: string, parts: readonly (readonly [name: string, kind: string, xml: string])[]): Buffer {
  const nameOf = (name: string) => `word/${name}.xml`;
  const main = {
    name: nameOf('document'),
    contentType: DOCX_MAIN_TYPE,
    xml: `<w:document ${NAMESPACES}><w:body>${body}</w:body></w:document>`,
    links: parts.map(([name, kind]) => [kind, nameOf(name)] as const),
  };
  const others = parts.map(([name, kind, xml]) => ({
    name: nameOf(name),
    contentType: `${WORD_TYPE}.${kind}+xml`,
    xml,
  }));
  return newPackage([main, ...others], { isCompressed: false });
}

const STYLES_PART = `<w:styles ${NAMESPACES}>
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/>
<w:pPr><w:keepNext/><w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/><w:sz w:val="32"/></w:rPr></w:style></w:styles>`;

const NUMBERING_PART = `<w:numbering ${NAMESPACES}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0">
<w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/><w:lvlJc w:val="left"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;

const HEADER_PART = `<w:hdr ${NAMESPACES}><w:p><w:r><w:t>Page </w:t></w:r><w:fldSimple w:instr=" PAGE ">
<w:r><w:t>1</w:t></w:r></w:fldSimple></w:p></w:hdr>`;

function paragraph(text: string, paragraphProperties = '', runProperties = ''): string {
  return `<w:p><w:pPr>${paragraphProperties}</w:pPr><w:r><w:rPr>${runProperties}</w:rPr><w:t>${text}</w:t></w:r></w:p>`;
}

/** Uses what most documents need: styles, a list, a table, a header, a field, each font in each style. */
function richDocument(): Buffer {
  const fonts = FONTS.flatMap((font) =>
    STYLES.map((style) =>
      paragraph(`${font} 0123`, '', `<w:rFonts w:ascii="${font}" w:hAnsi="${font}"/>${style}`),
    ),
  );
  const cell = `<w:tc><w:tcPr><w:tcW w:w="2000" w:type="dxa"/></w:tcPr>${paragraph('Cell')}</w:tc>`;
  const table = `<w:tbl><w:tblPr><w:tblW w:w="4000" w:type="dxa"/></w:tblPr><w:tr>${cell}${cell}</w:tr></w:tbl>`;
  const list = paragraph('Item', '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>');
  const page =
    '<w:sectPr><w:headerReference w:type="default" r:id="rId3"/><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>';
  const heading = paragraph('Heading', '<w:pStyle w:val="Heading1"/>');
  return docx(`${heading}${fonts.join('')}${list}${table}${paragraph('End')}${page}`, [
    ['styles', 'styles', STYLES_PART],
    ['numbering', 'numbering', NUMBERING_PART],
    ['header1', 'header', HEADER_PART],
  ]);
}

/** A page of plain text, the shortest path through the engine. */
function plainDocument(): Buffer {
  const line = 'The quick brown fox jumps over the lazy dog, and the lazy dog does not mind it at all.';
  return docx(paragraph(line).repeat(40), []);
}

/** The documents that a zygote converts before its first job. */
export function warmUpDocuments(): Buffer[] {
  return [richDocument(), plainDocument()];
}
