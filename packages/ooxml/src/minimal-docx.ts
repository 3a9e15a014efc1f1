import { DOCX_MAIN_TYPE } from './main-type.ts';
import { XML_DECLARATION } from './xml-text.ts';
import { writeArchive } from './zip-writer.ts';

const OFFICE = 'http://schemas.openxmlformats.org';

/**
 * Returns a DOCX whose only part is the main document, with `body` as the content of its `w:body`: WordprocessingML
 * with the prefix `w` (ECMA-376-1 §11.2).
 */
export function minimalDocx(body: string): Buffer {
  const parts = {
    '[Content_Types].xml':
      `<Types xmlns="${OFFICE}/package/2006/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      `<Override PartName="/word/document.xml" ContentType="${DOCX_MAIN_TYPE}"/></Types>`,
    '_rels/.rels':
      `<Relationships xmlns="${OFFICE}/package/2006/relationships"><Relationship Id="rId1" ` +
      `Type="${OFFICE}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `<w:document xmlns:w="${OFFICE}/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
  };
  const entries = Object.entries(parts).map(([name, xml]) => ({
    name,
    data: Buffer.from(XML_DECLARATION + xml),
  }));
  return writeArchive(entries, { isCompressed: true });
}
