import { inAllLanguages } from '../write/xmp.ts';

/** What LibreOffice writes for a document without dates. */
const NO_DATE = '0000-00-00T00:00:00Z';

/** Returns XMP with a date where it has one of the year zero. The length stays the same. */
export function withDates(xmp: string, date: Date): string {
  return xmp.replaceAll(NO_DATE, date.toISOString().replace(/\.\d{3}Z$/, 'Z'));
}

const END = '</rdf:RDF>';

/** Returns XMP with this title, unless it has one (ISO 16684-1 §8.3). */
export function withTitle(xmp: string, title: string): string {
  const end = xmp.lastIndexOf(END);
  if (xmp.includes('<dc:title') || end === -1) return xmp;
  const description =
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">' +
    `<dc:title>${inAllLanguages(title)}</dc:title></rdf:Description>`;
  return xmp.slice(0, end) + description + xmp.slice(end);
}
