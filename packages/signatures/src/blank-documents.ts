import { XML_DECLARATION } from '@scriptorium/ooxml/xml';
import { writeArchive } from '@scriptorium/ooxml/zip';

const OFFICE = 'http://schemas.openxmlformats.org';
const MAIN_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

/** Returns a PDF with one empty page. */
export function blankPdf(): Buffer {
  const bodies = ['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[3 0 R]/Count 1>>'];
  bodies.push('<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>');
  let text = '%PDF-1.7\n';
  const offsets = bodies.map((body, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${bodies.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(
    `${text}${table}trailer\n<</Size ${bodies.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
  );
}

/** Returns a DOCX with one empty paragraph. */
export function blankDocx(): Buffer {
  const parts = {
    '[Content_Types].xml':
      `<Types xmlns="${OFFICE}/package/2006/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      `<Override PartName="/word/document.xml" ContentType="${MAIN_TYPE}"/></Types>`,
    '_rels/.rels':
      `<Relationships xmlns="${OFFICE}/package/2006/relationships"><Relationship Id="rId1" ` +
      `Type="${OFFICE}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `<w:document xmlns:w="${OFFICE}/wordprocessingml/2006/main"><w:body><w:p/></w:body></w:document>`,
  };
  const entries = Object.entries(parts).map(([name, xml]) => ({
    name,
    data: Buffer.from(XML_DECLARATION + xml),
  }));
  return writeArchive(entries, { isCompressed: true });
}
