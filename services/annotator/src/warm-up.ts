import { XML_DECLARATION } from '@scriptorium/ooxml/xml';
import { writeArchive } from '@scriptorium/ooxml/zip';
import type { FillRequest } from './annotate-threads.ts';

const OFFICE = 'http://schemas.openxmlformats.org';
const WORD = `${OFFICE}/wordprocessingml/2006/main`;
const RELATIONSHIP = `${OFFICE}/officeDocument/2006/relationships`;
const MAIN_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';

/** Number of content controls, and of placeholders. */
const FIELDS = 20;

function control(id: number): string {
  return (
    `<w:p><w:sdt><w:sdtPr><w:id w:val="${id}"/><w:text/></w:sdtPr>` +
    '<w:sdtContent><w:r><w:rPr><w:b/></w:rPr><w:t>prompt</w:t></w:r></w:sdtContent></w:sdt></w:p>'
  );
}

function placeholder(id: number): string {
  return `<w:p><w:r><w:t>Dear {name</w:t></w:r><w:r><w:t>${id}}</w:t></w:r></w:p>`;
}

function template(): Buffer {
  const numbers = Array.from({ length: FIELDS }, (_, index) => index + 1);
  const body = numbers.map((number) => control(number) + placeholder(number)).join('');
  const parts = {
    '[Content_Types].xml':
      `<Types xmlns="${OFFICE}/package/2006/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      `<Override PartName="/word/document.xml" ContentType="${MAIN_TYPE}"/></Types>`,
    '_rels/.rels':
      `<Relationships xmlns="${OFFICE}/package/2006/relationships">` +
      `<Relationship Id="rId1" Type="${RELATIONSHIP}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `<w:document xmlns:w="${WORD}"><w:body>${body}</w:body></w:document>`,
  };
  const entries = Object.entries(parts).map(([name, xml]) => ({
    name,
    data: Buffer.from(XML_DECLARATION + xml),
  }));
  return writeArchive(entries, { isCompressed: true });
}

/** Returns a request that each thread runs before its first job. */
export function warmUpRequest(): FillRequest {
  const ids = Array.from({ length: FIELDS }, (_, index) => [`${index + 1}`, `name${index + 1}`]).flat();
  const fields = ids.map((id) => ({ id, type: 'text', value: 'filled' }));
  return {
    source: template(),
    fields: Buffer.from(JSON.stringify(fields)),
    images: Buffer.alloc(0),
    options: { onMissing: 'error', flatten: false },
  };
}
